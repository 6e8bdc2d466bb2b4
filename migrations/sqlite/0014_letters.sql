ALTER TABLE "data_submissions" ADD COLUMN "intake_told" INTEGER;
ALTER TABLE "upload_assignments" ADD COLUMN "reminded" INTEGER;
ALTER TABLE "users" ADD COLUMN "language" TEXT;
