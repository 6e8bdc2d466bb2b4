//! The work lists of a herd (docs/pages.md, *Work lists*): which animals need something done, by their computed fields and
//! the numbers of their herd (`herds.workLists`).

use WorkTest::{Above, AtLeast, FromToday, Not, NotSince, OneOf, Until};
use model::registry::{WorkList, WorkLists, WorkTest};

/// The number by which people know an animal on its farm.
const TAG: &str = "altIds.inventoryNumber";
const EXPECTED: &str = "current.expectedCalvingDate";
const CALVED: &str = "current.lastCalvingDate";
const SERVED: &str = "current.lastInseminationDate";
const TESTED: &str = "current.lastTestDate";
const STAGE: &str = "current.lactationStatus";
const REPRODUCTION: &str = "current.reproductionStatus";
const MILK: &str = "current.milkWithdrawalUntil";
const MEAT: &str = "current.meatWithdrawalUntil";

const IN_MILK: WorkTest = OneOf(STAGE, &["fresh", "early", "lactating"]);

pub(crate) static WORK: WorkLists = WorkLists {
    group: "herd",
    zone: "timeZone",
    common: &[OneOf("state", &["alive"]), Not("archived")],
    lists: &[
        WorkList {
            name: "dryOff",
            number: Some("workLists.dryOff"),
            tests: &[IN_MILK, Until(EXPECTED, 1)],
            order: &[EXPECTED, "identNumber"],
            due: (&[EXPECTED], -1),
            columns: &["name", TAG, "herd", EXPECTED, "current.daysInMilk", "current.parity"],
        },
        WorkList {
            name: "calving",
            number: Some("workLists.calving"),
            tests: &[Until(EXPECTED, 1)],
            order: &[EXPECTED, "identNumber"],
            due: (&[EXPECTED], 0),
            columns: &["name", TAG, "herd", STAGE, "current.parity"],
        },
        WorkList {
            name: "pregnancyCheck",
            number: Some("workLists.pregnancyCheck"),
            tests: &[OneOf(REPRODUCTION, &["inseminated"]), Until(SERVED, -1)],
            order: &[SERVED, "identNumber"],
            due: (&[SERVED], 1),
            columns: &["name", TAG, "herd", SERVED, "current.services", "current.daysInMilk"],
        },
        WorkList {
            name: "open",
            number: Some("workLists.open"),
            tests: &[OneOf(REPRODUCTION, &["open", "birthed", "notPregnant"]), Until(CALVED, -1)],
            order: &[CALVED, "identNumber"],
            due: (&[CALVED], 1),
            columns: &["name", TAG, "herd", CALVED, REPRODUCTION, "current.services"],
        },
        WorkList {
            name: "repeat",
            number: Some("workLists.services"),
            tests: &[OneOf(REPRODUCTION, &["inseminated", "notPregnant"]), AtLeast("current.services")],
            order: &["-current.services", "identNumber"],
            due: (&[SERVED], 0),
            columns: &["name", TAG, "herd", "current.services", REPRODUCTION, "current.daysInMilk"],
        },
        WorkList {
            name: "cells",
            number: Some("workLists.cells"),
            tests: &[IN_MILK, Above("current.lastCells")],
            order: &["-current.lastCells", "identNumber"],
            due: (&["current.lastCellsDate"], 0),
            columns: &["name", TAG, "herd", "current.lastCells", "current.daysInMilk", "current.parity"],
        },
        WorkList {
            name: "noTest",
            number: Some("workLists.noTest"),
            tests: &[IN_MILK, Until(CALVED, -1), NotSince(TESTED)],
            order: &[TESTED, CALVED, "identNumber"],
            due: (&[TESTED, CALVED], 1),
            columns: &["name", TAG, "herd", TESTED, "current.daysInMilk"],
        },
        WorkList {
            name: "milkWithdrawal",
            number: None,
            tests: &[FromToday(MILK)],
            order: &[MILK, "identNumber"],
            due: (&[MILK], 0),
            columns: &["name", TAG, "herd", STAGE],
        },
        WorkList {
            name: "meatWithdrawal",
            number: None,
            tests: &[FromToday(MEAT)],
            order: &[MEAT, "identNumber"],
            due: (&[MEAT], 0),
            columns: &["name", TAG, "herd", STAGE],
        },
    ],
};
