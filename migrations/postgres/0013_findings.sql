ALTER TABLE "animals" ADD COLUMN "check_status" text;
CREATE TABLE "check_findings" (
    "id" bigint PRIMARY KEY,
    "code" text NOT NULL,
    "severity" text NOT NULL,
    "state" text,
    "collection" text NOT NULL,
    "record_id" bigint NOT NULL,
    "path" text NOT NULL,
    "animal" bigint,
    "herd" bigint,
    "organization" bigint,
    "message_en" text,
    "message_ru" text,
    "first_seen_at" timestamptz,
    "last_seen_at" timestamptz,
    "dismissed_by" bigint,
    "dismissed_at" timestamptz,
    "dismissed_reason" text,
    "source" bigint,
    "seq" bigint NOT NULL,
    "updated_at" timestamptz NOT NULL,
    "created_at" timestamptz NOT NULL
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
ALTER TABLE "check_runs" ADD COLUMN "state" text;
ALTER TABLE "check_runs" ADD COLUMN "queued_at" timestamptz;
ALTER TABLE "check_runs" ADD COLUMN "animals" bigint;
ALTER TABLE "check_runs" ADD COLUMN "checked" bigint;
ALTER TABLE "check_runs" ADD COLUMN "due" timestamptz;
ALTER TABLE "check_runs" ADD COLUMN "worker" text;
ALTER TABLE "check_findings"
    ADD CONSTRAINT "check_findings_animal_fkey" FOREIGN KEY ("animal") REFERENCES "animals" ("id") ON DELETE CASCADE DEFERRABLE,
    ADD CONSTRAINT "check_findings_herd_fkey" FOREIGN KEY ("herd") REFERENCES "herds" ("id") ON DELETE CASCADE DEFERRABLE,
    ADD CONSTRAINT "check_findings_organization_fkey" FOREIGN KEY ("organization") REFERENCES "organizations" ("id") ON DELETE SET NULL DEFERRABLE,
    ADD CONSTRAINT "check_findings_dismissed_by_fkey" FOREIGN KEY ("dismissed_by") REFERENCES "users" ("id") ON DELETE SET NULL DEFERRABLE,
    ADD CONSTRAINT "check_findings_source_fkey" FOREIGN KEY ("source") REFERENCES "animals" ("id") ON DELETE CASCADE DEFERRABLE;
