-- The birth of an animal that a sender reported: the pair of the document, the organisation that sent it, and
-- the members that no field holds.
ALTER TABLE "animals" ADD COLUMN "birth_ade_source" TEXT;
ALTER TABLE "animals" ADD COLUMN "birth_ade_source_id" TEXT;
ALTER TABLE "animals" ADD COLUMN "birth_ade_extra" TEXT;
ALTER TABLE "animals" ADD COLUMN "birth_org" INTEGER REFERENCES "organizations" ("id") ON DELETE SET NULL;
CREATE UNIQUE INDEX "animals_birth_org_birth_ade_source_birth_ade_source_id_key" ON "animals" ("birth_org", "birth_ade_source", "birth_ade_source_id");
