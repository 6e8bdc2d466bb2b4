-- Mandates: an organisation lets another one send resources of the exchange to its location.
CREATE TABLE "mandates" (
    "id" INTEGER PRIMARY KEY,
    "grantor" INTEGER NOT NULL REFERENCES "organizations" ("id") ON DELETE CASCADE,
    "receiver" INTEGER NOT NULL REFERENCES "organizations" ("id") ON DELETE CASCADE,
    "datasets" TEXT NOT NULL,
    "valid_from" INTEGER,
    "valid_until" INTEGER,
    "revoked_at" INTEGER,
    "issued_by" INTEGER REFERENCES "users" ("id") ON DELETE SET NULL,
    "revoked_by" INTEGER REFERENCES "users" ("id") ON DELETE SET NULL,
    "note" TEXT,
    "seq" INTEGER NOT NULL,
    "updated_at" INTEGER NOT NULL,
    "created_at" INTEGER NOT NULL
);
CREATE INDEX "mandates_receiver_revoked_at_idx" ON "mandates" ("receiver", "revoked_at");
CREATE INDEX "mandates_grantor_idx" ON "mandates" ("grantor");
CREATE INDEX "mandates_revoked_at_idx" ON "mandates" ("revoked_at");
CREATE INDEX "mandates_issued_by_idx" ON "mandates" ("issued_by") WHERE "issued_by" IS NOT NULL;
CREATE INDEX "mandates_revoked_by_idx" ON "mandates" ("revoked_by") WHERE "revoked_by" IS NOT NULL;
CREATE INDEX "mandates_updated_at_idx" ON "mandates" ("updated_at");
CREATE INDEX "mandates_created_at_idx" ON "mandates" ("created_at");
