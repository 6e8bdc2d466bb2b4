-- The receiver of an animal sends its arrival: the pair of its document, beside that of the giver, and
-- which of the two came to a movement that others had recorded.
ALTER TABLE "movements" ADD COLUMN "ade_to_source" text;
ALTER TABLE "movements" ADD COLUMN "ade_to_source_id" text;
ALTER TABLE "movements" ADD COLUMN "ade_to_extra" json;
ALTER TABLE "movements" ADD COLUMN "joined_from" boolean;
ALTER TABLE "movements" ADD COLUMN "joined_to" boolean;
CREATE UNIQUE INDEX "movements_to_ade_to_source_ade_to_source_id_key" ON "movements" ("to", "ade_to_source", "ade_to_source_id");
DROP INDEX "movements_to_idx";
