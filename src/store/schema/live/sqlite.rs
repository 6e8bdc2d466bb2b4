//! The tables as SQLite reports them.

use super::Catalogue;

pub(super) const CATALOGUE: Catalogue = Catalogue {
    columns: "
SELECT m.name, x.name, x.type, x.\"notnull\", x.pk, x.hidden <> 0
FROM sqlite_schema AS m JOIN pragma_table_xinfo(m.name) AS x
WHERE m.type = 'table' AND m.name NOT GLOB 'sqlite_*'
ORDER BY m.name, x.cid",

    // A reference over several columns has several rows; none is declared so, and each
    // of them then differs. A reference that names no column means the primary key.
    foreign_keys: "
SELECT m.name, '', x.\"from\", x.\"table\",
    CASE WHEN coalesce(x.\"to\", 'id') = 'id' AND x.on_update = 'NO ACTION' AND x.seq = 0
    THEN x.on_delete
    ELSE x.on_delete || ' TO ' || coalesce(x.\"to\", '') || ' ON UPDATE ' || x.on_update END
FROM sqlite_schema AS m JOIN pragma_foreign_key_list(m.name) AS x
WHERE m.type = 'table'
ORDER BY m.name, x.id, x.seq",

    indexes: "
SELECT m.name, l.name, l.\"unique\", x.name, x.\"desc\",
    x.coll <> 'BINARY' OR (l.partial AND i.sql NOT LIKE '%) WHERE \"' || x.name || '\" IS NOT NULL'),
    l.partial
FROM sqlite_schema AS m JOIN pragma_index_list(m.name) AS l JOIN pragma_index_xinfo(l.name) AS x
    LEFT JOIN sqlite_schema AS i ON i.type = 'index' AND i.name = l.name
WHERE m.type = 'table' AND l.origin <> 'pk' AND x.key = 1
ORDER BY m.name, l.name, x.seqno",

    triggers: "
SELECT tbl_name, name FROM sqlite_schema WHERE type = 'trigger'",
};
