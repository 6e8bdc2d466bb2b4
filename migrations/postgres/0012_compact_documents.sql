-- Documents name their data set, collection, type and source by numbers, and their bodies are stored
-- compressed. Bodies of before stay plain text, which is read too; `herdbook reproject` compresses
-- them.
CREATE TABLE "exchange_names" (
    "id" bigint PRIMARY KEY,
    "name" text NOT NULL
);
CREATE UNIQUE INDEX "exchange_names_name_key" ON "exchange_names" ("name");
INSERT INTO "exchange_names" ("id", "name")
SELECT row_number() OVER (ORDER BY "all_names"."name"), "all_names"."name" FROM (
    SELECT "dataset" AS "name" FROM "exchange_documents"
    UNION SELECT "collection" FROM "exchange_documents"
    UNION SELECT "resource_type" FROM "exchange_documents"
    UNION SELECT "source" FROM "exchange_documents"
) AS "all_names";
CREATE TABLE "exchange_documents_new" (
    "id" bigint PRIMARY KEY,
    "seq" bigint NOT NULL,
    "dataset" bigint NOT NULL,
    "collection" bigint NOT NULL,
    "resource_type" bigint NOT NULL,
    "source" bigint NOT NULL,
    "source_id" text NOT NULL,
    "location" bigint NOT NULL,
    "modified" bigint NOT NULL,
    "created" bigint NOT NULL,
    "event_at" bigint,
    "animal" bigint,
    "record" bigint NOT NULL,
    "deleted" boolean NOT NULL,
    "reason" text,
    "body" bytea NOT NULL,
    "wording" text
);
INSERT INTO "exchange_documents_new" ("id", "seq", "dataset", "collection", "resource_type", "source", "source_id", "location", "modified", "created", "event_at", "animal", "record", "deleted", "reason", "body", "wording")
SELECT "d"."id", "d"."seq", "a"."id", "b"."id", "c"."id", "e"."id", "d"."source_id", "d"."location", "d"."modified", "d"."created", "d"."event_at", "d"."animal", "d"."record", "d"."deleted", "d"."reason", convert_to("d"."body", 'UTF8'), "d"."wording"
FROM "exchange_documents" AS "d"
JOIN "exchange_names" AS "a" ON "a"."name" = "d"."dataset"
JOIN "exchange_names" AS "b" ON "b"."name" = "d"."collection"
JOIN "exchange_names" AS "c" ON "c"."name" = "d"."resource_type"
JOIN "exchange_names" AS "e" ON "e"."name" = "d"."source"
ORDER BY "d"."id";
DROP TABLE "exchange_documents";
ALTER TABLE "exchange_documents_new" RENAME TO "exchange_documents";
ALTER INDEX "exchange_documents_new_pkey" RENAME TO "exchange_documents_pkey";
CREATE UNIQUE INDEX "exchange_documents_seq_key" ON "exchange_documents" ("seq");
CREATE UNIQUE INDEX "exchange_documents_dataset_source_source_id_location_key" ON "exchange_documents" ("dataset", "source", "source_id", "location");
CREATE INDEX "exchange_documents_dataset_seq_idx" ON "exchange_documents" ("dataset", "seq");
CREATE INDEX "exchange_documents_location_seq_idx" ON "exchange_documents" ("location", "seq");
CREATE INDEX "exchange_documents_location_dataset_id_idx" ON "exchange_documents" ("location", "dataset", "id");
CREATE INDEX "exchange_documents_location_dataset_modified_idx" ON "exchange_documents" ("location", "dataset", "modified");
CREATE INDEX "exchange_documents_animal_dataset_idx" ON "exchange_documents" ("animal", "dataset");
CREATE INDEX "exchange_documents_dataset_record_idx" ON "exchange_documents" ("dataset", "record");
ALTER TABLE "exchange_kept" ALTER COLUMN "body" TYPE bytea USING convert_to("body", 'UTF8');
CREATE TABLE "exchange_keys_new" (
    "document" bigint NOT NULL,
    "location" bigint NOT NULL,
    "dataset" bigint NOT NULL,
    "name" text NOT NULL,
    "value" text NOT NULL,
    "at" bigint,
    PRIMARY KEY ("document", "name", "value")
);
INSERT INTO "exchange_keys_new" ("document", "location", "dataset", "name", "value", "at")
SELECT "k"."document", "k"."location", "d"."dataset", "k"."name", "k"."value", "k"."at"
FROM "exchange_keys" AS "k" JOIN "exchange_documents" AS "d" ON "d"."id" = "k"."document"
ORDER BY "k"."document", "k"."name", "k"."value";
DROP TABLE "exchange_keys";
ALTER TABLE "exchange_keys_new" RENAME TO "exchange_keys";
ALTER INDEX "exchange_keys_new_pkey" RENAME TO "exchange_keys_pkey";
CREATE INDEX "exchange_keys_location_dataset_name_value_idx" ON "exchange_keys" ("location", "dataset", "name", "value");
CREATE INDEX "exchange_keys_location_dataset_name_at_idx" ON "exchange_keys" ("location", "dataset", "name", "at");
ALTER TABLE "exchange_batch_parts"
    ALTER COLUMN "sent" TYPE bytea USING convert_to("sent", 'UTF8'),
    ALTER COLUMN "results" TYPE bytea USING convert_to("results", 'UTF8');
