//! Queries and mutations.

use super::super::name::{Names, plain, words};
use super::output::{SORT, words_below};
use super::{MUTATION, Model, Object, OutputField, QUERY, Root, Verb, What, access, input, type_of};
use model::registry::{Collection, Kind, Registry, Verb as Right};

impl Model {
    pub(super) fn roots(&mut self, c: &'static Collection, names: &Names) {
        let Names { one, many } = names;
        let (single, plural) = (&c.singular, &c.plural);
        let doc = format!("One record of {plural}.");
        self.query(c, one, one, Verb::ById, doc).id().switches();
        let doc = format!("A page of {plural}.");
        self.query(c, many, many, Verb::List, doc)
            .conditions(one)
            .arg("limit", "Int", "Records of a page, 10 unless given; 0: all.")
            .arg("page", "Int", "The page, from 1.")
            .arg("pagination", "Boolean", "`false`: all records, without counting them.")
            .arg("first", "Int", "The same as `limit`.")
            .arg("after", "String", "The `endCursor` of an earlier page; `page` means nothing then.")
            .switches();
        let name = format!("count{many}");
        let doc = format!("How many {plural} there are.");
        self.query(c, &name, &name, Verb::Count, doc).conditions(one).switches();
        let ty = access::of_document(c);
        let doc = format!("What you may do with a record of {plural}.");
        self.query(c, &format!("docAccess{one}"), &ty, Verb::DocAccess, doc).id();
        self.changes(c, names);
        if c.auth {
            self.accounts(c, single, names);
        }
    }

    /// The changes of a collection that any caller may ever ask for.
    fn changes(&mut self, c: &'static Collection, names: &Names) {
        let one = &names.one;
        let plural = &c.plural;
        let (whole, part) = (input::body(one), input::body(&format!("{one}Update")));
        if input::makes(c) {
            let doc = format!("Creates a record of {plural}.");
            self.mutation(c, "create", one, Verb::Create, doc).data(&whole, true).draft();
            let doc = format!("Copies a record of {plural}; `data` overrides its fields.");
            self.mutation(c, "duplicate", one, Verb::Duplicate, doc).id().data(&part, false).draft();
        }
        if c.access.opens(Right::Update) {
            let doc = format!("Changes a record of {plural}.");
            self.mutation(c, "update", one, Verb::Update, doc).id().data(&part, true).draft();
            self.many(c, names, Verb::UpdateMany);
            for action in &c.actions {
                let name = words_below(&words(action.name));
                let doc = action.doc.to_owned();
                self.mutation(c, &name, one, Verb::Act(action.name), doc).id();
            }
        }
        if c.access.opens(Right::Delete) {
            let doc = format!("Deletes a record of {plural}, and returns it as it was.");
            self.mutation(c, "delete", one, Verb::Delete, doc).id();
            self.many(c, names, Verb::DeleteMany);
        }
    }

    /// A change, or a deletion, of all records that fulfil a condition.
    fn many(&mut self, c: &'static Collection, Names { one, many }: &Names, verb: Verb) {
        let changes = verb == Verb::UpdateMany;
        let (word, what) = match changes {
            true => ("update", "Changes"),
            false => ("delete", "Deletes"),
        };
        let plural = &c.plural;
        let doc = format!(
            "{what} all {plural} that fulfil a condition and that you may write; each is written independently of the others."
        );
        let ty = format!("{many}_Many");
        let out = self.operation(MUTATION, &format!("{word}{many}"), &ty, (c, verb), doc);
        out.arg("where", &format!("{one}_where!"), "Which records; there must be a condition.");
        if changes {
            out.data(&input::body(&format!("{one}Update")), true);
        }
        out.arg("limit", "Int", "At most this number; 0: all.");
        out.arg("sort", "String", SORT);
    }

    fn accounts(&mut self, c: &'static Collection, single: &str, names: &Names) {
        let one = &names.one;
        let slug = plain(c.slug);
        let ty = |suffix: &str| format!("{slug}{suffix}");
        let refreshed = format!("Refreshed{one}");
        self.account_types(c, &slug, one);
        let doc = format!("Who you are; all of it is null unless you are signed in as {single}.");
        let me = format!("{slug}Me");
        self.query(c, &format!("me{one}"), &me, Verb::Me, doc);
        let doc = "Whether there is any account.".to_owned();
        let name = format!("initialized{one}");
        self.query(c, &name, "Boolean", Verb::Initialized, doc);
        let changes = [
            (
                ("login", Verb::Login, ty("LoginResult")),
                "Signs in, and sets the cookie; `code` is a code of the second factor, where that is on.",
                vec![("email", "String", ""), ("password", "String", ""), ("code", "String", "")],
            ),
            (
                ("logout", Verb::Logout, "String".to_owned()),
                "Ends this sign-in.",
                vec![("allSessions", "Boolean", "Ends all sign-ins of this account.")],
            ),
            (("refreshToken", Verb::Refresh, ty(&refreshed)), "A new token for this sign-in.", Vec::new()),
            (
                ("forgotPassword", Verb::Forgot, "Boolean!".to_owned()),
                "Sends an email with a token for a new password, if there is such an account.",
                vec![
                    ("email", "String!", ""),
                    ("disableEmail", "Boolean", "Passed over."),
                    ("expiration", "Int", "Passed over."),
                ],
            ),
            (
                ("resetPassword", Verb::Reset, ty("ResetPassword")),
                "Sets a new password by the token of an email.",
                vec![("token", "String", ""), ("password", "String", ""), ("code", "String", "")],
            ),
            (
                ("unlock", Verb::Unlock, "Boolean!".to_owned()),
                "Opens a locked account.",
                vec![("email", "String!", "")],
            ),
            (
                ("verifyEmail", Verb::Verify, "Boolean".to_owned()),
                "Proves an address by the token of an email.",
                vec![("token", "String", "")],
            ),
        ];
        for ((word, verb, answer), doc, args) in changes {
            let out = self.mutation(c, word, one, verb, doc.to_owned());
            out.ty = type_of(&answer);
            for (name, ty, doc) in args {
                out.arg(name, ty, doc);
            }
        }
    }

