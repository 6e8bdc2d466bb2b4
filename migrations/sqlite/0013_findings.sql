ALTER TABLE "animals" ADD COLUMN "check_status" TEXT;
CREATE TABLE "check_findings" (
    "id" INTEGER PRIMARY KEY,
    "code" TEXT NOT NULL,
    "severity" TEXT NOT NULL,
    "state" TEXT,
    "collection" TEXT NOT NULL,
    "record_id" INTEGER NOT NULL,
    "path" TEXT NOT NULL,
    "animal" INTEGER REFERENCES "animals" ("id") ON DELETE CASCADE,
    "herd" INTEGER REFERENCES "herds" ("id") ON DELETE CASCADE,
    "organization" INTEGER REFERENCES "organizations" ("id") ON DELETE SET NULL,
    "message_en" TEXT,
    "message_ru" TEXT,
    "first_seen_at" INTEGER,
    "last_seen_at" INTEGER,
    "dismissed_by" INTEGER REFERENCES "users" ("id") ON DELETE SET NULL,
    "dismissed_at" INTEGER,
    "dismissed_reason" TEXT,
    "source" INTEGER REFERENCES "animals" ("id") ON DELETE CASCADE,
    "seq" INTEGER NOT NULL,
    "updated_at" INTEGER NOT NULL,
    "created_at" INTEGER NOT NULL
);
CREATE UNIQUE INDEX "check_findings_record_id_collection_code_path_key" ON "check_findings" ("record_id", "collection", "code", "path");
CREATE INDEX "check_findings_organization_state_severity_idx" ON "check_findings" ("organization", "state", "severity");
CREATE INDEX "check_findings_severity_state_idx" ON "check_findings" ("severity", "state");
CREATE INDEX "check_findings_code_idx" ON "check_findings" ("code");
CREATE INDEX "check_findings_animal_idx" ON "check_findings" ("animal") WHERE "animal" IS NOT NULL;
CREATE INDEX "check_findings_herd_idx" ON "check_findings" ("herd") WHERE "herd" IS NOT NULL;
CREATE INDEX "check_findings_dismissed_by_idx" ON "check_findings" ("dismissed_by") WHERE "dismissed_by" IS NOT NULL;
CREATE INDEX "check_findings_source_idx" ON "check_findings" ("source") WHERE "source" IS NOT NULL;
CREATE INDEX "check_findings_updated_at_idx" ON "check_findings" ("updated_at");
CREATE INDEX "check_findings_created_at_idx" ON "check_findings" ("created_at");
ALTER TABLE "check_runs" ADD COLUMN "state" TEXT;
ALTER TABLE "check_runs" ADD COLUMN "queued_at" INTEGER;
ALTER TABLE "check_runs" ADD COLUMN "animals" INTEGER;
ALTER TABLE "check_runs" ADD COLUMN "checked" INTEGER;
ALTER TABLE "check_runs" ADD COLUMN "due" INTEGER;
ALTER TABLE "check_runs" ADD COLUMN "worker" TEXT;
