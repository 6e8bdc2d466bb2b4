CREATE TABLE "signed_rows" (
    "collection" TEXT NOT NULL,
    "package" INTEGER NOT NULL,
    "part" INTEGER NOT NULL,
    "body" BLOB NOT NULL,
    PRIMARY KEY ("collection", "package", "part")
);
ALTER TABLE "animals" ADD COLUMN "check_status" TEXT;
ALTER TABLE "data_submissions" ADD COLUMN "intake_state" TEXT;
ALTER TABLE "data_submissions" ADD COLUMN "intake_read_at" INTEGER;
ALTER TABLE "data_submissions" ADD COLUMN "intake_fault" TEXT;
ALTER TABLE "data_submissions" ADD COLUMN "intake_message" TEXT;
ALTER TABLE "data_submissions" ADD COLUMN "intake_form" TEXT;
ALTER TABLE "data_submissions" ADD COLUMN "intake_encoding" TEXT;
ALTER TABLE "data_submissions" ADD COLUMN "intake_sheets" TEXT;
ALTER TABLE "data_submissions" ADD COLUMN "intake_unchanged" INTEGER;
ALTER TABLE "data_submissions" ADD COLUMN "intake_held" INTEGER;
ALTER TABLE "data_submissions" ADD COLUMN "intake_removed" INTEGER;
ALTER TABLE "data_submissions" ADD COLUMN "intake_done" INTEGER;
ALTER TABLE "data_submissions" ADD COLUMN "intake_attempts" INTEGER;
ALTER TABLE "data_submissions" ADD COLUMN "intake_worker" TEXT;
ALTER TABLE "data_submissions" ADD COLUMN "intake_due" INTEGER;
ALTER TABLE "data_submissions" ADD COLUMN "intake_tried" INTEGER;
ALTER TABLE "data_submissions" ADD COLUMN "signature_rows" INTEGER;
ALTER TABLE "data_submissions" ADD COLUMN "signature_key" TEXT;
ALTER TABLE "data_submissions" ADD COLUMN "signature_algorithm" TEXT;
ALTER TABLE "data_submissions" ADD COLUMN "signature_value" TEXT;
ALTER TABLE "data_submissions" ADD COLUMN "signature_statement" TEXT;
CREATE INDEX "data_submissions_intake_state_intake_due_idx" ON "data_submissions" ("intake_state", "intake_due");
CREATE TABLE "submission_rows" (
    "id" INTEGER PRIMARY KEY,
    "submission" INTEGER NOT NULL REFERENCES "data_submissions" ("id") ON DELETE CASCADE,
    "organization" INTEGER NOT NULL REFERENCES "organizations" ("id") ON DELETE NO ACTION,
    "position" INTEGER NOT NULL,
    "sheet" TEXT,
    "line" INTEGER,
    "ident" TEXT,
    "state" TEXT,
    "dataset" TEXT,
    "collection" TEXT,
    "record" INTEGER,
    "animal" INTEGER REFERENCES "animals" ("id") ON DELETE SET NULL,
    "date" INTEGER,
    "cells" TEXT,
    "faults" TEXT,
    "waits" INTEGER,
    "seq" INTEGER NOT NULL,
    "updated_at" INTEGER NOT NULL,
    "created_at" INTEGER NOT NULL
);
CREATE UNIQUE INDEX "submission_rows_submission_position_key" ON "submission_rows" ("submission", "position");
CREATE INDEX "submission_rows_submission_state_position_idx" ON "submission_rows" ("submission", "state", "position");
CREATE INDEX "submission_rows_organization_waits_idx" ON "submission_rows" ("organization", "waits");
CREATE INDEX "submission_rows_animal_idx" ON "submission_rows" ("animal") WHERE "animal" IS NOT NULL;
CREATE INDEX "submission_rows_updated_at_idx" ON "submission_rows" ("updated_at");
CREATE INDEX "submission_rows_created_at_idx" ON "submission_rows" ("created_at");
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
CREATE TABLE "pending_columns__submissions" (
    "owner" INTEGER NOT NULL REFERENCES "pending_columns" ("id") ON DELETE CASCADE,
    "position" INTEGER NOT NULL,
    "target" INTEGER NOT NULL REFERENCES "data_submissions" ("id") ON DELETE CASCADE,
    PRIMARY KEY ("owner", "position")
);
CREATE INDEX "pending_columns__submissions_target_owner_idx" ON "pending_columns__submissions" ("target", "owner");
ALTER TABLE "check_runs" ADD COLUMN "state" TEXT;
ALTER TABLE "check_runs" ADD COLUMN "queued_at" INTEGER;
ALTER TABLE "check_runs" ADD COLUMN "animals" INTEGER;
ALTER TABLE "check_runs" ADD COLUMN "checked" INTEGER;
ALTER TABLE "check_runs" ADD COLUMN "due" INTEGER;
ALTER TABLE "check_runs" ADD COLUMN "worker" TEXT;
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
