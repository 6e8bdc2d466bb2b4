ALTER TABLE "data_submissions" ADD COLUMN "intake_told" boolean;
ALTER TABLE "upload_assignments" ADD COLUMN "reminded" bigint;
ALTER TABLE "verification_requests" ADD COLUMN "review_held" json;
ALTER TABLE "check_findings" ADD COLUMN "submission" bigint;
CREATE INDEX "check_findings_submission_idx" ON "check_findings" ("submission") WHERE "submission" IS NOT NULL;
ALTER TABLE "users" ADD COLUMN "language" text;
ALTER TABLE "check_findings"
    ADD CONSTRAINT "check_findings_submission_fkey" FOREIGN KEY ("submission") REFERENCES "data_submissions" ("id") ON DELETE CASCADE DEFERRABLE;
