ALTER TABLE "data_submissions" ADD COLUMN "intake_unchecked" INTEGER;
CREATE INDEX "data_submissions_intake_unchecked_idx" ON "data_submissions" ("intake_unchecked");
ALTER TABLE "submission_rows" ADD COLUMN "before" TEXT;
