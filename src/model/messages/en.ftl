# Emails. Each is a text with a subject; parts that several share stand at the end.

reset-password =
    Hello { $name },

    someone, hopefully you, asked for a new password. Choose it within
    { $minutes } { $minutes ->
        [one] minute
       *[other] minutes
    }:

    { $way }

    If it was not you, do nothing: your password stays as it is.
    .subject = { $service }: a new password

invitation =
    Hello,

    You are invited to work for { $organization }. Accept within { $days } { $days ->
        [one] day
       *[other] days
    }:

    { $way }
    .subject = { $service }: an invitation from { $organization }

unlock =
    Hello { $name },

    someone, hopefully you, could not sign in because of wrong passwords that were
    tried under your name. Within { $minutes } { $minutes ->
        [one] minute
       *[other] minutes
    } this makes your browser known, and
    your password is checked there without delay:

    { $way }

    If it was not you, do nothing.
    .subject = { $service }: a way in

new-address =
    Hello { $name },

    someone, hopefully you, wants this address for an account here. Prove within { $hours }
    hours that it is yours:

    { $way }

    If it was not you, do nothing.
    .subject = { $service }: prove your new address

address-wanted =
    Hello { $name },

    someone wanted this address for an account here. It is the address of your account
    already, and this does not change. You need not do anything.
    .subject = { $service }: your address was asked for

changed =
    Hello { $name },

    the following was changed in your account here: { account-change }.

    If it was not you, ask for a new password at once, and inform the Association.
    .subject = { $service }: { account-change }

assignment-made =
    Hello { $name },

    the Association asks { $organization } to send data: { package-content }, for the days from
    { $from } to { $to }. The last day for sending them is { $due }.

    { remark }
    .subject = { $service }: data are to be sent by { $due }

assignment-due =
    Hello { $name },

    { $organization } was asked to send data: { package-content }, for the days from { $from } to
    { $to }. The last day for sending them is { $due } ({ in-days }). Nothing was sent yet.
    .subject = { $service }: data are to be sent { in-days }

assignment-overdue =
    Hello { $name },

    { $organization } was asked to send data: { package-content }, for the days from { $from } to
    { $to }. The last day for sending them was { $due }, and the assignment is not done.
    .subject = { $service }: data are overdue since { $due }

package-read =
    Hello { $name },

    the rows of package { $number } of { $organization } were read.

    Rows: { $rows }
    New records: { $created }
    Changed records: { $updated }
    Rows held: { $held }
    .subject = { $service }: package { $number } was read

package-failed =
    Hello { $name },

    package { $number } of { $organization } could not be read:
    { package-fault }.

    The package shows more. Send the file anew when it is mended, or state how it is to be read.
    .subject = { $service }: package { $number } could not be read

package-returned =
    Hello { $name },

    the Association sent package { $number } of { $organization } back.

    { remark }
    .subject = { $service }: package { $number } was sent back

package-checked =
    Hello { $name },

    the Association checked and signed package { $number } of { $organization }. It is accepted as
    soon as { $organization } agrees that the data are published.

    { remark }
    .subject = { $service }: package { $number } waits for your consent

package-accepted =
    Hello { $name },

    package { $number } of { $organization } is accepted.
    .subject = { $service }: package { $number } is accepted

package-rejected =
    Hello { $name },

    the Association rejected package { $number } of { $organization }.

    { remark }
    .subject = { $service }: package { $number } was rejected

request-approved =
    Hello { $name },

    the Association approved request { $number } of { $organization }.

    Animals that were approved: { $animals }
    Animals held: { $held }

    { remark }
    .subject = { $service }: request { $number } was approved

package-comment =
    Hello { $name },

    the Association wrote a comment on package { $number } of { $organization }.

    { remark }
    .subject = { $service }: a comment on package { $number }

package-farm-comment =
    Hello { $name },

    { $organization } wrote a comment on package { $number }.

    { remark }
    .subject = { $service }: { $organization } on package { $number }

