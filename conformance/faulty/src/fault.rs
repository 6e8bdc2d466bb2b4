//! The single faults of a server, each with the requirements that find it.

use crate::named::named;

macro_rules! faults {
    ($($name:ident $words:literal [$($id:literal)*])*) => {
        named! {
            /// One thing that is wrong with a server.
            Fault { $(#[doc = concat!($words, ".")] $name,)* }
        }

        impl Fault {
            /// The requirements that find it: these, and no others.
            #[must_use]
            pub const fn finds(self) -> &'static [&'static str] {
                match self { $(Self::$name => &[$($id),*],)* }
            }
        }
    };
}

faults! {
    // Answers as such.
    BodyCut "The connection breaks in the middle of a page, under status 200" ["core.body-whole"]
    HalfJson "A page ends in the middle of its text" ["core.json"]
    NotUtf8 "A page has a character in Latin-1" ["core.json"]
    TrailingText "Something follows the JSON of a page" ["core.json"]
    MemberTwice "An object names a member twice" ["core.member-names"]
    ContentTypeText "Everything is said to be plain text" ["core.media-type" "errors.media-type"]
    ContentTypeMissing "No answer says what it is" ["core.media-type" "errors.media-type"]
    AnythingNotAcceptable "Who accepts anything is refused" ["core.accept"]
    PathNotDecoded "Segments of paths are taken as they are written"
        ["core.location-addressed" "core.location-encoded"]
    UnknownParameterCrashes "An unknown parameter is a failure of the server"
        ["core.parameter-unknown" "errors.server"]
    OddCharactersCrash "A quote in a path or parameter is a failure of the server"
        ["errors.server" "security.odd-characters"]
    HeadAs500 "HEAD is a failure of the server" ["core.head" "errors.server"]
    WellKnownIsText "The description at the well-known address is a text" ["core.well-known"]
    UnknownLocationEmpty "A location that does not exist has an empty list"
        ["core.location-unknown" "intake.location-unknown"]
    UnknownCollectionEmpty "A collection that does not exist has an empty list"
        ["core.collection-unknown"]
    LocationSchemeIgnored "A location is found under any scheme" ["core.location-scheme"]
    LocationTwice "A location is listed twice" ["core.locations-once"]
    LocationWithoutIdentifier "Locations do not say what they are called" ["core.locations-valid"]
    LocationIdAsNumber "Numbers of locations are JSON numbers" ["core.locations-valid"]

    // Documents.
    ResourceTypeMissing "Documents do not name their type" ["schema.resource-type"]
    ResourceTypeWrong "Documents name another type" ["schema.resource-type"]
    ResourceTypeShort "Documents name their type without icar and Resource" ["schema.resource-type"]
    RequiredMissing "A member that the standard requires is missing" ["schema.required"]
    NestedRequiredMissing "A member that a type inside requires is missing" ["schema.required"]
    NumberAsText "A number is sent as a text" ["schema.types"]
    IdentifierAsText "An identifier is a text instead of scheme and number" ["schema.types"]
    NullForList "A list is null" ["schema.types"]
    ListForSingle "A single object is a list of one" ["schema.types"]
    NegativeWeight "A weight is below zero" ["schema.types"]
    EnumMisspelt "A code begins with a lower-case letter" ["schema.codes"]
    InstantWithoutOffset "A time does not tell its offset" ["schema.formats"]
    DateImpossible "A day that does not exist" ["schema.formats"]
    DateAsInstant "A point in time where a day is expected" ["schema.formats"]
    IdentifierWithoutScheme "An identifier lacks its scheme" ["schema.required"]
    IdentifierEmpty "An identifier has an empty number" ["read.identifiers"]
    SchemeIsWords "The scheme of an identifier is words for people"
        ["intake.content" "read.scheme-form"]
    MemberMisspelt "A member of the standard is written with other capitals"
        ["intake.content" "schema.near-misses"]
    ProgenyAlone "Parturitions tell progeny in the old member alone" ["schema.deprecated"]
    MetaMissing "Documents have no meta" ["feed.elements" "meta.present"]
    MetaModifiedMissing "meta lacks modified" ["meta.required"]
    MetaSourceMissing "meta lacks source" ["meta.required"]
    SourceIdMissing "meta lacks sourceId" ["feed.elements" "meta.source-id"]
    SourceIdShared "All documents have the same sourceId" ["read.once"]
    SourceIsWords "The source is words for people" ["intake.content" "meta.source-form"]
    ModifiedAhead "Documents were modified in years to come"
        ["intake.modified-moves" "meta.modified-past" "profile.times-ascend"]
    CreatedAfterModified "Documents were created after they were modified" ["meta.created-first"]
    ValidityReversed "Documents end to hold before they begin" ["meta.validity" "roundtrip.values"]
    DocumentWithoutLocation "Documents do not tell their location" ["feed.elements"]
    SelfWrong "@self leads to another document" ["read.self"]
    IdShared "All documents have the same id" ["read.id-once"]
    EventAhead "Events lie in years to come" ["intake.content" "read.event-times"]
    PeriodReversed "Periods end before they begin" ["read.periods" "roundtrip.values"]
    ProgenyOverTotal "More calves live than were born" ["read.progeny" "roundtrip.values"]
    SiresFemale "Service sires are of any sex" ["read.service-sires"]

    // Lists.
    DropsLastItem "A full page lacks its last member" ["read.total"]
    PageRepeatsItem "A page begins with the last member of the page before" ["read.once"]
    PageSkipsItem "A page begins one member too far" ["read.total"]
    PageLargerThanSaid "A page has more members than pageSize" ["read.page-size"]
    OrderChanges "The last page has what the first one had" ["read.once"]
    OrderEachTime "The members come in another order with each request" ["read.repeatable"]
    TotalOffByOne "totalItems is one too many" ["read.total"]
    TotalOfPage "totalItems counts the page instead of the list" ["read.total"]
    TotalsAsText "Numbers of view are texts" ["read.view-valid"]
    TotalPagesWrong "totalPages is one too many" ["read.view-arithmetic"]
    TotalWithoutFilter "totalItems does not heed the filter" ["read.total"]
    CurrentPageStuck "Every page is said to be the first" ["read.current-page"]
    FirstLeadsElsewhere "first leads to the second page" ["read.first-link"]
    LastLeadsElsewhere "last leads to the last page but one" ["read.last-link"]
    NextMissing "No page has a link to the next one" ["read.next-present"]
    NextBroken "next leads nowhere" ["read.next-works"]
    NextIsThis "next of the second page leads to the second page" ["read.next-ends"]
    NextForEver "next of the last page leads to an empty page, and so on" ["read.next-ends"]
    NextNotAddress "next is words for people" ["read.next-works"]
    NextLosesFilter "next forgets what was asked for" ["filter.next-keeps"]
    LinksToAnotherHost "Links lead to the name that the server has inside its network"
        ["read.links-origin"]
    ItemsNotMember "The members stand in items" ["core.locations" "read.envelope"]
    BareArray "A list is a bare array" ["core.locations" "read.envelope"]
    SingleNotList "A single member stands without an array" ["read.envelope"]
    EmptyListIsNull "member of an empty list is null" ["read.envelope"]
    EmptyListIs404 "An empty list is not found" ["filter.modified-empty"]
    ViewMissing "Pages have no view, and so no next" ["feed.no-ghosts" "intake.listed"]
    TombstonesInList "Lists show what was deleted as if it lived" ["schema.required"]
    ForeignItem "A list shows a document of another location" ["read.location-own"]

    // Filters.
    ModifiedFilterIgnored "Windows of modified are ignored"
        ["filter.modified-from" "filter.modified-to"]
    ModifiedFromExclusive "The lower end of modified is left out"
        ["filter.modified-inclusive" "filter.modified-seam"]
    ModifiedToIgnored "The upper end of modified is ignored" ["filter.modified-to"]
    OffsetIgnored "The offset of a time asked for is ignored" ["filter.modified-offset"]
    BadTimeAccepted "What is no time counts as 1970"
        ["filter.dates-malformed" "filter.modified-malformed"]
    AnimalFilterIgnored "The filter on animals is ignored" ["filter.animal"]
    AnimalSchemeIgnored "Animals are found by their number under any scheme"
        ["filter.animal-scheme"]
    AnimalByPrefix "Animals are found by the beginning of their number" ["filter.animal"]
    DateFilterIgnored "The window of days is ignored" ["filter.dates"]
    DateToExclusive "The last day of a window is left out" ["filter.dates-inclusive"]
    DateFromExclusive "The first day of a window is left out" ["filter.dates-inclusive"]
    IdentifierFilterIgnored "The filter on identifiers is ignored" ["filter.identifier"]
    CodeFilterIgnored "Filters on codes and metrics are ignored" ["filter.code" "filter.metric"]
    ReportFilterIgnored "The window of reports is ignored" ["filter.report-period"]
    RequiredFilterOptional "A filter that is required is not asked for" ["filter.required"]
    EmptyParameterCrashes "A parameter without value is a failure of the server"
        ["errors.server" "filter.empty-value"]
    FiltersAreAlternatives "Of several filters one is enough" ["filter.combined"]

    // Errors.
    ErrorAsHtml "Errors are pages for browsers" ["errors.media-type"]
    ErrorOtherShape "Errors are an object with a message" ["errors.body"]
    ErrorsNotList "errors is an object" ["errors.body"]
    ErrorListEmpty "errors is empty" ["errors.not-empty"]
    ErrorBodyEmpty "Errors have no body" ["errors.body"]
    ErrorAs200 "Errors come with status 200" ["errors.success"]
    ErrorAs500 "Mistakes of the client are called failures of the server"
        [
            "batch.not-json" "batch.object" "errors.server" "feed.token-altered"
            "feed.token-malformed" "feed.token-other-set" "filter.dates-malformed"
            "filter.empty-value" "filter.modified-malformed" "filter.pair-half" "filter.required"
            "intake.array" "intake.invalid-code" "intake.invalid-missing" "intake.invalid-time"
            "intake.invalid-type" "intake.not-json" "intake.wrong-resource"
            "profile.from-now-since" "profile.token-filter" "profile.token-foreign-client"
            "profile.token-foreign-set" "profile.token-forged" "profile.token-malformed"
            "push.full-sync-header" "push.not-json"
        ]
    ErrorStatusDiffers "The status in an error is another than that of the answer" ["errors.status"]
    ErrorStatusAsText "The status in an error is a text" ["errors.body"]
    ErrorSeverityUnknown "The severity of an error is none of the standard" ["errors.body"]
    ErrorWithoutPlace "Errors do not tell where a document is wrong" ["errors.place"]
    StackTraceShown "Errors show a trace of calls" ["security.internals"]
    MethodAs500 "A method that is not offered is a failure of the server"
        ["errors.method" "errors.method-write" "errors.post-read-only" "errors.server"]
    AnyMethodAnswers "Every method answers as GET does" ["errors.method" "errors.method-write"]
    PutAnswers200 "PUT and PATCH of a list answer 200 and do nothing" ["errors.method-write"]
    PostToReadOnlyAccepted "A list that can only be read takes documents and forgets them"
        ["errors.post-read-only"]
    AllowMissing "405 does not tell the methods that are offered" ["errors.allow"]

    // Rights.
    AnyoneMayRead "Who is not signed in is taken for the Association"
        ["security.anonymous" "security.bad-token"]
    BadTokenAccepted "Any token is taken for the Association's" ["security.bad-token"]
    ChallengeMissing "401 does not say how to sign in" ["security.challenge"]
    SecretEchoed "Tokens and passwords come back in errors" ["security.secrets"]
    LoginLeaks "The sign-in tells whether an account exists" ["security.login-uniform"]
    RightsIgnored "Every account reads every location" ["security.foreign-location"]
    ExistenceShown "A location of another is forbidden, where an unknown one is not found"
        ["security.foreign-alike"]
    LocationsLeak "Every account is shown all locations" ["security.locations-own"]
    LocationNotListed "A location that can be read is not listed" ["security.foreign-feed"]
    ForeignWriteAccepted "Every account writes to every location" ["security.foreign-write"]
    CachePublic "Answers may be stored by shared caches" ["security.shared-caches"]

    // Caches and forms.
    TagMissing "Answers have no ETag" ["performance.etag" "profile.poll"]
    TagOfPath "The tag belongs to the path, with any parameters"
        ["performance.etag-changes" "performance.etag-distinct"]
    TagStaysAfterChange "The tag stays when the list changes" ["performance.etag-changes"]
    TagEachTime "Each answer has another tag" ["performance.etag-works" "profile.poll"]
    NotModifiedAlways "Any tag is answered with 304" ["performance.etag-stale"]
    NotModifiedAfterChange "A tag from before a change is answered with 304"
        ["performance.not-modified-after-change"]
    NotModifiedToAnother "The tag of another account is answered with 304"
        ["security.foreign-not-modified"]
    NotModifiedNever "Tags are given and never answered with 304"
        ["performance.etag-works" "profile.poll"]
    GzipBroken "Compressed bodies lack their end" ["performance.gzip"]
    GzipOtherText "Compressed bodies have another text" ["performance.gzip"]
    GzipSaidOnly "Plain bodies are said to be compressed" ["performance.gzip"]
    GzipNotSaid "Compressed bodies are not said to be so" ["performance.gzip"]
    GzipUnasked "Bodies are compressed for who does not take it" ["performance.identity"]
    VaryMissing "Answers do not say what they depend on" ["performance.gzip-vary"]
    RetryAfterMissing "429 does not say when to come back" ["performance.retry-after"]
    RetryAfterWords "429 says in words when to come back" ["performance.retry-after"]

    // Intake.
    PostNotStored "What is sent is answered and not stored" ["intake.listed"]
    PostForgetsMembers "A member of what is sent is lost" ["intake.content"]
    PostChangesSource "The source of what is sent is replaced" ["intake.answer"]
    LettersLost "Letters beyond ASCII become question marks" ["intake.unicode"]
    OffsetDropped "A time that is sent loses its offset" ["intake.instant"]
    ModifiedStays "A correction leaves modified as it was" ["intake.modified-moves"]
    MissingTaken "Documents without a required member are taken" ["intake.invalid-missing"]
    CodeTaken "Codes that are none of the standard are taken" ["intake.invalid-code"]
    TypeTaken "Texts are taken for numbers" ["intake.invalid-type"]
    LocalTimeTaken "Times without offset and days that do not exist are taken"
        ["intake.invalid-time"]
    OtherTypeTaken "Documents of another type are taken" ["intake.wrong-resource"]
    UnknownMemberRefused "Members that the standard does not have are refused"
        ["intake.unknown-members"]
    InvalidAccepted "What is refused is answered 200"
        [
            "intake.invalid-code" "intake.invalid-missing" "intake.invalid-time"
            "intake.invalid-type" "intake.wrong-resource"
        ]
    RefusedButStored "What is refused is stored all the same"
        [
            "intake.invalid-code" "intake.invalid-missing" "intake.invalid-time"
            "intake.invalid-type" "intake.wrong-resource"
        ]
    AnyContentTypeAccepted "JSON is taken under any media type" ["intake.media-type"]
    AnyLocationWritable "What is sent to an unknown location goes to the first one"
        ["batch.location-unknown" "intake.location-unknown"]
    BodyLocationBelieved "The location in the document goes before that of the path"
        ["intake.location-own"]
    CreatedWithoutAddress "201 does not say where the document is" ["intake.location-header"]
    CreatedAddressDead "201 gives an address that leads nowhere" ["intake.location-works"]
    StoredEmpty "200 to a document has no body" ["intake.answer"]
    AnswerIsOther "The answer to a document is a note that it went well" ["intake.answer"]
    RepeatCreatesTwice "The same document sent again is a second one" ["intake.repeat"]
    RepeatRefused "The same document sent again is a conflict" ["intake.repeat"]
    CorrectionIgnored "The same pair with other content changes nothing" ["intake.update"]
    CorrectionMerges "What a correction leaves out stays" ["intake.replace"]
    RetractLeavesInList "What is taken back stays in the list" ["intake.retract"]
    RetractNoTombstone "What is taken back leaves no tombstone" ["feed.deletion-seen"]
    RetractUnknownRefused "Taking back twice is not found" ["intake.retract-repeat"]
    RecreateHidden "What was taken back and is sent again stays away" ["intake.revive"]

    // Batches.
    BatchOrder "Results stand in the opposite order" ["batch.order"]
    BatchAllOrNothing "One bad element spoils the batch" ["batch.partial"]
    BatchStopsAtFirst "What follows a bad element is not looked at" ["batch.count" "batch.partial"]
    BatchStoresRejected "What is refused in a batch is stored all the same"
        ["batch.rejected-absent"]
    BatchResultMissing "Refused elements have no result" ["batch.count"]
    BatchMetaMissing "Results do not repeat meta" ["batch.echo"]
    BatchIdMissing "Results have no id" ["batch.id"]
    BatchRefusalSilent "Results of refused elements have no message" ["batch.rejected-told"]
    BatchSeverityMild "Refusals are called information" ["batch.rejected-told"]
    BatchSeverityUnknown "Refusals have a severity that is none of the standard"
        ["batch.rejected-told"]
    BatchMessagesAsText "messages is a text" ["batch.rejected-told"]
    BatchResultsWrapped "Results stand in an object" ["batch.results"]
    BatchRefusedHasId "Refused elements have an id" ["batch.rejected-id"]
    BatchPlaceMissing "Results do not tell where an element is wrong" ["batch.rejected-place"]
    BatchPartIs400 "A batch with a bad element is called refused, and stored"
        ["batch.partial-status"]
    BatchLastNotStored "The last element of a batch is answered and not stored" ["batch.listed"]
    BatchOfOneAccepted "An object is taken for a batch of one" ["batch.object"]
    EmptyBatchCrashes "An empty batch is a failure of the server" ["batch.empty" "errors.server"]

    // Data sets and their changes.
    DatasetsWrapped "The list of data sets is an object" ["feed.list"]
    DatasetTwice "A data set is named twice" ["feed.names"]
    DatasetWithoutChanges "Data sets do not say where their changes are" ["feed.list"]
    DatasetAddressDead "The changes of data sets lead nowhere" ["feed.readable"]
    ContainedTypesWrong "Data sets name types that do not exist" ["feed.types" "feed.types-named"]
    UnknownSetEmpty "A data set that does not exist is empty" ["feed.set-unknown"]
    ChangesWrapped "A page of changes is an object" ["feed.readable"]
    ContextMissing "Pages of changes have no context" ["feed.context"]
    ContextLast "The context stands at the end" ["feed.context"]
    ContinuationMissing "Pages of changes have no continuation" ["feed.continuation"]
    ContinuationMissingAtEnd "The last page of changes has no continuation" ["feed.continuation"]
    ContinuationFirst "The continuation stands before the resources" ["feed.continuation"]
    TokenMissing "The continuation has no token" ["feed.continuation"]
    EmptyPageIsEmptyList "A page without changes is an empty array"
        ["feed.context" "feed.continuation"]
    EmptyPageIs204 "A page without changes is 204" ["feed.readable"]
    SinceIgnored "Every page is the first one" ["feed.no-rewind" "feed.progress"]
    TokenNeverMoves "A page gives back the token it was asked with"
        ["feed.no-rewind" "feed.progress"]
    TokenRewinds "A token leads back before its page" ["feed.no-rewind"]
    TokenTooLong "Tokens have more than 512 characters" ["profile.token-length"]
    TokenNeedsEscape "Tokens have characters that must be escaped" ["profile.token-alphabet"]
    ForgedTokenAccepted "The signature of tokens is not looked at" ["profile.token-forged"]
    ForgedTokenEmptyPage "An altered token is answered with an empty page"
        ["feed.token-altered" "profile.token-forged"]
    ForgedCalledMalformed "An altered token is called no token" ["profile.token-forged"]
    BadTokenEmptyPage "What is no token is answered with an empty page"
        [
            "feed.token-altered" "feed.token-malformed" "profile.token-forged"
            "profile.token-malformed"
        ]
    BadTokenBeginsAnew "What is no token begins anew without saying so"
        [
            "feed.token-altered" "feed.token-malformed" "profile.token-forged"
            "profile.token-malformed"
        ]
    BadTokenCrashes "What is no token is a failure of the server"
        [
            "errors.server" "feed.token-altered" "feed.token-malformed" "profile.token-forged"
            "profile.token-malformed"
        ]
    OtherSetTokenAccepted "A token of another data set is taken"
        ["feed.token-other-set" "profile.token-foreign-set"]
    OtherClientTokenAccepted "A token of another client is taken" ["profile.token-foreign-client"]
    OtherFilterTokenAccepted "A token of other filters is taken" ["profile.token-filter"]
    FullSyncForEver "Every page says to begin anew" ["feed.first-not-full-sync"]
    FullSyncOnFirst "A reading from the beginning is told to begin anew"
        ["feed.first-not-full-sync"]
    FeedSkipsAtBoundary "A change between two pages is left out"
        ["profile.everything" "profile.limit-order"]
    FeedDropsLast "A full page lacks its last change" ["profile.everything" "profile.limit-order"]
    FeedRepeats "A change stands twice on a page" ["profile.repeat-once"]
    FeedOrder "The changes of a page stand in the opposite order" ["profile.times-ascend"]
    FeedModifiedBack "modified goes back along the changes"
        ["feed.same-state" "profile.times-ascend"]
    FeedTellsPart "The feed tells a part of the document" ["feed.same-state"]
    FeedWithoutLocation "Elements do not tell their location" ["feed.elements"]
    FeedOtherLocation "Elements tell a location that does not exist"
        ["feed.complete" "security.foreign-feed"]
    FeedLacksLocation "The feed lacks the documents of a location" ["feed.complete"]
    FeedLacksTombstones "The feed tells no deletions" ["feed.deletion-seen"]
    FeedLeaksLocation "The feed has documents of locations that the caller may not read"
        ["security.second-account"]
    EverythingLacksSet "The data set of everything lacks one of the others" ["profile.everything"]
    TombstoneWithoutMeta "Tombstones have no meta" ["feed.elements"]
    TombstoneWithoutLocation "Tombstones have no location" ["feed.tombstone"]
    TombstoneWithoutType "Tombstones have no type" ["feed.tombstone"]
    TombstoneWithoutSourceId "Tombstones have no sourceId" ["feed.tombstone"]
    TombstoneUnmarked "Tombstones are not marked as such"
        ["feed.deletion-seen" "feed.no-ghosts" "feed.valid"]
    TombstoneWithoutReason "Tombstones do not tell their reason" ["profile.tombstone-reason"]
    CurrentMissing "Pages do not say whether more is to come" ["profile.current"]
    CurrentTooEarly "Every page says that nothing more is to come" ["profile.current"]
    PendingMissing "Pages do not say since when more is to come" ["profile.pending-since"]
    LimitIgnored "limit is ignored" ["profile.limit"]
    TypesIgnored "types is ignored" ["profile.types"]
    FeedLocationsIgnored "Locations asked for are ignored" ["profile.locations"]
    FromNowIgnored "from=now is ignored" ["profile.from-now"]
    FromNowWithSince "from=now is taken together with since" ["profile.from-now-since"]
    WaitIgnored "wait is ignored" ["profile.wait"]
    WaitSleepsThrough "wait sleeps through changes" ["profile.wait-change"]

    // Pushes.
    PushNotAtomic "A refused push stores what was good" ["push.atomic"]
    PushSilent "A push drops what is bad and says that all went well"
        ["push.atomic" "push.location-unknown"]
    PushNotStored "A push is answered and not stored" ["push.listed"]
    PushAccepted "A push is answered 202" ["push.accepted"]
    PushRefusesTombstones "A push takes no deletions" ["push.tombstone"]
    PushNeedsContext "A push without context is refused" ["push.no-context"]
    PushOneSpelling "One spelling of the path is not known" ["push.spelling"]
    PushTakesFullSync "icar-full-sync on a push is taken" ["push.full-sync-header"]
    PushRightsIgnored "A push writes to every location" ["security.foreign-write"]
    PushToAnySet "A push to an unknown data set is taken" ["push.set-unknown"]

    // What is sent, as it comes back.
    OptionalForgotten "An optional member is lost" ["roundtrip.members"]
    NestedForgotten "An optional nested member is lost" ["roundtrip.members"]
    TextCut "Texts end after sixteen characters" ["roundtrip.values"]
    CodesMerged "Two codes are stored as one" ["roundtrip.codes"]
    ElementsSorted "The elements of an array are stored in an order of the server" ["roundtrip.order"]
    DefaultInvented "A member that was not sent is filled with a default" ["roundtrip.invented"]
    KeptAsText "A number is stored as a text" ["roundtrip.valid" "roundtrip.values"]
    RefusalUnexplained "A member is refused without a word of it" ["roundtrip.refusal-named"]
}
