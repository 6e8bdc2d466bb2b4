CREATE TABLE "signed_rows" (
    "collection" TEXT NOT NULL,
    "package" INTEGER NOT NULL,
    "part" INTEGER NOT NULL,
    "body" BLOB NOT NULL,
    PRIMARY KEY ("collection", "package", "part")
);
ALTER TABLE "data_submissions" ADD COLUMN "signature_rows" INTEGER;
ALTER TABLE "data_submissions" ADD COLUMN "signature_key" TEXT;
ALTER TABLE "data_submissions" ADD COLUMN "signature_algorithm" TEXT;
ALTER TABLE "data_submissions" ADD COLUMN "signature_value" TEXT;
ALTER TABLE "data_submissions" ADD COLUMN "signature_statement" TEXT;
CREATE TABLE "signing_keys" (
    "id" INTEGER PRIMARY KEY,
    "key_id" TEXT,
    "algorithm" TEXT,
    "public_key" TEXT,
    "retired_at" INTEGER,
    "private_key" TEXT,
    "seq" INTEGER NOT NULL,
    "updated_at" INTEGER NOT NULL,
    "created_at" INTEGER NOT NULL
);
CREATE UNIQUE INDEX "signing_keys_key_id_key" ON "signing_keys" ("key_id");
CREATE INDEX "signing_keys_retired_at_idx" ON "signing_keys" ("retired_at");
CREATE INDEX "signing_keys_updated_at_idx" ON "signing_keys" ("updated_at");
CREATE INDEX "signing_keys_created_at_idx" ON "signing_keys" ("created_at");
