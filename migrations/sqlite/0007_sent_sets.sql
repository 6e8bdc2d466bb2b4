-- Sets of animals that partners send: the pair of the sender, and the members that no field holds.
ALTER TABLE "saved_searches" ADD COLUMN "ade_source" TEXT;
ALTER TABLE "saved_searches" ADD COLUMN "ade_source_id" TEXT;
ALTER TABLE "saved_searches" ADD COLUMN "ade_extra" TEXT;
CREATE UNIQUE INDEX "saved_searches_organization_ade_source_ade_source_id_key" ON "saved_searches" ("organization", "ade_source", "ade_source_id");
-- The unique index finds the rows of an organisation too.
DROP INDEX "saved_searches_organization_idx";