request-comment =
    Hello { $name },

    the Association wrote a comment on request { $number } of { $organization }.

    { remark }
    .subject = { $service }: a comment on request { $number }

request-farm-comment =
    Hello { $name },

    { $organization } wrote a comment on request { $number }.

    { remark }
    .subject = { $service }: { $organization } on request { $number }

request-rejected =
    Hello { $name },

    the Association rejected request { $number } of { $organization }.

    { remark }
    .subject = { $service }: request { $number } was rejected

movement-pending =
    Hello { $name },

    a receiver recorded { movements } from { $organization }. This takes effect when
    { $organization } confirms it.
    .subject = { $service }: { movements } to confirm

movement-received =
    Hello { $name },

    a seller recorded { movements } to { $organization }. The animals are yours from then on. If one
    is not, object at the movement within 30 days.
    .subject = { $service }: { movements } to { $organization }

movement-objected =
    Hello { $name },

    the buyer objected to { movements } from { $organization }: the animals are not theirs. They stay
    with { $organization }; the movement shows the reason.
    .subject = { $service }: the buyer objected to { movements }

access-requested =
    Hello { $name },

    New requests for access to animals of { $organization }: { $count }. They wait for an answer.
    .subject = { $service }: { access-requests } for access

access-approved =
    Hello { $name },

    the owner approved the request of { $organization } of { $date } for access to an animal.

    { remark }
    .subject = { $service }: the request for access of { $date } was approved

access-declined =
    Hello { $name },

    the owner declined the request of { $organization } of { $date } for access to an animal.

    { remark }
    .subject = { $service }: the request for access of { $date } was declined

document-issued =
    Hello { $name },

    the Association issued a document to { $organization }: { $title }.

    { document-number }
    .subject = { $service }: a document was issued

# Parts of emails.

way-link =
    { $link }

    If a form asks for the token, it is:

    { $token }

way-call =
    This service has no page for it. Send it this request, or have it sent, with
    your own words in place of the dots:

    { $call }

service-line =
    { $service }
    { $url }

work-lists =
    Hello { $name },

    this is to be done at { $organization } within the next 7 days:

    { work-dryOff }: { $dryOff }
    { work-calving }: { $calving }
    { work-pregnancyCheck }: { $pregnancyCheck }
    { work-open }: { $open }
    { work-repeat }: { $repeat }
    { work-cells }: { $cells }
    { work-noTest }: { $noTest }
    { work-milkWithdrawal }: { $milkWithdrawal }
    { work-meatWithdrawal }: { $meatWithdrawal }
    .subject = { $service }: the work of the week

unsubscribe =
    Your account wishes emails { wish-name }. To end them:
    { $link }

wish-name =
    { $flag ->
        [submissions] about packages
        [trust] about verification, animals and documents
        [work] about the work of the week
       *[other] { $flag }
    }

unsubscribe-ask = No more emails { wish-name }?

unsubscribe-button = End them

unsubscribe-done = There will be no more emails of this kind. Your account can switch them on again.

unsubscribe-unknown = This link is not valid.

account-change =
    { $what ->
        [password] the password
        [address] the address, now { $to-address }
        [key-ended] the API key was ended
        [key-new] a new API key
        [named-key-new] a new API key ({ $key })
        [named-key-revoked] an API key was revoked ({ $key })
        [second-factor-on] a second factor was switched on
        [second-factor-off] the second factor was switched off
        [passkey-added] a passkey was added
        [passkey-removed] a passkey was removed
       *[other] { $what }
    }

package-content =
    { $dataset ->
        [none] { package-kind }
       *[other] { package-kind } ({ package-dataset })
    }

