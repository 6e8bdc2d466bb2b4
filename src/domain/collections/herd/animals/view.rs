//! Typed view of an animal, and the slots that hooks use.

use crate::collections::slots::slots;
use crate::derive::lactation::Summary;
use model::record::Record;
use model::registry::Draft;

slots!(Slots of "animals" {
    uuid, ident: "identNumber", format: "idFormat", name, name_latin: "nameLatin", sex, birth: "birthDate",
    breed, age_group: "ageGroup", age_group_date: "ageGroupDate", age_group_computed: "ageGroupComputed",
    owner, herd, photo, public_visible: "publicVisible", public_details: "publicDetails",
    international: "altIds.internationalId", origin_country: "altIds.originCountry",
    origin_number: "altIds.originNumber", iso_id: "altIds.isoId", ear_tag: "altIds.earTag",
    inventory: "altIds.inventoryNumber", chip: "altIds.chipNumber", gpk: "altIds.gpkNumber",
    share1: "improvers.share1", share2: "improvers.share2", disputed, father, mother,
    text_father: "pedigreeText.fatherId", text_father_name: "pedigreeText.fatherName",
    text_mother: "pedigreeText.motherId", text_mother_name: "pedigreeText.motherName", dna_tests: "dnaTests",
    father_status: "parentStatus.father", mother_status: "parentStatus.mother", inbreeding,
    needs_approval: "inbreedingNeedsApproval", depth: "pedigreeDepth", state, disposal_date: "disposalDate",
    disposal_reason: "disposalReason", disposal_organization: "disposalOrganization",
    past_owners: "pastOwners", arrival: "arrivalDate", previous: "previousOrganization",
    entry_owner: "entry.owner", entry_herd: "entry.herd", entry_arrival: "entry.arrivalDate",
    entry_previous: "entry.previousOrganization", lactations, reported: "reportedLactations", sums: "testSums",
    dry_test: "dryTest", milk: "summary.milkYield", fat_percent: "summary.fatPercent",
    protein_percent: "summary.proteinPercent", fat_kg: "summary.fatKg", protein_kg: "summary.proteinKg",
    fat_protein: "summary.fatProteinSum", milk_rank: "summary.milkRank", parity: "current.parity",
    first_calving_age: "current.ageAtFirstCalving", days_in_milk: "current.daysInMilk", last_calving: "current.lastCalvingDate",
    last_insemination: "current.lastInseminationDate", last_dry_off: "current.lastDryOffDate",
    expected_calving: "current.expectedCalvingDate", lactation_status: "current.lactationStatus",
    reproduction_status: "current.reproductionStatus", health_status: "current.healthStatus",
    services: "current.services", last_test: "current.lastTestDate", last_cells: "current.lastCells",
    cells_at: "current.lastCellsDate", milk_withheld: "current.milkWithdrawalUntil",
    meat_withheld: "current.meatWithdrawalUntil",
    trust: "trustLevel", category, registration: "registration.status",
    registration_number: "registration.number", archived_at: "archivedAt", archived_by: "archivedBy",
    archive_reason: "archiveReason", author, merged: "mergedInto", merger: "mergerKept",
    edit_user: "lastEditUser", edit_time: "lastEditTime", birth_org: "birthOrg",
    birth_source: "birthAde.source", birth_source_id: "birthAde.sourceId", birth_extra: "birthAdeExtra",
});

/// The trust level from which on what is said of the animal is not its owner's word alone.
const CONFIRMED: i64 = 2;

/// An animal's row.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Animal<'a>(pub(in crate::collections) &'a Record);

impl<'a> Animal<'a> {
    /// A relation.
    pub(crate) fn link(self, slot: usize) -> Option<i64> {
        self.0.get(slot).int()
    }
    /// Name and number, as people call it.
    pub(crate) fn called(self) -> Option<String> {
        let s = Slots::get();
        let words: Vec<&str> = [s.name, s.ident].into_iter().filter_map(|slot| self.0.get(slot).text()).collect();
        (!words.is_empty()).then(|| words.join(" "))
    }
    /// Female at birth.
    pub(crate) fn female(self) -> bool {
        self.0.get(Slots::get().sex).text() != Some("male")
    }
    /// The Association or a laboratory confirmed it.
    pub(crate) fn confirmed(self) -> bool {
        let level = self.0.get(Slots::get().trust).int();
        level.is_some_and(|level| level >= CONFIRMED)
    }
    /// Its card is open to everybody.
    pub(crate) fn card(self) -> bool {
        let s = Slots::get();
        self.0.get(s.public_visible).truth() && self.0.get(s.public_details).truth()
    }
    /// Born at, epoch milliseconds.
    pub(crate) fn birth(self) -> Option<i64> {
        self.0.get(Slots::get().birth).time()
    }
    /// State; alive unless it left.
    pub(crate) fn state(self) -> &'a str {
        self.0.get(Slots::get().state).text().unwrap_or("alive")
    }
    /// When it left.
    pub(crate) fn disposal(self) -> Option<i64> {
        let left = self.state() != "alive";
        self.0.get(Slots::get().disposal_date).time().filter(|_| left)
    }
    /// Father and mother.
    pub(crate) fn parents(self) -> (Option<i64>, Option<i64>) {
        let s = Slots::get();
        (self.link(s.father), self.link(s.mother))
    }
    /// The shown summary.
    pub(crate) fn summary(self) -> Summary {
        let s = Slots::get();
        let number = |slot| self.0.get(slot).num();
        Summary {
            milk_yield: number(s.milk),
            fat_percent: number(s.fat_percent),
            protein_percent: number(s.protein_percent),
            fat_kg: number(s.fat_kg),
            protein_kg: number(s.protein_kg),
            fat_protein_sum: number(s.fat_protein),
        }
    }
}

pub(super) fn animal(draft: &Draft) -> Animal<'_> {
    Animal(&draft.new)
}
