//! The gallery of an animal: pictures and films that the Association approves before
//! others see them (docs/states.md, *animal-gallery · moderation*).

use crate::collections::dictionaries::codes::PICTURES_AND_FILMS;
use crate::collections::documents::pictures;
use crate::collections::events::measures::FARTHEST_PLACE;
use crate::collections::hooks::hooks;
use model::registry::{
    Access, Assignee, Capability, Collection, Decl, Move, Rule, Scope, States, Who, Writer, boolean, day, fields, int,
    moves, relation, select, text,
};

pub(crate) fn animal_gallery() -> Collection {
    let scope = Scope::Origin;
    let access = Access::read(Rule::Event { scope, card: true })
        .card_when("moderation=approved")
        .write(Rule::Own(Capability::Data))
        .write_subjects(&["animal.owner"]);
    Collection::new("animal-gallery", access, fields())
        .singular("Gallery Item")
        .sort("sortOrder")
        .animal("animal")
        .file("media")
        .stock_of("animal", "owner")
        .states(moderation())
        .waits(Assignee::Association, "moderation", &["pending"])
        .hooks(Behaviour)
        .index(&["animal", "sortOrder"])
        .doc("Pictures and films of animals.")
}

fn moderation() -> States {
    let judged = |to| Move::new(&["pending"], to).by(Who::Association);
    moves![States::of("moderation");
        judged("approved") => "The file is open to everybody while the animal's card is.",
        judged("rejected").grave() => "Only the owner and organisations with a grant see the file.",
        Move::new(&["approved", "rejected"], "pending").by(Who::System)
            => "The item shows another file than the one that was judged. Others do not see it.",
    ]
}

fn fields() -> Vec<Decl> {
    fields![
        relation("animal", "animals").required().cascade() => "The animal that is shown.",
        relation("media", "media").required().among("mimeType", PICTURES_AND_FILMS) => "The file.",
        select("kind", "photo|video").server() => "Kind of the file.",
        select("view", "sideLeft|sideRight|front|rear|udder|head|other").default("other") => "View of the animal.",
        day("takenOn") => "Day on which it was taken.",
        text("credit") => "Person who took it.",
        text("caption") => "Text shown below it.",
        int("sortOrder").range(-FARTHEST_PLACE, FARTHEST_PLACE).default(100)
            => "Place among the others, low first.",
        boolean("isMain").server().default(false) => "Whether it is the animal's photo.",
        select("moderation", "pending|approved|rejected").default("pending").indexed().writer(Writer::Association)
            => "Whether others may see it.",
    ]
}

hooks!(Behaviour {
    check(context, drafts) {
        pictures::check_gallery(context, drafts).await
    }
    effects(context, changes) {
        pictures::gallery_changed(context, changes).await
    }
});
