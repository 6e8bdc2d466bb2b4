-- Records of one animal are merged, and taken apart again.
ALTER TABLE "animals" ADD COLUMN "merged_into" bigint;
ALTER TABLE "animals" ADD COLUMN "merger_kept" json;
ALTER TABLE "animals"
    ADD CONSTRAINT "animals_merged_into_fkey" FOREIGN KEY ("merged_into") REFERENCES "animals" ("id") ON DELETE SET NULL DEFERRABLE;
CREATE INDEX "animals_merged_into_idx" ON "animals" ("merged_into") WHERE "merged_into" IS NOT NULL;
