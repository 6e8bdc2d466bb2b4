//! The tables of the current schema as PostgreSQL reports them.

use super::Catalogue;

pub(super) const CATALOGUE: Catalogue = Catalogue {
    columns: "
SELECT t.relname::text, a.attname::text, format_type(a.atttypid, a.atttypmod), a.attnotnull,
    coalesce(array_position(k.conkey, a.attnum), 0)::bigint,
    a.attgenerated <> '' OR a.attidentity <> ''
FROM pg_class t
JOIN pg_namespace n ON n.oid = t.relnamespace AND n.nspname = current_schema()
JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum > 0 AND NOT a.attisdropped
LEFT JOIN pg_constraint k ON k.conrelid = t.oid AND k.contype = 'p'
WHERE t.relkind IN ('r', 'p')
ORDER BY t.relname, a.attnum",

    foreign_keys: "
SELECT t.relname::text, k.conname::text,
    (SELECT string_agg(a.attname, ', ' ORDER BY p.place)
        FROM unnest(k.conkey) WITH ORDINALITY AS p(number, place)
        JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = p.number),
    o.relname::text,
    CASE k.confdeltype WHEN 'a' THEN 'NO ACTION' WHEN 'n' THEN 'SET NULL' WHEN 'c' THEN 'CASCADE'
        WHEN 'r' THEN 'RESTRICT' ELSE 'SET DEFAULT' END
    || CASE WHEN k.confupdtype <> 'a' THEN ' with an action ON UPDATE' ELSE '' END
    || CASE WHEN NOT k.condeferrable THEN ' NOT DEFERRABLE' ELSE '' END
    || CASE WHEN k.condeferred THEN ' INITIALLY DEFERRED' ELSE '' END
    || CASE WHEN NOT k.convalidated THEN ' NOT VALID' ELSE '' END
FROM pg_constraint k
JOIN pg_class t ON t.oid = k.conrelid
JOIN pg_class o ON o.oid = k.confrelid
JOIN pg_namespace n ON n.oid = t.relnamespace AND n.nspname = current_schema()
WHERE k.contype = 'f'
ORDER BY t.relname, k.conname",

    // Indexes over trigrams are a choice of the operator.
    indexes: "
SELECT t.relname::text, i.relname::text, x.indisunique, a.attname::text,
    (x.indoption[p.place - 1] & 1) = 1,
    m.amname <> 'btree' OR NOT x.indisvalid OR x.indnatts <> x.indnkeyatts
    OR coalesce(pg_get_expr(x.indpred, x.indrelid) <> '(' || quote_ident(a.attname) || ' IS NOT NULL)', false),
    x.indpred IS NOT NULL
FROM pg_index x
JOIN pg_class i ON i.oid = x.indexrelid
JOIN pg_class t ON t.oid = x.indrelid AND t.relkind IN ('r', 'p')
JOIN pg_am m ON m.oid = i.relam
JOIN pg_namespace n ON n.oid = t.relnamespace AND n.nspname = current_schema()
CROSS JOIN generate_series(1, x.indnkeyatts) AS p(place)
LEFT JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = x.indkey[p.place - 1]
WHERE NOT x.indisprimary AND NOT (m.amname = 'gin' AND i.relname LIKE '%\\_trgm')
ORDER BY t.relname, i.relname, p.place",

    triggers: "
SELECT t.relname::text, g.tgname::text
FROM pg_trigger g
JOIN pg_class t ON t.oid = g.tgrelid
JOIN pg_namespace n ON n.oid = t.relnamespace AND n.nspname = current_schema()
WHERE NOT g.tgisinternal AND g.tgenabled <> 'D'",
};

/// The short word for a type that PostgreSQL writes out.
pub(super) fn column_type(word: &str) -> String {
    match word {
        "timestamp with time zone" => "timestamptz".to_owned(),
        other => other.to_owned(),
    }
}
