-- The birth of an animal that a sender reported: the pair of the document, the organisation that sent it, and
-- the members that no field holds.
ALTER TABLE "animals" ADD COLUMN "birth_ade_source" text;
ALTER TABLE "animals" ADD COLUMN "birth_ade_source_id" text;
ALTER TABLE "animals" ADD COLUMN "birth_ade_extra" json;
ALTER TABLE "animals" ADD COLUMN "birth_org" bigint;
CREATE UNIQUE INDEX "animals_birth_org_birth_ade_source_birth_ade_source_id_key" ON "animals" ("birth_org", "birth_ade_source", "birth_ade_source_id");
ALTER TABLE "animals"
    ADD CONSTRAINT "animals_birth_org_fkey" FOREIGN KEY ("birth_org") REFERENCES "organizations" ("id") ON DELETE SET NULL DEFERRABLE;
