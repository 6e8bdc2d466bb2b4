CREATE TABLE "signed_rows" (
    "collection" text NOT NULL,
    "package" bigint NOT NULL,
    "part" bigint NOT NULL,
    "body" bytea NOT NULL,
    PRIMARY KEY ("collection", "package", "part")
);
ALTER TABLE "animals" ADD COLUMN "check_status" text;
ALTER TABLE "data_submissions" ADD COLUMN "intake_state" text;
ALTER TABLE "data_submissions" ADD COLUMN "intake_read_at" timestamptz;
ALTER TABLE "data_submissions" ADD COLUMN "intake_fault" text;
ALTER TABLE "data_submissions" ADD COLUMN "intake_message" text;
ALTER TABLE "data_submissions" ADD COLUMN "intake_form" text;
ALTER TABLE "data_submissions" ADD COLUMN "intake_encoding" text;
ALTER TABLE "data_submissions" ADD COLUMN "intake_sheets" json;
ALTER TABLE "data_submissions" ADD COLUMN "intake_unchanged" bigint;
ALTER TABLE "data_submissions" ADD COLUMN "intake_held" bigint;
ALTER TABLE "data_submissions" ADD COLUMN "intake_removed" bigint;
ALTER TABLE "data_submissions" ADD COLUMN "intake_done" bigint;
ALTER TABLE "data_submissions" ADD COLUMN "intake_attempts" bigint;
ALTER TABLE "data_submissions" ADD COLUMN "intake_worker" text;
ALTER TABLE "data_submissions" ADD COLUMN "intake_due" timestamptz;
ALTER TABLE "data_submissions" ADD COLUMN "intake_tried" timestamptz;
ALTER TABLE "data_submissions" ADD COLUMN "signature_rows" bigint;
ALTER TABLE "data_submissions" ADD COLUMN "signature_key" text;
ALTER TABLE "data_submissions" ADD COLUMN "signature_algorithm" text;
ALTER TABLE "data_submissions" ADD COLUMN "signature_value" text;
ALTER TABLE "data_submissions" ADD COLUMN "signature_statement" text;
CREATE INDEX "data_submissions_intake_state_intake_due_idx" ON "data_submissions" ("intake_state", "intake_due");
CREATE TABLE "submission_rows" (
    "id" bigint PRIMARY KEY,
    "submission" bigint NOT NULL,
    "organization" bigint NOT NULL,
    "position" bigint NOT NULL,
    "sheet" text,
    "line" bigint,
    "ident" text,
    "state" text,
    "dataset" text,
    "collection" text,
    "record" bigint,
    "animal" bigint,
    "date" timestamptz,
    "cells" json,
    "faults" json,
    "waits" boolean,
    "seq" bigint NOT NULL,
    "updated_at" timestamptz NOT NULL,
    "created_at" timestamptz NOT NULL
);
CREATE UNIQUE INDEX "submission_rows_submission_position_key" ON "submission_rows" ("submission", "position");
CREATE INDEX "submission_rows_submission_state_position_idx" ON "submission_rows" ("submission", "state", "position");
CREATE INDEX "submission_rows_organization_waits_idx" ON "submission_rows" ("organization", "waits");
CREATE INDEX "submission_rows_animal_idx" ON "submission_rows" ("animal") WHERE "animal" IS NOT NULL;
CREATE INDEX "submission_rows_updated_at_idx" ON "submission_rows" ("updated_at");
CREATE INDEX "submission_rows_created_at_idx" ON "submission_rows" ("created_at");
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
CREATE TABLE "pending_columns__submissions" (
    "owner" bigint NOT NULL,
    "position" bigint NOT NULL,
    "target" bigint NOT NULL,
    PRIMARY KEY ("owner", "position")
);
CREATE INDEX "pending_columns__submissions_target_owner_idx" ON "pending_columns__submissions" ("target", "owner");
ALTER TABLE "check_runs" ADD COLUMN "state" text;
ALTER TABLE "check_runs" ADD COLUMN "queued_at" timestamptz;
ALTER TABLE "check_runs" ADD COLUMN "animals" bigint;
ALTER TABLE "check_runs" ADD COLUMN "checked" bigint;
ALTER TABLE "check_runs" ADD COLUMN "due" timestamptz;
ALTER TABLE "check_runs" ADD COLUMN "worker" text;
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
ALTER TABLE "submission_rows"
    ADD CONSTRAINT "submission_rows_submission_fkey" FOREIGN KEY ("submission") REFERENCES "data_submissions" ("id") ON DELETE CASCADE DEFERRABLE,
    ADD CONSTRAINT "submission_rows_organization_fkey" FOREIGN KEY ("organization") REFERENCES "organizations" ("id") ON DELETE NO ACTION DEFERRABLE,
    ADD CONSTRAINT "submission_rows_animal_fkey" FOREIGN KEY ("animal") REFERENCES "animals" ("id") ON DELETE SET NULL DEFERRABLE;
ALTER TABLE "check_findings"
    ADD CONSTRAINT "check_findings_animal_fkey" FOREIGN KEY ("animal") REFERENCES "animals" ("id") ON DELETE CASCADE DEFERRABLE,
    ADD CONSTRAINT "check_findings_herd_fkey" FOREIGN KEY ("herd") REFERENCES "herds" ("id") ON DELETE CASCADE DEFERRABLE,
    ADD CONSTRAINT "check_findings_organization_fkey" FOREIGN KEY ("organization") REFERENCES "organizations" ("id") ON DELETE SET NULL DEFERRABLE,
    ADD CONSTRAINT "check_findings_dismissed_by_fkey" FOREIGN KEY ("dismissed_by") REFERENCES "users" ("id") ON DELETE SET NULL DEFERRABLE,
    ADD CONSTRAINT "check_findings_source_fkey" FOREIGN KEY ("source") REFERENCES "animals" ("id") ON DELETE CASCADE DEFERRABLE;
ALTER TABLE "pending_columns__submissions"
    ADD CONSTRAINT "pending_columns__submissions_owner_fkey" FOREIGN KEY ("owner") REFERENCES "pending_columns" ("id") ON DELETE CASCADE DEFERRABLE,
    ADD CONSTRAINT "pending_columns__submissions_target_fkey" FOREIGN KEY ("target") REFERENCES "data_submissions" ("id") ON DELETE CASCADE DEFERRABLE;
