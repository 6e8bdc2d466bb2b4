-- Documents name their data set, collection, type and source by numbers, and their bodies are stored
-- compressed. Bodies of before stay plain text, which is read too; `herdbook reproject` compresses
-- them.
CREATE TABLE "exchange_names" (
    "id" INTEGER PRIMARY KEY,
    "name" TEXT NOT NULL
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
    "id" INTEGER PRIMARY KEY,
    "seq" INTEGER NOT NULL,
    "dataset" INTEGER NOT NULL,
    "collection" INTEGER NOT NULL,
    "resource_type" INTEGER NOT NULL,
    "source" INTEGER NOT NULL,
    "source_id" TEXT NOT NULL,
    "location" INTEGER NOT NULL,
    "modified" INTEGER NOT NULL,
    "created" INTEGER NOT NULL,
    "event_at" INTEGER,
    "animal" INTEGER,
    "record" INTEGER NOT NULL,
    "deleted" INTEGER NOT NULL,
    "reason" TEXT,
    "body" BLOB NOT NULL,
    "wording" TEXT
);
INSERT INTO "exchange_documents_new" ("id", "seq", "dataset", "collection", "resource_type", "source", "source_id", "location", "modified", "created", "event_at", "animal", "record", "deleted", "reason", "body", "wording")
SELECT "d"."id", "d"."seq", "a"."id", "b"."id", "c"."id", "e"."id", "d"."source_id", "d"."location", "d"."modified", "d"."created", "d"."event_at", "d"."animal", "d"."record", "d"."deleted", "d"."reason", "d"."body", "d"."wording"
FROM "exchange_documents" AS "d"
JOIN "exchange_names" AS "a" ON "a"."name" = "d"."dataset"
JOIN "exchange_names" AS "b" ON "b"."name" = "d"."collection"
JOIN "exchange_names" AS "c" ON "c"."name" = "d"."resource_type"
JOIN "exchange_names" AS "e" ON "e"."name" = "d"."source"
ORDER BY "d"."id";
DROP TABLE "exchange_documents";
ALTER TABLE "exchange_documents_new" RENAME TO "exchange_documents";
CREATE UNIQUE INDEX "exchange_documents_seq_key" ON "exchange_documents" ("seq");
CREATE UNIQUE INDEX "exchange_documents_dataset_source_source_id_location_key" ON "exchange_documents" ("dataset", "source", "source_id", "location");
CREATE INDEX "exchange_documents_dataset_seq_idx" ON "exchange_documents" ("dataset", "seq");
CREATE INDEX "exchange_documents_location_seq_idx" ON "exchange_documents" ("location", "seq");
CREATE INDEX "exchange_documents_location_dataset_id_idx" ON "exchange_documents" ("location", "dataset", "id");
CREATE INDEX "exchange_documents_location_dataset_modified_idx" ON "exchange_documents" ("location", "dataset", "modified");
CREATE INDEX "exchange_documents_animal_dataset_idx" ON "exchange_documents" ("animal", "dataset");
CREATE INDEX "exchange_documents_dataset_record_idx" ON "exchange_documents" ("dataset", "record");
CREATE TABLE "exchange_kept_new" (
    "id" INTEGER PRIMARY KEY,
    "dataset" TEXT NOT NULL,
    "organization" INTEGER NOT NULL,
    "source" TEXT NOT NULL,
    "source_id" TEXT NOT NULL,
    "animal" INTEGER,
    "created" INTEGER NOT NULL,
    "parts" TEXT,
    "body" BLOB NOT NULL
);
INSERT INTO "exchange_kept_new" ("id", "dataset", "organization", "source", "source_id", "animal", "created", "parts", "body")
SELECT "id", "dataset", "organization", "source", "source_id", "animal", "created", "parts", "body" FROM "exchange_kept" ORDER BY "id";
DROP TABLE "exchange_kept";
ALTER TABLE "exchange_kept_new" RENAME TO "exchange_kept";
CREATE UNIQUE INDEX "exchange_kept_dataset_source_id_source_organization_key" ON "exchange_kept" ("dataset", "source_id", "source", "organization");
CREATE INDEX "exchange_kept_animal_id_idx" ON "exchange_kept" ("animal", "id");
CREATE TABLE "exchange_keys_new" (
    "document" INTEGER NOT NULL,
    "location" INTEGER NOT NULL,
    "dataset" INTEGER NOT NULL,
    "name" TEXT NOT NULL,
    "value" TEXT NOT NULL,
    "at" INTEGER,
    PRIMARY KEY ("document", "name", "value")
);
INSERT INTO "exchange_keys_new" ("document", "location", "dataset", "name", "value", "at")
SELECT "k"."document", "k"."location", "d"."dataset", "k"."name", "k"."value", "k"."at"
FROM "exchange_keys" AS "k" JOIN "exchange_documents" AS "d" ON "d"."id" = "k"."document"
ORDER BY "k"."document", "k"."name", "k"."value";
DROP TABLE "exchange_keys";
ALTER TABLE "exchange_keys_new" RENAME TO "exchange_keys";
CREATE INDEX "exchange_keys_location_dataset_name_value_idx" ON "exchange_keys" ("location", "dataset", "name", "value");
CREATE INDEX "exchange_keys_location_dataset_name_at_idx" ON "exchange_keys" ("location", "dataset", "name", "at");
CREATE TABLE "exchange_batch_parts_new" (
    "batch" TEXT NOT NULL,
    "part" INTEGER NOT NULL,
    "items" INTEGER NOT NULL,
    "sent" BLOB,
    "results" BLOB,
    PRIMARY KEY ("batch", "part")
);
INSERT INTO "exchange_batch_parts_new" ("batch", "part", "items", "sent", "results")
SELECT "batch", "part", "items", "sent", "results" FROM "exchange_batch_parts" ORDER BY "batch", "part";
DROP TABLE "exchange_batch_parts";
ALTER TABLE "exchange_batch_parts_new" RENAME TO "exchange_batch_parts";