package-dataset =
    { $dataset ->
        [milkTests] test days
        [weighings] weighings
        [inseminations] inseminations
        [dailyMilkings] daily milk yields
        [calvings] calvings
        [dryOffs] dryings-off
        [abortions] abortions
        [milkingVisits] milkings
        [healthEvents] health events
        [events] events
        [heats] heats
        [pregnancyChecks] pregnancy checks
        [movements] movements
        [animals] animals
        [shows] shows
        [dnaTests] genetic tests
        [gradings] gradings
        [exteriors] exterior scores
        [breedingValues] breeding values
       *[other] { $dataset }
    }

package-kind =
    { $kind ->
        [events] events
        [animals] animals
        [productivity] productivity
        [genomics] genomics
       *[other] { $kind }
    }

package-fault =
    { $code ->
        [internal] the server has a fault, which its operators see
        [no-sender] the user who sent it is gone or blocked
        [no-file] the package has no file
        [file-too-large] the file is too large
        [unpacks-too-large] the file unpacks to more than is read
        [packed-too-much] the file is packed so tightly that it is not unpacked
        [no-table] the file is no table
        [unsupported-form] files of this form are not read
        [password] the file is locked by a password
        [broken] the file is damaged
        [truncated] the file ends too early
        [entities] the file declares entities, which are not read
        [too-many-sheets] the file has too many sheets
        [no-sheet] the file has no sheet
        [too-many-columns] a row has too many columns
        [too-many-rows] the file has too many rows
        [cell-too-long] a cell is too long
        [too-many-texts] the file has too many texts
        [rows-out-of-order] rows of the file do not ascend
        [wrong-encoding] the encoding of the file is in doubt, or lacks some of its bytes
        [quote-not-closed] a quote is not closed
        [not-json] a line is no JSON object
        [unreadable] the file could not be opened
        [no-rows] the file has no rows
        [no-header] no row of the beginning has two headings that are known
        [no-set] the columns are those of no set
        [set-unsure] the columns may be those of several sets
        [missing-columns] columns are missing that the set needs
        [body-not-xml] the file is no XML that can be read
        [body-not-json] the file is no JSON that can be read
       *[other] it cannot be read as it is
    }

in-days =
    { $days ->
        [0] today
        [1] tomorrow
       *[other] in { $days } days
    }

remark =
    { $remarked ->
        [no] {""}
       *[yes] Remark: { $comment }
    }

movements =
    { $count ->
        [one] a movement
       *[other] { $count } movements
    }

access-requests =
    { $count ->
        [one] a request
       *[other] { $count } requests
    }

document-number =
    { $numbered ->
        [no] {""}
       *[yes] Number: { $number }
    }

