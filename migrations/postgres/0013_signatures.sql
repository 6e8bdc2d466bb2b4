CREATE TABLE "signed_rows" (
    "collection" text NOT NULL,
    "package" bigint NOT NULL,
    "part" bigint NOT NULL,
    "body" bytea NOT NULL,
    PRIMARY KEY ("collection", "package", "part")
);
ALTER TABLE "data_submissions" ADD COLUMN "signature_rows" bigint;
ALTER TABLE "data_submissions" ADD COLUMN "signature_key" text;
ALTER TABLE "data_submissions" ADD COLUMN "signature_algorithm" text;
ALTER TABLE "data_submissions" ADD COLUMN "signature_value" text;
ALTER TABLE "data_submissions" ADD COLUMN "signature_statement" text;
CREATE TABLE "signing_keys" (
    "id" bigint PRIMARY KEY,
    "key_id" text,
    "algorithm" text,
    "public_key" text,
    "retired_at" timestamptz,
    "private_key" text,
    "seq" bigint NOT NULL,
    "updated_at" timestamptz NOT NULL,
    "created_at" timestamptz NOT NULL
);
CREATE UNIQUE INDEX "signing_keys_key_id_key" ON "signing_keys" ("key_id");
CREATE INDEX "signing_keys_retired_at_idx" ON "signing_keys" ("retired_at");
CREATE INDEX "signing_keys_updated_at_idx" ON "signing_keys" ("updated_at");
CREATE INDEX "signing_keys_created_at_idx" ON "signing_keys" ("created_at");
