-- Records of one animal are merged, and taken apart again.
ALTER TABLE "animals" ADD COLUMN "merged_into" INTEGER REFERENCES "animals" ("id") ON DELETE SET NULL;
ALTER TABLE "animals" ADD COLUMN "merger_kept" TEXT;
CREATE INDEX "animals_merged_into_idx" ON "animals" ("merged_into") WHERE "merged_into" IS NOT NULL;
