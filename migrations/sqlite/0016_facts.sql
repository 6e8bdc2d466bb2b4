-- Facts that derived values need.
DROP INDEX "milk_tests_animal_date_milk_yield_test_code_fat_pe_ad6fcdff_idx";
CREATE INDEX "milk_tests_animal_date_milk_yield_test_code_fat_pe_c26bba91_idx" ON "milk_tests" ("animal", "date", "milk_yield", "test_code", "fat_percent", "protein_percent", "somatic_cells", "official", "source");

-- What somebody stated, and what the server computes: the fields that it fills are marked, existing values count as
-- stated. The age groups of existing animals are those that the server would give, except what calvings of the book
-- do not bear out.
ALTER TABLE "animals" ADD COLUMN "age_group_computed" INTEGER;
ALTER TABLE "animals" ADD COLUMN "dry_test" INTEGER;
ALTER TABLE "calvings" ADD COLUMN "number_computed" INTEGER;
ALTER TABLE "calvings" ADD COLUMN "opens_lactation" INTEGER;
ALTER TABLE "inseminations" ADD COLUMN "lactation_number_computed" INTEGER;
ALTER TABLE "inseminations" ADD COLUMN "stated_check_result" INTEGER REFERENCES "insemination_results" ("id") ON DELETE SET NULL;
ALTER TABLE "inseminations" ADD COLUMN "stated_check_date" INTEGER;
ALTER TABLE "inseminations" ADD COLUMN "stated_check_method" TEXT;
ALTER TABLE "inseminations" ADD COLUMN "stated_check_foetus_count" INTEGER;
ALTER TABLE "milk_tests" ADD COLUMN "lactation_number_computed" INTEGER;
ALTER TABLE "weighings" ADD COLUMN "lactation_number_computed" INTEGER;
ALTER TABLE "events" ADD COLUMN "insemination" INTEGER REFERENCES "inseminations" ("id") ON DELETE SET NULL;
CREATE INDEX "inseminations_stated_check_result_idx" ON "inseminations" ("stated_check_result") WHERE "stated_check_result" IS NOT NULL;
CREATE INDEX "events_insemination_idx" ON "events" ("insemination") WHERE "insemination" IS NOT NULL;
UPDATE "inseminations" SET "stated_check_result" = "result", "stated_check_date" = "pregnancy_check_date",
    "stated_check_method" = "pregnancy_check_method", "stated_check_foetus_count" = "foetus_count" WHERE "check" IS NULL;
UPDATE "animals" SET "dry_test" = (SELECT max("date") FROM "milk_tests" WHERE "animal" = "animals"."id" AND "test_code" = 'dry');
UPDATE "animals" SET "age_group_computed" = 1 WHERE "age_group" IS NULL
    OR "sex" = 'male' AND "age_group" IN ('calf', 'bull') OR "sex" = 'female' AND ("age_group" IN ('calf', 'heifer')
    OR EXISTS (SELECT 1 FROM "calvings" WHERE "animal" = "animals"."id" AND coalesce("event_type", 'calving') = 'calving'
        AND "number" >= CASE "age_group" WHEN 'firstCalf' THEN 1 WHEN 'cow2' THEN 2 WHEN 'cow3' THEN 3 END));
UPDATE "animals" SET "current_lactation_status" = NULL, "current_days_in_milk" = NULL WHERE "state" <> 'alive';

-- Who vouches for genetic tests: the Association for those that an animal had when it verified the animal,
-- and that its owner cannot have changed since. All others are the word of the owner until they are accepted.
UPDATE "animals" SET "dna_tests" = (
    SELECT json_group_array(json_set(t.value, '$.attestedBy', 'association')) FROM json_each("animals"."dna_tests") AS t
) WHERE "dna_tests" IS NOT NULL AND "trust_level" = 3
    AND ("last_edit_time" IS NULL OR "last_edit_time" <= "trust_checked_at");
UPDATE "animals" SET
    "parent_status_father" = CASE WHEN "parent_status_father" IN ('confirmed', 'excluded') THEN 'stated' ELSE "parent_status_father" END,
    "parent_status_mother" = CASE WHEN "parent_status_mother" IN ('confirmed', 'excluded') THEN 'stated' ELSE "parent_status_mother" END
WHERE ("parent_status_father" IN ('confirmed', 'excluded') OR "parent_status_mother" IN ('confirmed', 'excluded'))
    AND NOT COALESCE("trust_level" = 3 AND ("last_edit_time" IS NULL OR "last_edit_time" <= "trust_checked_at"), FALSE);

