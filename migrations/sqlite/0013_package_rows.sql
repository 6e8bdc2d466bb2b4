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
CREATE TABLE "pending_columns__submissions" (
    "owner" INTEGER NOT NULL REFERENCES "pending_columns" ("id") ON DELETE CASCADE,
    "position" INTEGER NOT NULL,
    "target" INTEGER NOT NULL REFERENCES "data_submissions" ("id") ON DELETE CASCADE,
    PRIMARY KEY ("owner", "position")
);
CREATE INDEX "pending_columns__submissions_target_owner_idx" ON "pending_columns__submissions" ("target", "owner");
