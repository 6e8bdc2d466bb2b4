//! Ids of the rows of lists that the server writes.

/// A new id: 24 hexadecimal digits, as clients know them.
pub fn row_id() -> String {
    let mut id = uuid::Uuid::new_v4().simple().to_string();
    id.truncate(24);
    id
}