-- The API key with which rows were made that open something; they end with it.
ALTER TABLE "access_grants" ADD COLUMN "opened_with" TEXT;
CREATE INDEX "access_grants_opened_with_idx" ON "access_grants" ("opened_with");
ALTER TABLE "genotype_consents" ADD COLUMN "opened_with" TEXT;
CREATE INDEX "genotype_consents_opened_with_idx" ON "genotype_consents" ("opened_with");
ALTER TABLE "share_links" ADD COLUMN "opened_with" TEXT;
CREATE INDEX "share_links_opened_with_idx" ON "share_links" ("opened_with");
ALTER TABLE "mandates" ADD COLUMN "opened_with" TEXT;
CREATE INDEX "mandates_opened_with_idx" ON "mandates" ("opened_with");
ALTER TABLE "webhooks" ADD COLUMN "opened_with" TEXT;
CREATE INDEX "webhooks_opened_with_idx" ON "webhooks" ("opened_with");

-- Invitations of one address in a day.
CREATE INDEX "invitations_email_idx" ON "invitations" ("email");
ALTER TABLE "invitations" ADD COLUMN "letter_failed_at" INTEGER;

-- One spelling of codes of bulls: 7HO14454 is 007HO14454.
UPDATE "animals" SET "semen_stock_code" = substr('00' || substr("semen_stock_code", 1, 1), -3)
    || upper(substr("semen_stock_code", 2, 2)) || substr('0000' || substr("semen_stock_code", 4), -5)
WHERE "semen_stock_code" GLOB '[0-9][A-Za-z][A-Za-z][0-9]*'
    AND substr("semen_stock_code", 4) NOT GLOB '*[^0-9]*' AND length("semen_stock_code") <= 8;
UPDATE "animals" SET "semen_stock_code" = substr('00' || substr("semen_stock_code", 1, 2), -3)
    || upper(substr("semen_stock_code", 3, 2)) || substr('0000' || substr("semen_stock_code", 5), -5)
WHERE "semen_stock_code" GLOB '[0-9][0-9][A-Za-z][A-Za-z][0-9]*'
    AND substr("semen_stock_code", 5) NOT GLOB '*[^0-9]*' AND length("semen_stock_code") <= 9;
UPDATE "animals" SET "semen_stock_code" = substr('00' || substr("semen_stock_code", 1, 3), -3)
    || upper(substr("semen_stock_code", 4, 2)) || substr('0000' || substr("semen_stock_code", 6), -5)
WHERE "semen_stock_code" GLOB '[0-9][0-9][0-9][A-Za-z][A-Za-z][0-9]*'
    AND substr("semen_stock_code", 6) NOT GLOB '*[^0-9]*' AND length("semen_stock_code") <= 10;

-- Who sent evaluations and scores, and whether by the exchange.
ALTER TABLE "animal_evaluations" ADD COLUMN "sent_by" INTEGER REFERENCES "organizations" ("id") ON DELETE SET NULL;
ALTER TABLE "animal_evaluations" ADD COLUMN "by_exchange" INTEGER;
CREATE INDEX "animal_evaluations_sent_by_idx" ON "animal_evaluations" ("sent_by") WHERE "sent_by" IS NOT NULL;
ALTER TABLE "animal_exteriors" ADD COLUMN "sent_by" INTEGER REFERENCES "organizations" ("id") ON DELETE SET NULL;
ALTER TABLE "animal_exteriors" ADD COLUMN "by_exchange" INTEGER;
CREATE INDEX "animal_exteriors_sent_by_idx" ON "animal_exteriors" ("sent_by") WHERE "sent_by" IS NOT NULL;

-- Why the buyer says that the animal is not theirs.
ALTER TABLE "movements" ADD COLUMN "objection" TEXT;

-- Organisations with users or a membership take part in the book.
UPDATE "organizations" SET "presence" = 'registered'
WHERE "presence" = 'referenced' AND "merged_into" IS NULL
  AND ("membership" IN ('member', 'suspended')
       OR "id" IN (SELECT "organization" FROM "users" WHERE "organization" IS NOT NULL));

-- Days of places: the zone that every herd had by default states nothing any more.
ALTER TABLE organizations ADD COLUMN "time_zone" TEXT;
UPDATE herds SET "time_zone" = NULL WHERE "time_zone" = 'Europe/Moscow';