# Certificates: members of the snapshot, words of the book, sentences of the pages and of the PDF.
certificate-zootechnicalCertificate = Zootechnical certificate
certificate-pedigreeCertificate = Pedigree certificate
certificate-number = Number
certificate-issuedAt = Issued
certificate-identNumber = Animal number
certificate-name = Name
certificate-nameLatin = Name in Latin letters
certificate-registrationNumber = Number in the herd book
certificate-sex = Sex
certificate-female = female
certificate-male = male
certificate-birthDate = Birth date
certificate-birthYear = Born
certificate-breed = Breed
certificate-breedType = Type within the breed
certificate-bloodPercent = Holstein blood, %
certificate-improvers = Improving breeds
certificate-coatColor = Coat colour
certificate-trustLevel = Trust level
certificate-owner = Owner
certificate-breeder = Breeder
certificate-unsm = Marking number
certificate-isoId = ISO 11784 number
certificate-internationalId = International number
certificate-earTag = Ear tag
certificate-inventoryNumber = Inventory number
certificate-chipNumber = Electronic identifier
certificate-gpkMark = Mark of the State Herd Book
certificate-gpkNumber = Number in the State Herd Book
certificate-originCountry = Country of first registration
certificate-originNumber = Number in that country
certificate-animal = Animal
certificate-pedigree = Pedigree
certificate-place = Place
certificate-lactation = Best lactation
certificate-lactations = Lactations
certificate-calvingDate = Calving
certificate-dd = Days
certificate-milkYield = Milk, kg
certificate-fatKg = Fat, kg
certificate-proteinKg = Protein, kg
certificate-milk305 = Milk 305 days, kg
certificate-fat305 = Fat 305 days, %
certificate-protein305 = Protein 305 days, %
certificate-yieldMethod = Method of computing
certificate-standardCurves = standard curves
certificate-index = Index of breeding value
certificate-value = Value
certificate-date = Date
certificate-reliability = Reliability, %
certificate-percentile = Percentile
certificate-center = Evaluation centre
certificate-base = Base
certificate-exterior = Exterior
certificate-assessedAt = Assessed
certificate-finalScore = Final score
certificate-finalClass = Class
certificate-generalView = General view
certificate-bodyVolume = Body
certificate-dairyCharacter = Dairy character
certificate-legQuality = Legs
certificate-udderQuality = Udder
certificate-rearBody = Rear part of the body
certificate-parentage = Parentage tests
certificate-parents = Parents by genetic tests
certificate-father = Father
certificate-mother = Mother
certificate-confirmed = confirmed
certificate-declared = declared
certificate-excluded = excluded
certificate-unknown = unknown
certificate-type = Kind
certificate-test = Test
certificate-laboratory = Laboratory
certificate-method = Compared with
certificate-byOM = both parents
certificate-byO = father
certificate-byM = mother
certificate-verdict = Verdict
certificate-certificateNumber = Genetic certificate
certificate-certificateDate = of
certificate-check = Check of a certificate
certificate-code = Code
certificate-submit = Check
certificate-ask-code = Enter the code that stands on the certificate beside the number.
certificate-wrong-code = There is no certificate with this code.
certificate-no-certificate = There is no certificate with this number.
certificate-valid = This certificate is valid.
certificate-revoked = This certificate was revoked.
certificate-revokedAt = Revoked
certificate-reason = Reason
certificate-paper = On the certificate
certificate-book = In the book now
certificate-certificate = Certificate
certificate-differences = Differences from the book
certificate-no-differences = Nothing of this differs from the book today.
certificate-not-in-book = The animal is not in the book any more.
certificate-not-kept = The content of this certificate was not stored when it was issued, so it cannot be compared.
certificate-nothing = not stated
certificate-compare = Compare the following with the paper before you.
certificate-ancestor-2 = Father
certificate-ancestor-3 = Mother
certificate-issuer = Issued by
certificate-signatory = Signature
certificate-seal = Place for the seal
certificate-check-at = Anybody can check this certificate at
certificate-altIds = Other numbers
certificate-share = Share, %
certificate-code-is = with the code
certificate-row = Row
certificate-short-number = Lact. { $value }
certificate-short-milk = { $value } kg
certificate-short-fat = fat { $value } %
certificate-short-protein = protein { $value } %
certificate-short-index = Index { $value }
certificate-short-nobody = not known

# Sheets of paper.
paper-page = Page
paper-of = of

# The card of a record for print.
card-title = { $what }: card
card-address = The page of this record: { $address }
card-note = Made on { $date } of what is open to the reader who asked for it.

# The protocol of a package: labels, and the words of the model.

