//! Every key of the configuration with its default and meaning. The documentation, the
//! example file and the check for unknown keys are all made from this list.

/// A key of the configuration.
#[derive(Debug, Clone, Copy)]
pub struct Key {
    /// Dotted name: `exchange.prefix`.
    pub name: &'static str,
    /// Value unless configured, as TOML writes it; empty: none.
    pub default: &'static str,
    /// Meaning, with unit.
    pub doc: &'static str,
    /// Flag of the command line, without dashes; empty: none. The commands that take it
    /// declare it as text, under this name.
    pub flag: &'static str,
}

const fn key(name: &'static str, default: &'static str, doc: &'static str) -> Key {
    Key {
        name,
        default,
        doc,
        flag: "",
    }
}

impl Key {
    /// Name of the environment variable: `HERDBOOK_EXCHANGE_PREFIX`.
    pub fn variable(&self) -> String {
        format!("HERDBOOK_{}", self.name.replace('.', "_").to_uppercase())
    }

    /// With a flag of the command line.
    const fn flagged(self, flag: &'static str) -> Self {
        Self { flag, ..self }
    }
}

/// All keys; those without a section first, as TOML demands it.
pub const KEYS: &[Key] = &[
    key(
        "service",
        "\"herdbook\"",
        "Name of the service; the sign-in cookie is <service>-token.",
    ),
    key(
        "listen",
        "\"127.0.0.1:8080\"",
        "Address or name, and port, to listen on; port 0: any that is free.",
    )
    .flagged("listen"),
    key(
        "trusted_origins",
        "[]",
        "Web origins (https://host[:port]) whose pages may use the sign-in cookie and read answers. Empty: only pages of the service itself write by the cookie (docs/sign-in.md), and no cross-origin answers are given.",
    ),
    key(
        "log",
        "\"info\"",
        "What is logged, in the notation of tracing filters (info, herdbook=debug).",
    )
    .flagged("log"),
    key(
        "telemetry.otlp",
        "",
        "Collector of OpenTelemetry that traces are sent to (http://host:4318; OTLP over HTTP, protobuf). Empty: as OTEL_EXPORTER_OTLP_ENDPOINT says, or none. Needs a program built with the feature otlp.",
    ),
    key(
        "database.url",
        "\"sqlite:herdbook.db\"",
        "sqlite:<path> or postgres://user:password@host/database.",
    )
    .flagged("database-url"),
    key(
        "database.durability",
        "\"full\"",
        "full: a commit survives a loss of power; normal: only a crash of the process (SQLite).",
    ),
    key(
        "security.secret",
        "",
        "Secret that signs tokens: at least 32 characters, random. Required.",
    ),
    key(
        "security.previous_secret",
        "",
        "The secret before; what it signed stays valid until this is removed.",
    ),
    key(
        "security.cookie_secure",
        "",
        "Send the sign-in cookie over encrypted connections only: true or false. Empty: true where server.url begins with https.",
    ),
    key(
        "security.token_lifetime",
        "7200",
        "How long a token lasts, seconds; POST refresh-token prolongs a sign-in by as much.",
    ),
    key(
        "security.session_lifetime",
        "2592000",
        "How long a sign-in can be prolonged, seconds from its beginning; then the password is asked for again.",
    ),
    key(
        "security.second_factor",
        "\"off\"",
        "Who must have a second factor: off (nobody), association, or heads (the Association and the heads of organisations). Who lacks one may only switch one on (docs/sign-in.md).",
    ),
    key(
        "security.lock_failures",
        "5",
        "The wrong password in a row after which one waits before the next is looked at: a second, and twice as long with each further one. An address may fail ten times as often.",
    ),
    key(
        "security.lock_time",
        "600",
        "The longest such wait, seconds. A known device, or the link of a letter, enters all the same.",
    ),
    key(
        "security.password_checks",
        "2",
        "Passwords checked at the same time; each takes 19 MiB and a core.",
    ),
    key(
        "security.reset_lifetime",
        "3600",
        "How long the token of a forgotten password holds, seconds.",
    ),
    key(
        "cache.pages",
        "67108864",
        "Memory for answers that are given again while nothing that they rest on has changed, bytes; 0: none are kept.",
    ),
    key("limits.body", "10485760", "Largest request body, bytes."),
    key(
        "limits.request_time",
        "30",
        "Time until an answer must have begun, seconds.",
    ),
    key(
        "limits.drain_time",
        "10",
        "Time that running requests get at shutdown, seconds.",
    ),
    key(
        "limits.read",
        "12000",
        "Requests a minute that read, of one client: an organisation with all its users, somebody who signed in without one, or an address (docs/polling.md). An answer of which nothing is new counts a tenth, a large one more. 0: any number; so for the next three.",
    ),
    key(
        "limits.write",
        "3000",
        "Requests a minute that write, of one client.",
    ),
    key(
        "limits.bulk",
        "1200",
        "Requests a minute of one client for many records at once: batches, pushes, changes by a condition, lists without a limit.",
    ),
    key(
        "limits.sign_in",
        "120",
        "Attempts a minute to sign in, from one address and to one account, whether or not they succeed.",
    ),
    key(
        "limits.api_key",
        "50",
        "How much of its organisation's budget one API key may take, percent.",
    ),
    key(
        "limits.concurrent",
        "64",
        "Requests of one client that are under way at a time in each lane, also those that come or are read slowly; others of it wait. 0: as many as may run.",
    ),
    key(
        "limits.running",
        "",
        "Requests that are worked on at a time, in each lane (reading, writing, many records, signing in), of one client half as many, rounded up; others wait, one of each client in turn. 0: any number; empty: four for each processor where is read or signed in, 64 where is written.",
    ),
    key(
        "limits.queue_age",
        "5",
        "A request that waited for so many seconds is refused, and new ones are while the service is that late.",
    ),
    key(
        "limits.anonymous_time",
        "2000",
        "Time that one statement of a request may take the database for whoever is not signed in, milliseconds; it is stopped then. What requests took is counted on their client besides (docs/polling.md).",
    ),
    key(
        "limits.statement_time",
        "10000",
        "The same for others; also for the next row of a long answer, milliseconds.",
    ),
    key(
        "limits.bulk_time",
        "120",
        "Time that all rows of a long answer may take the database, without the time that its reader takes, seconds.",
    ),
    key(
        "limits.trusted_proxies",
        "0",
        "Proxies in front of the server. The address of a client is the one that the outermost of them noted in X-Forwarded-For or Forwarded; 0: that of the connection.",
    ),
    key(
        "limits.processes",
        "1",
        "Processes of one book among which requests are spread: each counts by itself, and allows its share.",
    ),
    key(
        "limits.connections",
        "10000",
        "Connections at a time; fewer where the process may not open as many files: a quarter of those, 64 at least, are kept for the book. One more takes the place of one that rests or has sent no whole head; where all answer something, a few more are asked for /healthz alone. 0: as many as files can be opened for.",
    ),
    key(
        "limits.connections_by_address",
        "256",
        "Connections of one address (of IPv6: of one /64) at a time, half of all at most; not counted behind proxies. 0: any number.",
    ),
    key(
        "limits.head_time",
        "10",
        "Time that the head of a request may take to come, seconds.",
    ),
    key(
        "limits.idle_time",
        "75",
        "Time that a connection may rest between two requests, seconds.",
    ),
    key(
        "limits.stall_time",
        "60",
        "A connection whose other end takes next to nothing of an answer for so many seconds is closed.",
    ),
    key(
        "limits.streams",
        "100",
        "Requests at a time on one connection of HTTP/2.",
    ),
    key(
        "limits.storage",
        "2147483648",
        "Bytes of files that one organisation may keep, smaller pictures included; somebody without one a tenth. The Association sets it otherwise for single ones (quotas); GET /api/usage tells how much is kept. 0: any number; so for the next two.",
    ),
    key(
        "limits.files",
        "10000",
        "Files that one organisation may keep; somebody without one a tenth.",
    ),
    key(
        "limits.records",
        "2000",
        "Rows that one organisation may keep of each collection that grows by its own doing alone (saved-searches, share-links, webhooks and the like, docs/writing.md); somebody without one a tenth.",
    ),
    key(
        "limits.free_disk",
        "268435456",
        "Bytes that have to stay free on the disk of files, and of an embedded database: with less uploads are answered 507, before the book is in danger. 0: all of it may be filled.",
    ),
    key(
        "media.dir",
        "",
        "Folder of uploaded files, shared by all processes of a book. Empty: media beside the embedded database, or in the working folder.",
    ),
    key(
        "media.upload_time",
        "900",
        "Time that an upload may take until its answer begins, seconds.",
    ),
    key(
        "server.url",
        "",
        "Address of the service as people see it (https://herdbook.example); links in letters begin with it. Empty: http:// and the address and port that were taken at the start.",
    ),
    key(
        "server.metrics_listen",
        "",
        "Address or name, and port, where /metrics is told, and nowhere else. Empty: where everything is, to who shows server.metrics_token, or, without a token, only while listen is an address of this machine alone and limits.trusted_proxies is 0.",
    ),
    key(
        "server.metrics_token",
        "",
        "What has to be shown at /metrics (Authorization: Bearer …): at least 16 characters.",
    ),
    key(
        "server.security_contact",
        "",
        "Whom to tell of a hole (mailto:security@herdbook.example, or https://…), for /.well-known/security.txt. Empty: there is none.",
    ),
    key(
        "mail.transport",
        "\"file\"",
        "How letters leave: file (a folder of .eml files) or smtp, which needs a program built with the feature smtp.",
    ),
    key(
        "mail.dir",
        "\"mail\"",
        "Folder of the letters of the transport file; they hold tokens.",
    ),
    key(
        "mail.from",
        "\"herdbook@localhost\"",
        "Sender of letters: an address, or Name <address>.",
    ),
    key(
        "mail.host",
        "",
        "Name of the mail server. Required for smtp.",
    ),
    key(
        "mail.port",
        "0",
        "Port of the mail server; 0: 465 for tls, 587 for starttls, 25 for none.",
    ),
    key(
        "mail.user",
        "",
        "User at the mail server; empty: without signing in.",
    ),
    key("mail.password", "", "Password at the mail server."),
    key(
        "mail.tls",
        "\"starttls\"",
        "Protection of the connection to the mail server: tls, starttls or none.",
    ),
    key(
        "mail.reset_link",
        "",
        "Page that a letter about a forgotten password points to ({url}/reset-password?token={token}); {url} is server.url. Empty: none, the letter tells the call of the API; so for the next two.",
    ),
    key(
        "mail.verify_link",
        "",
        "Page that a letter about proving an address points to.",
    ),
    key(
        "mail.invitation_link",
        "",
        "Page that an invitation points to.",
    ),
    key(
        "mail.unlock_link",
        "",
        "Page that a letter points to by which a browser becomes known whose owner waits because of others' wrong passwords.",
    ),
    key(
        "rest.depth",
        "1",
        "Levels of relations shown as documents unless asked otherwise, 0 to 10.",
    ),
    key(
        "rest.limit",
        "10",
        "Documents on a page unless asked otherwise; 0: all.",
    ),
    key(
        "rest.batch",
        "10000",
        "Most documents that one request may create.",
    ),
    key(
        "graphql.introspection",
        "true",
        "Whether GraphQL answers what is asked of its schema.",
    ),
    key(
        "graphql.depth",
        "20",
        "Levels of fields in one GraphQL query.",
    ),
    key(
        "graphql.complexity",
        "1000",
        "Complexity of one GraphQL query: each field counts 1, relations, joins and ancestors count 10.",
    ),
    key(
        "graphql.cost",
        "1000000",
        "Cost of one GraphQL query: its complexity times the records that are asked for.",
    ),
    key(
        "graphql.query",
        "131072",
        "Longest text of a GraphQL query, bytes; variables come on top.",
    ),
    key(
        "gradings.write",
        "false",
        "Farms write gradings of their own animals by the API; otherwise gradings are written by uploads and the service only.",
    ),
    key(
        "exchange.prefix",
        "\"org.herdbook\"",
        "Reverse-domain prefix of the identifier schemes of the exchange.",
    ),
    key(
        "exchange.source",
        "\"org.herdbook\"",
        "Name under which records of this book are sent out.",
    ),
    key(
        "exchange.url",
        "",
        "Address of the service as outside systems see it (https://herdbook.example); links between pages begin with it. Empty: as server.url, or else the address that the connection came to; what a request says in Host is not believed.",
    ),
    key(
        "exchange.batch",
        "10000",
        "Most resources in one batch or push.",
    ),
    key(
        "exchange.body",
        "52428800",
        "Largest body of a batch or push, bytes.",
    ),
    key(
        "exchange.async_above",
        "5000",
        "A batch of more resources is answered at once with the address where its result will stand.",
    ),
    key(
        "exchange.chunk",
        "1000",
        "Resources of a batch that share a transaction.",
    ),
    key(
        "exchange.results_kept",
        "30",
        "How long the results of batches can be read again, days.",
    ),
    key(
        "exchange.lease",
        "30",
        "After so many seconds without progress another process takes a batch over.",
    ),
    key(
        "exchange.full_sync_lease",
        "3600",
        "A full sync to which nothing is pushed for so many seconds expires, and deletes nothing.",
    ),
    key(
        "exchange.clock_tolerance",
        "300",
        "How far a sender's clock may be ahead (meta.modified), seconds; later times count as now, with a warning.",
    ),
    key(
        "exchange.tombstones_kept",
        "400",
        "How long deletions stay in the feeds, days; not less than 400.",
    ),
    key(
        "exchange.answers",
        "\"standard\"",
        "standard: answers as ICAR ADE 1.5.1 writes them; deployed: bodies of the service that this one takes over from, as with Prefer: deployed-answers.",
    ),
    key(
        "exchange.mappings",
        "",
        "Folder of mapping files laid over the built-in ones (mappings/README.md).",
    )
    .flagged("mappings"),
    key(
        "webhooks.http",
        "false",
        "Webhooks may be sent unencrypted (http), too; for tests and closed nets.",
    ),
    key(
        "webhooks.allow",
        "[]",
        "Ranges of addresses (10.1.0.0/16, fd12::/64) that webhooks are sent to although they are private, loopback or otherwise not of the public net.",
    ),
    key(
        "webhooks.interval",
        "5",
        "Least time between two messages to a webhook, seconds; changes in between are told by one.",
    ),
    key(
        "webhooks.timeout",
        "10",
        "How long a receiver may take to answer, seconds.",
    ),
    key(
        "webhooks.give_up",
        "72",
        "A webhook that no attempt reached for so many hours is switched off.",
    ),
    key(
        "webhooks.overlap",
        "24",
        "For so many hours after a signing key was exchanged messages are signed with the former one too.",
    ),
    key(
        "webhooks.log",
        "100",
        "Deliveries that are kept of each webhook.",
    ),
    key(
        "webhooks.concurrency",
        "16",
        "Messages that a process sends at the same time.",
    ),
    key(
        "webhooks.per_host",
        "2",
        "Messages that a process sends at the same time to one host.",
    ),
];