    fn account_types(&mut self, c: &'static Collection, slug: &str, one: &str) {
        let (token, exp) = (("token", "String"), ("exp", "Int"));
        let strategy = ("strategy", "String");
        let collection = ("collection", "String");
        let user = ("user", one);
        let jwt = format!("{slug}JWT");
        let fresh = ("refreshedToken", "String");
        let refreshed = format!("Refreshed{one}");
        for (name, fields) in [
            ("Me", vec![collection, exp, strategy, token, user]),
            ("LoginResult", vec![exp, token, user]),
            (refreshed.as_str(), vec![exp, fresh, strategy, ("user", jwt.as_str())]),
            ("ResetPassword", vec![token, user]),
        ] {
            let object = self.object(&format!("{slug}{name}"), "");
            for (field, ty) in fields {
                let what = match field {
                    "user" if ty == jwt => What::Group,
                    "user" => What::One,
                    _ => What::Value,
                };
                object.add(field, ty, what, "");
            }
        }
        let mut object = Object { doc: "Content of a token.".to_owned(), ..Object::default() };
        object.values([("email", "EmailAddress!", ""), ("collection", "String!", "")]);
        if let Some(role) = c.field("role") {
            match &role.kind {
                Kind::Select(options) => {
                    let name = format!("{jwt}_role");
                    self.options(&name, options, role.doc);
                    object.add("role", &name, What::Choice(options), role.doc);
                }
                _ => object.values([("role", "String", role.doc)]),
            }
        }
        self.objects.insert(jwt, object);
    }

    /// What is about no single collection.
    pub(super) fn common_roots(&mut self, registry: &'static Registry) {
        let mut object = Object { doc: "What you may do.".to_owned(), ..Object::default() };
        object.values([("canAccessAdmin", "Boolean", "Whether you are of the Association.")]);
        for c in registry.iter() {
            let doc = format!("With {}.", c.plural);
            object.add(&plain(c.slug), &access::of_collection(c), What::Group, doc).key = c.slug.to_owned();
        }
        self.objects.insert("Access".to_owned(), object);
        let root = Root { verb: Verb::Access, collection: None };
        let doc = "What you may do, by collection; conditions are in words of `where`.";
        if let Some(query) = self.objects.get_mut(QUERY) {
            query.add("Access", "Access", What::Root(root), doc);
        }
    }

    fn query(&mut self, c: &'static Collection, name: &str, ty: &str, verb: Verb, doc: String) -> &mut OutputField {
        self.operation(QUERY, name, ty, (c, verb), doc)
    }

    fn mutation(&mut self, c: &'static Collection, word: &str, one: &str, verb: Verb, doc: String) -> &mut OutputField {
        self.operation(MUTATION, &format!("{word}{one}"), one, (c, verb), doc)
    }

    fn operation(
        &mut self,
        of: &str,
        name: &str,
        ty: &str,
        (c, verb): (&'static Collection, Verb),
        doc: String,
    ) -> &mut OutputField {
        let root = Root { verb, collection: Some(c) };
        let object = self.objects.entry(of.to_owned()).or_default();
        object.add(name, ty, What::Root(root), doc)
    }
}

impl OutputField {
    fn id(&mut self) -> &mut Self {
        self.arg("id", "Int!", "The record.")
    }

    fn data(&mut self, input: &str, required: bool) -> &mut Self {
        let mark = if required { "!" } else { "" };
        self.arg("data", &format!("{input}{mark}"), "The fields.")
    }

    fn conditions(&mut self, one: &str) -> &mut Self {
        self.arg("where", &format!("{one}_where"), "Which records.").arg("sort", "String", SORT)
    }

    /// What clients of the dialect may send and nothing here depends on.
    fn switches(&mut self) -> &mut Self {
        for name in ["draft", "select", "trash"] {
            self.arg(name, "Boolean", "Passed over.");
        }
        self
    }

    fn draft(&mut self) -> &mut Self {
        self.arg("draft", "Boolean", "Passed over.")
    }
}
