ALTER TABLE "animals" ADD COLUMN "test_sums" text;
