//! Every key of the configuration with its default and meaning. The documentation, the
//! example file and the check for unknown keys are all made from this list.

#[derive(Debug, Clone, Copy)]
pub struct Key {
    /// Dotted name: `exchange.prefix`.
    pub name: &'static str,
    /// Value unless configured, as TOML writes it; empty: none.
    pub default: &'static str,
    pub doc: &'static str,
    /// Flag of the command line, without dashes; empty: none. The commands that take it
    /// declare it as text, under this name.
    pub flag: &'static str,
}

/// Keys with defaults and meanings, and where there is one the flag of the command line in brackets behind the
/// name: `keys!["log" ("log") = "\"info\"" => "Which events are logged."]`.
macro_rules! keys {
    ($($name:literal $(($flag:literal))? = $default:literal => $doc:literal,)+) => {
        &[$(Key { name: $name, default: $default, doc: $doc, flag: concat!("", $($flag)?) }),+]
    };
}

impl Key {
    /// Name of the environment variable: `HERDBOOK_EXCHANGE_PREFIX`.
    pub fn variable(&self) -> String {
        format!("HERDBOOK_{}", self.name.replace('.', "_").to_uppercase())
    }
}

/// All keys; those without a section first, as TOML demands it.
pub const KEYS: &[Key] = keys![
    "service" = "\"herdbook\"" => "Name of the service; the sign-in cookie is <service>-token.",
    "listen" ("listen") = "\"127.0.0.1:8080\"" => "Address or host name, and port, to listen on. Port 0: any free port.",
    "trusted_origins" = "[]" => "Web origins (https://host[:port]) whose pages may use the sign-in cookie, beside those of the service (docs/sign-in.md).",
    "log" ("log") = "\"info\"" => "Which events are logged, as a tracing filter (info, herdbook=debug).",
    "telemetry.otlp" = "" => "OpenTelemetry collector that traces are sent to (http://host:4318; OTLP over HTTP, protobuf). Empty: the one in OTEL_EXPORTER_OTLP_ENDPOINT, or none. Needs a program built with the feature otlp.",
    "database.url" ("database-url") = "\"sqlite:herdbook.db\"" => "sqlite:<path> or postgres://user:password@host/database.",
    "database.durability" = "\"full\"" => "SQLite only. full: a committed change survives a power loss; normal: it survives a crash of the process, but perhaps not a power loss.",
    "security.secret" = "" => "Secret that signs tokens: at least 32 characters, random. Required.",
    "security.previous_secret" = "" => "The former secret, while it is replaced; what it signed stays valid until this key is removed.",
    "security.cookie_secure" = "" => "Send the sign-in cookie over encrypted connections only: true or false. Empty: true where server.url begins with https.",
    "security.token_lifetime" = "7200" => "How long a token is valid, seconds; POST refresh-token gives another.",
    "security.session_lifetime" = "2592000" => "How long a sign-in can be prolonged, seconds from its beginning.",
    "security.second_factor" = "\"off\"" => "Who must have a second factor: off (no user), association, or heads (the Association and the heads of organisations; docs/sign-in.md).",
    "security.lock_failures" = "5" => "Number of wrong passwords in a row after which sign-in is delayed (docs/sign-in.md).",
    "security.lock_time" = "600" => "The longest such delay, seconds. A known device is not delayed.",
    "security.password_checks" = "2" => "Passwords checked at the same time; each takes 19 MiB of memory and one core.",
    "security.reset_lifetime" = "3600" => "How long the token for resetting a forgotten password is valid, seconds.",
    "cache.pages" = "67108864" => "Memory for the cache of answers, bytes. 0: no cache.",
    "cache.pedigrees" = "335544320" => "Memory for the pedigrees of the book, bytes: 64 for each animal while they are read, 32 afterwards (docs/mating.md, Kinship). They are read after the start, and again when parents were changed and somebody asked since; of a larger book only what is asked about stays. 0: nothing stays.",
    "limits.body" = "10485760" => "Largest request body, bytes.",
    "limits.request_time" = "30" => "Time within which an answer must begin, seconds.",
    "limits.drain_time" = "10" => "Time that running requests get to finish at shutdown, seconds.",
    "limits.read" = "12000" => "Read requests per minute and client (docs/polling.md, Limits). 0: no limit; the same holds for the next three keys.",
    "limits.write" = "3000" => "Write requests per minute and client.",
    "limits.bulk" = "1200" => "Requests per minute and client that concern many records at once: batches, pushes, changes by a condition, lists without a limit.",
    "limits.sign_in" = "120" => "Attempts to sign in per minute, from one IP address and to one account, successful or not; checks of certificates count with those of their address.",
    "limits.api_key" = "50" => "Share of its organisation's request limits that one API key may use, percent.",
    "limits.concurrent" = "64" => "Requests of one client that may be open at the same time in each lane, including those that are sent or read slowly. Others wait. 0: as many as limits.running.",
    "limits.running" = "" => "Requests that are processed at the same time in each lane (reading, writing, many records, signing in); of one client half as many, rounded up. Others wait, and clients take turns. 0: no limit. Empty: four per processor for reading and for signing in, 64 for writing.",
    "limits.queue_age" = "5" => "Longest time that a request waits for its turn, seconds. After that it is refused.",
    "limits.anonymous_time" = "2000" => "Longest time of one database statement for a client that is not signed in, milliseconds; then the statement is stopped.",
    "limits.statement_time" = "10000" => "Longest time of one database statement for signed-in clients, and of waiting for the next row of a long answer, milliseconds.",
    "limits.bulk_time" = "120" => "Longest database time of a whole long answer, seconds. The time that the client takes to read it does not count.",
    "limits.trusted_proxies" = "0" => "Number of proxies in front of the server. The outermost one writes the address of the client into X-Forwarded-For or Forwarded.",
    "limits.processes" = "1" => "Number of server processes that share one book; each allows its share of the limits.",
    "limits.connections" = "10000" => "Connections that are open at the same time; fewer where the process may not open so many files (a quarter of them, at least 64, are reserved for the book). 0: as many as the limit of open files allows.",
    "limits.connections_by_address" = "256" => "Connections of one IP address (IPv6: of one /64 network) at the same time; never more than half of all connections. Not counted behind proxies. 0: no limit.",
    "limits.head_time" = "10" => "Time within which the head of a request must arrive, seconds.",
    "limits.idle_time" = "75" => "Time that a connection may be idle between two requests, seconds.",
    "limits.stall_time" = "60" => "A connection is closed when the client reads almost nothing of an answer for so long, seconds.",
    "limits.streams" = "100" => "Requests at the same time on one HTTP/2 connection.",
    "limits.storage" = "2147483648" => "Storage for files of one organisation, bytes, including the smaller sizes made of pictures; of a user without an organisation a tenth (docs/writing.md, Storage limits). 0: no limit; the same holds for the next two keys.",
    "limits.files" = "10000" => "Number of files that one organisation may store.",
    "limits.records" = "2000" => "Number of rows that one organisation may store in each collection that it alone fills.",
    "limits.free_disk" = "268435456" => "Space that must stay free on the disks of uploaded files and of a SQLite database, bytes. With less, uploads are refused (507). 0: uploads may fill the disk.",
    "limits.list_rows" = "1000000" => "Rows of a list that are looked through for a condition or an order without an index, about; with more, such a list is refused (400) with the fields that have one. 0: no limit.",
    "media.dir" = "" => "Folder for uploaded files, shared by all processes of a book. Empty: the folder media beside the SQLite database, or in the working folder.",
    "media.upload_time" = "900" => "Time within which the answer to an upload must begin, seconds.",
    "server.url" = "" => "Public address of the service (https://herdbook.example); links in emails begin with it. Empty: http:// and the address and port that the server listens on.",
    "server.metrics_listen" = "" => "Separate address or host name, and port, that alone serves /metrics. Empty: the address of listen, for clients that send server.metrics_token; without a token only if listen is a loopback address and limits.trusted_proxies is 0.",
    "server.metrics_token" = "" => "Token that clients must send to read /metrics (Authorization: Bearer …): at least 16 characters.",
    "server.security_contact" = "" => "Contact for reports of security problems (mailto:security@herdbook.example, or https://…), shown in /.well-known/security.txt. Empty: there is no such file.",
    "face.name" = "" => "Name of the installation, as people read it on pages, in emails and on paper. Empty: service.",
    "face.emblem" = "" => "File of its emblem, SVG or PNG, 256 KiB and, of PNG, 2,000 pixels a side at most. What is printed as PDF has only a PNG.",
    "face.color" = "" => "Colour of links and buttons on light ground, and on paper (#1f6b3a). Its contrast with the ground is 4.5 at least. Empty: green; the same holds for the next key.",
    "face.dark_color" = "" => "The same on dark ground, for visitors whose browser asks for it.",
    "face.contacts" = "[]" => "Lines at the foot of pages and emails by which people reach the installation.",
    "face.footer" = "" => "A line below them.",
    "face.texts" = "" => "Folder of legal texts to which the foot of pages links: for each <name>.en.txt and <name>.ru.txt, a title in the first line, empty lines between paragraphs.",
    "face.issuer" = "" => "Who issues certificates. Empty: face.name.",
    "face.signatory" = "" => "Position and name of whoever signs certificates.",
    "mail.transport" = "\"file\"" => "How emails are sent: file (they are written to a folder as .eml files) or smtp, which needs a program built with the feature smtp.",
    "mail.dir" = "\"mail\"" => "Folder of the emails with mail.transport file. Keep it private: the emails contain tokens.",
    "mail.from" = "\"herdbook@localhost\"" => "Sender of emails: an address, or Name <address>.",
    "mail.host" = "" => "Name of the mail server. Required for smtp.",
    "mail.port" = "0" => "Port of the mail server; 0: 465 for tls, 587 for starttls, 25 for none.",
    "mail.user" = "" => "User name at the mail server. Empty: no authentication.",
    "mail.password" = "" => "Password at the mail server.",
    "mail.tls" = "\"starttls\"" => "Encryption of the connection to the mail server: tls, starttls or none.",
    "mail.certificates" = "" => "File of certificates (PEM) of authorities for the mail server beside the public ones.",
    "mail.reset_link" = "\"{url}/reset-password?token={token}\"" => "Page that the email about a forgotten password links to; {url} is server.url. Empty: no page, the email shows the API call instead; the same holds for the next three keys.",
    "mail.verify_link" = "\"{url}/verify-email?token={token}\"" => "Page that the email for verifying an email address links to.",
    "mail.invitation_link" = "\"{url}/invitation?token={token}\"" => "Page that an invitation email links to.",
    "mail.unlock_link" = "\"{url}/unlock?token={token}\"" => "Page that the unlock email links to.",
    "mail.language" = "\"en\"" => "Language of emails to recipients who chose none (users.language): en or ru.",
    "mail.reminders" = "\"7, 1\"" => "Days before the due date on which farms are reminded of open assignments, with commas between them. Empty: there are no reminders.",
    "rest.depth" = "1" => "Levels of relations that are answered as documents unless the request says otherwise, 0 to 10.",
    "rest.limit" = "10" => "Documents on a page unless the request says otherwise; 0: all.",
    "rest.batch" = "10000" => "Largest number of documents that one request may create.",
    "graphql.introspection" = "true" => "Whether GraphQL answers introspection queries, which ask for its schema.",
    "graphql.depth" = "20" => "Greatest depth of fields in one GraphQL query.",
    "graphql.complexity" = "1000" => "Greatest complexity of one GraphQL query: each field counts 1, relations, joins and ancestors count 10.",
    "graphql.cost" = "1000000" => "Greatest cost of one GraphQL query: its complexity times the number of records.",
    "graphql.query" = "131072" => "Longest text of a GraphQL query, bytes; variables do not count.",
    "book.time_zone" = "\"Europe/Moscow\"" => "IANA time zone of places for which neither herd nor organisation states one (docs/derived.md, Days). Set it before the book is filled: what was computed in another zone stays until the next write about the animal.",
    "book.longest_gap" = "100" => "Longest time between two test days, or from calving to the first one, that is credited in full, days (docs/derived.md, Yields). Set it before the book is filled, as book.time_zone.",
    "book.standard_curves" = "" => "File of standard lactation curves, by which days between test days are computed (docs/derived.md, Standard curves). Empty: the test-interval method. After a change run herdbook recompute.",
    "book.opening_abortion" = "210" => "Days of gestation from which on an abortion opens a lactation, where nothing is stated (docs/derived.md, Abortions).",
    "checks.hour" = "1" => "Hour (UTC) at which the checks go over the whole book each day, 0 to 23. Empty: they run on request only, and after settings of checks changed.",
    "gradings.write" = "false" => "true: farms may write gradings of their own animals through the API. false: gradings are written by uploads and by the service only.",
    "packages.replacing" = "0" => "Rows up to which a package replaces another one in one transaction, while other writes wait: some ten seconds for 20,000. Larger ones go in pieces (docs/packages.md, Replacing). 0: one transaction for all.",
    "exchange.prefix" = "\"org.herdbook\"" => "Reverse-domain prefix of the identifier schemes of the exchange.",
    "exchange.source" = "\"org.herdbook\"" => "Name of this book as the source (meta.source) of the records that it sends out.",
    "exchange.url" = "" => "Address of the service for other systems (https://herdbook.example); links between pages begin with it. Empty: server.url, or else the local address of the connection.",
    "exchange.batch" = "10000" => "Largest number of resources in one batch or push.",
    "exchange.body" = "52428800" => "Largest body of a batch or push, bytes.",
    "exchange.async_above" = "5000" => "A batch of more resources is processed in the background.",
    "exchange.chunk" = "1000" => "Number of resources of a batch that are written in one transaction.",
    "exchange.results_kept" = "30" => "How long the results of batches can be read, days.",
    "exchange.lease" = "30" => "Time without progress after which another process takes a batch over, seconds.",
    "exchange.full_sync_lease" = "3600" => "A full sync expires when nothing is pushed to it for so long, seconds. An expired full sync deletes nothing.",
    "exchange.clock_tolerance" = "300" => "How far a sender's clock may be ahead (meta.modified), seconds.",
    "exchange.tombstones_kept" = "400" => "How long deletions stay in the change feeds, days; at least 400.",
    "exchange.answers" = "\"standard\"" => "standard: answers of ICAR ADE 1.5.1; deployed: those of the former service (docs/exchange.md).",
    "exchange.mappings" ("mappings") = "" => "Folder of mapping files that add to the built-in ones or replace parts of them (mappings/README.md).",
    "webhooks.http" = "false" => "Whether webhooks may also be sent unencrypted (http), for tests and private networks.",
    "webhooks.allow" = "[]" => "Address ranges (10.1.0.0/16, fd12::/64) that webhooks may be sent to although they are private, loopback or otherwise not public.",
    "webhooks.interval" = "5" => "Shortest time between two messages to a webhook, seconds; one message covers all changes in between.",
    "webhooks.timeout" = "10" => "How long a receiver may take to answer, seconds.",
    "webhooks.give_up" = "72" => "A webhook is switched off when every attempt has failed for so long, hours.",
    "webhooks.overlap" = "24" => "How long messages are signed with the former key too after a signing key was changed, hours.",
    "webhooks.log" = "100" => "Number of deliveries of each webhook that are stored in its log.",
    "webhooks.concurrency" = "16" => "Number of messages that one process sends at the same time.",
    "webhooks.per_host" = "2" => "Number of messages that one process sends to one host at the same time.",
];