-- Further names of entries of dictionaries, and values of files that no entry or choice has.
ALTER TABLE "breeds" ADD COLUMN "aliases" TEXT;
ALTER TABLE "lines" ADD COLUMN "aliases" TEXT;
ALTER TABLE "breeding_categories" ADD COLUMN "aliases" TEXT;
ALTER TABLE "breeding_classes" ADD COLUMN "aliases" TEXT;
ALTER TABLE "animal_purposes" ADD COLUMN "aliases" TEXT;
ALTER TABLE "disposal_reasons" ADD COLUMN "aliases" TEXT;
ALTER TABLE "coat_colors" ADD COLUMN "aliases" TEXT;
ALTER TABLE "blood_groups" ADD COLUMN "aliases" TEXT;
ALTER TABLE "reproduction_methods" ADD COLUMN "aliases" TEXT;
ALTER TABLE "semen_types" ADD COLUMN "aliases" TEXT;
ALTER TABLE "insemination_results" ADD COLUMN "aliases" TEXT;
ALTER TABLE "dna_test_types" ADD COLUMN "aliases" TEXT;
ALTER TABLE "haplotype_types" ADD COLUMN "aliases" TEXT;
ALTER TABLE "health_event_types" ADD COLUMN "aliases" TEXT;
ALTER TABLE "breed_types" ADD COLUMN "aliases" TEXT;
ALTER TABLE "countries" ADD COLUMN "aliases" TEXT;
ALTER TABLE "regions" ADD COLUMN "aliases" TEXT;
ALTER TABLE "districts" ADD COLUMN "aliases" TEXT;
CREATE TABLE "pending_values" (
    "id" INTEGER PRIMARY KEY,
    "owner_org" INTEGER REFERENCES "organizations" ("id") ON DELETE SET NULL,
    "title" TEXT NOT NULL,
    "normalized" TEXT,
    "target" TEXT NOT NULL,
    "status" TEXT,
    "means_code" TEXT,
    "decision_comment" TEXT,
    "decision_decided_by" INTEGER REFERENCES "users" ("id") ON DELETE SET NULL,
    "decision_decided_at" INTEGER,
    "seen_times" INTEGER,
    "rows_with_value" INTEGER,
    "first_seen_at" INTEGER,
    "last_seen_at" INTEGER,
    "samples" TEXT,
    "seq" INTEGER NOT NULL,
    "updated_at" INTEGER NOT NULL,
    "created_at" INTEGER NOT NULL
);
CREATE INDEX "pending_values_owner_org_idx" ON "pending_values" ("owner_org") WHERE "owner_org" IS NOT NULL;
CREATE INDEX "pending_values_status_idx" ON "pending_values" ("status");
CREATE INDEX "pending_values_decision_decided_by_idx" ON "pending_values" ("decision_decided_by") WHERE "decision_decided_by" IS NOT NULL;
CREATE INDEX "pending_values_last_seen_at_idx" ON "pending_values" ("last_seen_at");
CREATE INDEX "pending_values_updated_at_idx" ON "pending_values" ("updated_at");
CREATE INDEX "pending_values_created_at_idx" ON "pending_values" ("created_at");
CREATE UNIQUE INDEX "pending_values_target_normalized_key" ON "pending_values" ("target", "normalized");
CREATE TABLE "pending_values__organizations" (
    "owner" INTEGER NOT NULL REFERENCES "pending_values" ("id") ON DELETE CASCADE,
    "position" INTEGER NOT NULL,
    "target" INTEGER NOT NULL REFERENCES "organizations" ("id") ON DELETE CASCADE,
    PRIMARY KEY ("owner", "position")
);
CREATE INDEX "pending_values__organizations_target_owner_idx" ON "pending_values__organizations" ("target", "owner");
CREATE TABLE "pending_values__submissions" (
    "owner" INTEGER NOT NULL REFERENCES "pending_values" ("id") ON DELETE CASCADE,
    "position" INTEGER NOT NULL,
    "target" INTEGER NOT NULL REFERENCES "data_submissions" ("id") ON DELETE CASCADE,
    PRIMARY KEY ("owner", "position")
);
CREATE INDEX "pending_values__submissions_target_owner_idx" ON "pending_values__submissions" ("target", "owner");

-- Whether the milk of a test day is the sum of its milkings.
ALTER TABLE "milk_tests" ADD COLUMN "milk_yield_computed" INTEGER;
-- Cells of held rows that were mended since the file was sent.
ALTER TABLE "submission_rows" ADD COLUMN "mended" TEXT;
ALTER TABLE "data_submissions" ADD COLUMN "intake_mended" INTEGER;
