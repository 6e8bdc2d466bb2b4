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
