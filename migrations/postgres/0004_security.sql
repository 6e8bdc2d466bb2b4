-- Delays after wrong passwords in place of locks; several API keys for an account.
CREATE TABLE "sign_in_delays" (
    "whose" text PRIMARY KEY,
    "failures" bigint NOT NULL,
    "last_at" bigint NOT NULL,
    "until" bigint NOT NULL
);
CREATE INDEX "sign_in_delays_last_at_idx" ON "sign_in_delays" ("last_at");
ALTER TABLE "users" DROP COLUMN "failures";
ALTER TABLE "users" DROP COLUMN "locked_until";

-- API keys: several for an account, each with a scope and an end.
CREATE TABLE "api_keys" (
    "id" bigint PRIMARY KEY,
    "user" bigint NOT NULL,
    "name" text NOT NULL,
    "scope" text NOT NULL,
    "datasets" json,
    "expires_at" timestamptz,
    "revoked_at" timestamptz,
    "last_used_at" timestamptz,
    "key_index" text,
    "note" text,
    "seq" bigint NOT NULL,
    "updated_at" timestamptz NOT NULL,
    "created_at" timestamptz NOT NULL
);
CREATE INDEX "api_keys_user_idx" ON "api_keys" ("user");
CREATE INDEX "api_keys_revoked_at_idx" ON "api_keys" ("revoked_at");
CREATE INDEX "api_keys_key_index_idx" ON "api_keys" ("key_index");
CREATE INDEX "api_keys_updated_at_idx" ON "api_keys" ("updated_at");
CREATE INDEX "api_keys_created_at_idx" ON "api_keys" ("created_at");
ALTER TABLE "api_keys"
    ADD CONSTRAINT "api_keys_user_fkey" FOREIGN KEY ("user") REFERENCES "users" ("id") ON DELETE CASCADE DEFERRABLE;

-- What an organisation may keep, where it differs from the settings.
ALTER TABLE "quotas" ADD COLUMN "storage" bigint;
ALTER TABLE "quotas" ADD COLUMN "files" bigint;
ALTER TABLE "quotas" ADD COLUMN "records" bigint;