protocol-farm = Farm
protocol-kind = Kind
protocol-dataset = Data set
protocol-period = Period
protocol-state = State
protocol-sent-by = Sent by
protocol-sent-at = Sent at
protocol-file-hash = SHA-256 of the file
protocol-checked-by = Checked by
protocol-checked-at = Checked at
protocol-agreed-at = Farm agreed at
protocol-accepted-at = Accepted at
protocol-rows-of-file = Rows of the file
protocol-rows-created = Rows that made records
protocol-rows-updated = Rows that changed records
protocol-rows-skipped = Rows that were skipped
protocol-rows-held = Rows that are held
protocol-checks = Checks
protocol-columns-unconfirmed = Columns to be confirmed
protocol-rows-mended = Rows of which cells were mended since the file was sent
protocol-rows-judged = Rows that were looked at
protocol-rows-accepted = Rows without objection
protocol-rows-rejected = Rows that were objected to
protocol-remark = Remark
protocol-signed-by = Signed by
protocol-signed-at = Signed at
protocol-rows = Rows
protocol-rows-hash = SHA-256 of the rows
protocol-algorithm = Algorithm
protocol-key = Key
protocol-signature = Signature
protocol-title = Protocol of package { $number }
protocol-intake = Intake
protocol-review = Review
protocol-findings = Findings of the review
protocol-steps = Steps
protocol-animal = Animal
protocol-field = Field
protocol-severity = Severity
protocol-finding = Finding
protocol-time = Time
protocol-person = Person
protocol-none = None.
protocol-word-uploaded = uploaded
protocol-word-checking = checking
protocol-word-checked = checked
protocol-word-accepted = accepted
protocol-word-rejected = rejected
protocol-word-running = are still being made
protocol-word-fix = fix
protocol-word-note = note
protocol-word-events = events
protocol-word-animals = animals
protocol-word-productivity = productivity
protocol-word-genomics = genomics

# Workbooks of mating plans.

mating-plan = Mating plan
    .females = Females
    .exclusions = Exclusions
    .bulls = Bulls
    .female-identNumber = Female: number
    .female-name = Female: name
    .bull-identNumber = Bull: number
    .bull-name = Bull: name
    .expectedValue = Expected value
    .expectedInbreeding = Expected inbreeding, %
    .alternative = Alternative { $number }: { $what }
    .reason = Reason
    .carriers = Carried by both
    .uses = Females served
    .limit = Females at most
    .meanKinship = Mean kinship with the females

mating-reason = Reason
    .inbreeding = Inbreeding above the limit
    .carriers = Carriers of the same
    .all-excluded = Every bull is excluded
    .none-left = The bulls serve others
    .no-value = No value for the goal
    .no-doses = No doses
    .not-fertile = Does not breed (sex status)
    .not-alive = Left the herd
    .not-female = This is no female
    .not-male = This is no male

# Work lists of a herd, and the numbers that they go by.

work-title = Work lists
work-more = { $count } more
work-none = Nothing to do: { $lists }

work-dryOff = To dry off
    .rule = In milk, the expected calving within { $count } { $count ->
        [one] day
       *[other] days
    }
    .due = Dry off on
work-calving = Expected calvings
    .rule = The expected calving within { $count } { $count ->
        [one] day
       *[other] days
    }
    .due = Expected on
work-pregnancyCheck = Pregnancy checks
    .rule = Served { $count } { $count ->
        [one] day
       *[other] days
    } ago or earlier, without a result
    .due = To check since
work-open = Open too long
    .rule = Not in calf and not waiting for a check, { $count } { $count ->
        [one] day
       *[other] days
    } after calving or more
    .due = Too long since
work-repeat = Repeat breeders
    .rule = Not known to be in calf after { $count } { $count ->
        [one] service
       *[other] services
    } or more
    .due = Last service
work-cells = High cell counts
    .rule = Above { $count } thousand/ml on the last test day with cells
    .due = Test day
work-noTest = Without a test day
    .rule = In milk, without a test day for { $count } { $count ->
        [one] day
       *[other] days
    }
    .due = Test day by
work-milkWithdrawal = Milk withheld
    .rule = Up to the last day on which milk is not delivered
    .due = Until
work-meatWithdrawal = Meat withheld
    .rule = Up to the last day on which the animal is not slaughtered
    .due = Until

# The demonstration

demo-book = Holstein Herd Book
demo-association = Holstein Cattle Association
demo-signatory = Maria Smirnova, head of the herd book
demo-note = Demonstration: all records are made up
demo-text = About the demonstration
    .whole = This book shows what the program does. Its farms, people and animals are made up, nobody is behind its addresses, and its certificates certify nothing.
