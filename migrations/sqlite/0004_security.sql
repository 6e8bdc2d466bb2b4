-- Delays after wrong passwords in place of locks; several API keys for an account.
CREATE TABLE "sign_in_delays" (
    "whose" TEXT NOT NULL PRIMARY KEY,
    "failures" INTEGER NOT NULL,
    "last_at" INTEGER NOT NULL,
    "until" INTEGER NOT NULL
);
CREATE INDEX "sign_in_delays_last_at_idx" ON "sign_in_delays" ("last_at");
ALTER TABLE "users" DROP COLUMN "failures";
ALTER TABLE "users" DROP COLUMN "locked_until";

-- API keys: several for an account, each with a scope and an end.
CREATE TABLE "api_keys" (
    "id" INTEGER PRIMARY KEY,
    "user" INTEGER NOT NULL REFERENCES "users" ("id") ON DELETE CASCADE,
    "name" TEXT NOT NULL,
    "scope" TEXT NOT NULL,
    "datasets" TEXT,
    "expires_at" INTEGER,
    "revoked_at" INTEGER,
    "last_used_at" INTEGER,
    "key_index" TEXT,
    "note" TEXT,
    "seq" INTEGER NOT NULL,
    "updated_at" INTEGER NOT NULL,
    "created_at" INTEGER NOT NULL
);
CREATE INDEX "api_keys_user_idx" ON "api_keys" ("user");
CREATE INDEX "api_keys_revoked_at_idx" ON "api_keys" ("revoked_at");
CREATE INDEX "api_keys_key_index_idx" ON "api_keys" ("key_index");
CREATE INDEX "api_keys_updated_at_idx" ON "api_keys" ("updated_at");
CREATE INDEX "api_keys_created_at_idx" ON "api_keys" ("created_at");

-- What an organisation may keep, where it differs from the settings.
ALTER TABLE "quotas" ADD COLUMN "storage" INTEGER;
ALTER TABLE "quotas" ADD COLUMN "files" INTEGER;
ALTER TABLE "quotas" ADD COLUMN "records" INTEGER;

-- What is written about rows that the writer does not see: he is not told of them, and the
-- Association hears of it. Numbers and names of files are no longer unique across what is closed.
ALTER TABLE "animals" ADD COLUMN "disputed" INTEGER NOT NULL DEFAULT 0;
DROP INDEX "animals_uuid_key";
CREATE UNIQUE INDEX "animals_uuid_disputed_key" ON "animals" ("uuid", "disputed");
DROP INDEX "animals_ident_number_key";
CREATE UNIQUE INDEX "animals_ident_number_disputed_key" ON "animals" ("ident_number", "disputed");
ALTER TABLE "documents" ADD COLUMN "disputed" INTEGER NOT NULL DEFAULT 0;
DROP INDEX "documents_number_key";
CREATE UNIQUE INDEX "documents_number_disputed_key" ON "documents" ("number", "disputed");
CREATE INDEX "animals_pedigree_text_father_id_idx" ON "animals" ("pedigree_text_father_id");
CREATE INDEX "animals_pedigree_text_mother_id_idx" ON "animals" ("pedigree_text_mother_id");
DROP INDEX "media_filename_key";
CREATE INDEX "media_filename_idx" ON "media" ("filename");

CREATE TABLE "clarifications" (
    "id" INTEGER PRIMARY KEY,
    "kind" TEXT NOT NULL,
    "status" TEXT,
    "animal" INTEGER REFERENCES "animals" ("id") ON DELETE SET NULL,
    "owner" INTEGER REFERENCES "organizations" ("id") ON DELETE SET NULL,
    "organization" INTEGER REFERENCES "organizations" ("id") ON DELETE SET NULL,
    "collection" TEXT NOT NULL,
    "record_id" INTEGER NOT NULL,
    "path" TEXT NOT NULL,
    "number" TEXT,
    "stated_by" TEXT,
    "message" TEXT,
    "response" TEXT,
    "decided_at" INTEGER,
    "decided_by" INTEGER REFERENCES "users" ("id") ON DELETE SET NULL,
    "seq" INTEGER NOT NULL,
    "updated_at" INTEGER NOT NULL,
    "created_at" INTEGER NOT NULL
);
CREATE INDEX "clarifications_owner_status_idx" ON "clarifications" ("owner", "status");
CREATE INDEX "clarifications_record_id_kind_idx" ON "clarifications" ("record_id", "kind");
CREATE INDEX "clarifications_kind_idx" ON "clarifications" ("kind");
CREATE INDEX "clarifications_status_idx" ON "clarifications" ("status");
CREATE INDEX "clarifications_animal_idx" ON "clarifications" ("animal") WHERE "animal" IS NOT NULL;
CREATE INDEX "clarifications_organization_idx" ON "clarifications" ("organization") WHERE "organization" IS NOT NULL;
CREATE INDEX "clarifications_decided_by_idx" ON "clarifications" ("decided_by") WHERE "decided_by" IS NOT NULL;
CREATE INDEX "clarifications_updated_at_idx" ON "clarifications" ("updated_at");
CREATE INDEX "clarifications_created_at_idx" ON "clarifications" ("created_at");

-- When sessions were last used.
CREATE TABLE "sign_in_uses" (
    "sid" TEXT NOT NULL PRIMARY KEY,
    "account" INTEGER NOT NULL,
    "used_at" INTEGER NOT NULL
);
CREATE INDEX "sign_in_uses_account_idx" ON "sign_in_uses" ("account");
CREATE INDEX "sign_in_uses_used_at_idx" ON "sign_in_uses" ("used_at");

-- Second factors of accounts.
ALTER TABLE "users" ADD COLUMN "second_factor" TEXT;

-- Services of a bull that nobody confirmed: those that its owner reads.
UPDATE "animals" SET "semen_inseminations" = (
    SELECT NULLIF(COUNT(*), 0) FROM "inseminations" "i"
    JOIN "animals" "a" ON "a"."id" = "i"."animal"
    WHERE "i"."bull" = "animals"."id" AND (
        "i"."owner_org" = "animals"."owner" OR "a"."owner" = "animals"."owner"
        OR ("a"."public_visible" = 1 AND "a"."public_details" = 1)
    )
) WHERE "semen_inseminations" IS NOT NULL AND COALESCE("trust_level", 0) < 2;

-- Addresses that are to be proved before they hold.
ALTER TABLE "users" ADD COLUMN "new_email" TEXT;
ALTER TABLE "users" ADD COLUMN "new_email_token" TEXT;
ALTER TABLE "users" ADD COLUMN "new_email_until" INTEGER;
CREATE INDEX "users_new_email_token_idx" ON "users" ("new_email_token");

-- Passkeys: by what authenticators name an account, and challenges that wait for an answer.
ALTER TABLE "users" ADD COLUMN "passkey_handle" TEXT;
CREATE INDEX "users_passkey_handle_idx" ON "users" ("passkey_handle");
CREATE TABLE "sign_in_challenges" (
    "challenge" TEXT NOT NULL PRIMARY KEY,
    "whose" TEXT NOT NULL,
    "state" TEXT NOT NULL,
    "until" INTEGER NOT NULL
);
CREATE INDEX "sign_in_challenges_until_idx" ON "sign_in_challenges" ("until");
