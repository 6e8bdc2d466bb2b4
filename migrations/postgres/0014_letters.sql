ALTER TABLE "data_submissions" ADD COLUMN "intake_told" boolean;
ALTER TABLE "upload_assignments" ADD COLUMN "reminded" bigint;
ALTER TABLE "users" ADD COLUMN "language" text;
