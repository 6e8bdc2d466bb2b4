ALTER TABLE "data_submissions" ADD COLUMN "intake_told" INTEGER;
ALTER TABLE "upload_assignments" ADD COLUMN "reminded" INTEGER;
ALTER TABLE "verification_requests" ADD COLUMN "review_held" TEXT;
ALTER TABLE "check_findings" ADD COLUMN "submission" INTEGER REFERENCES "data_submissions" ("id") ON DELETE CASCADE;
CREATE INDEX "check_findings_submission_idx" ON "check_findings" ("submission") WHERE "submission" IS NOT NULL;
ALTER TABLE "users" ADD COLUMN "language" TEXT;
