-- Mandates: an organisation lets another one send resources of the exchange to its location.
CREATE TABLE "mandates" (
    "id" bigint PRIMARY KEY,
    "grantor" bigint NOT NULL,
    "receiver" bigint NOT NULL,
    "datasets" json NOT NULL,
    "valid_from" timestamptz,
    "valid_until" timestamptz,
    "revoked_at" timestamptz,
    "issued_by" bigint,
    "revoked_by" bigint,
    "note" text,
    "seq" bigint NOT NULL,
    "updated_at" timestamptz NOT NULL,
    "created_at" timestamptz NOT NULL
);
CREATE INDEX "mandates_receiver_revoked_at_idx" ON "mandates" ("receiver", "revoked_at");
CREATE INDEX "mandates_grantor_idx" ON "mandates" ("grantor");
CREATE INDEX "mandates_revoked_at_idx" ON "mandates" ("revoked_at");
CREATE INDEX "mandates_issued_by_idx" ON "mandates" ("issued_by") WHERE "issued_by" IS NOT NULL;
CREATE INDEX "mandates_revoked_by_idx" ON "mandates" ("revoked_by") WHERE "revoked_by" IS NOT NULL;
CREATE INDEX "mandates_updated_at_idx" ON "mandates" ("updated_at");
CREATE INDEX "mandates_created_at_idx" ON "mandates" ("created_at");
ALTER TABLE "mandates"
    ADD CONSTRAINT "mandates_grantor_fkey" FOREIGN KEY ("grantor") REFERENCES "organizations" ("id") ON DELETE CASCADE DEFERRABLE,
    ADD CONSTRAINT "mandates_receiver_fkey" FOREIGN KEY ("receiver") REFERENCES "organizations" ("id") ON DELETE CASCADE DEFERRABLE,
    ADD CONSTRAINT "mandates_issued_by_fkey" FOREIGN KEY ("issued_by") REFERENCES "users" ("id") ON DELETE SET NULL DEFERRABLE,
    ADD CONSTRAINT "mandates_revoked_by_fkey" FOREIGN KEY ("revoked_by") REFERENCES "users" ("id") ON DELETE SET NULL DEFERRABLE;
