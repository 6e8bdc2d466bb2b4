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
CREATE TABLE "pending_columns__submissions" (
    "owner" bigint NOT NULL,
    "position" bigint NOT NULL,
    "target" bigint NOT NULL,
    PRIMARY KEY ("owner", "position")
);
CREATE INDEX "pending_columns__submissions_target_owner_idx" ON "pending_columns__submissions" ("target", "owner");
ALTER TABLE "submission_rows"
    ADD CONSTRAINT "submission_rows_submission_fkey" FOREIGN KEY ("submission") REFERENCES "data_submissions" ("id") ON DELETE CASCADE DEFERRABLE,
    ADD CONSTRAINT "submission_rows_organization_fkey" FOREIGN KEY ("organization") REFERENCES "organizations" ("id") ON DELETE NO ACTION DEFERRABLE,
    ADD CONSTRAINT "submission_rows_animal_fkey" FOREIGN KEY ("animal") REFERENCES "animals" ("id") ON DELETE SET NULL DEFERRABLE;
ALTER TABLE "pending_columns__submissions"
    ADD CONSTRAINT "pending_columns__submissions_owner_fkey" FOREIGN KEY ("owner") REFERENCES "pending_columns" ("id") ON DELETE CASCADE DEFERRABLE,
    ADD CONSTRAINT "pending_columns__submissions_target_fkey" FOREIGN KEY ("target") REFERENCES "data_submissions" ("id") ON DELETE CASCADE DEFERRABLE;
