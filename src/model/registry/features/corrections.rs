//! Fields of requests by which farms ask for values of locked fields of the rows that they are about.

/// The organisation that makes a request.
pub const BY: &str = "organization";
/// The list of the rows that a request is about.
pub const ABOUT: &str = "animals";
/// The rows with one proposed value each.
pub const PROPOSED: &str = "proposed";
/// Members of a proposed value: the row, the path of its field, the value.
pub const MEMBERS: [&str; 3] = ["animal", "path", "value"];
/// The kind of a request.
pub const KIND: &str = "purpose";
/// The kind that corrects.
pub const CORRECTION: &str = "correction";
/// The kind whose rows shall get certificates.
pub const CERTIFICATE: &str = "certificate";
pub const STATE: &str = "status";
/// The states in which it is not decided yet. A new request whose rows include all rows of such a one takes its place.
pub const OPEN: [&str; 2] = ["new", "checking"];
/// The state in which it was approved.
pub const APPROVED: &str = "approved";
/// The state in which it was decided against.
pub const DECLINED: &str = "rejected";
/// How many of its rows the decision lets through, and how many it holds back.
pub const COUNTS: [&str; 2] = ["review.approvedCount", "review.heldCount"];
/// The list of the rows that it holds back, with a reason each.
pub const HELD_ROWS: &str = "review.held";
/// The member of that list that is the reason.
pub const REASON: &str = "code";
/// The field by which people name it.
pub const NUMBER: &str = "number";
