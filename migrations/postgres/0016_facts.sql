-- Facts that derived values need.
DROP INDEX "milk_tests_animal_date_milk_yield_test_code_fat_pe_ad6fcdff_idx";
CREATE INDEX "milk_tests_animal_date_milk_yield_test_code_fat_pe_c26bba91_idx" ON "milk_tests" ("animal", "date", "milk_yield", "test_code", "fat_percent", "protein_percent", "somatic_cells", "official", "source");

-- What somebody stated, and what the server computes: the fields that it fills are marked, existing values count as
-- stated. The age groups of existing animals are those that the server would give, except what calvings of the book
-- do not bear out.
ALTER TABLE "animals" ADD COLUMN "age_group_computed" boolean;
ALTER TABLE "animals" ADD COLUMN "dry_test" timestamptz;
ALTER TABLE "calvings" ADD COLUMN "number_computed" boolean;
ALTER TABLE "calvings" ADD COLUMN "opens_lactation" boolean;
ALTER TABLE "inseminations" ADD COLUMN "lactation_number_computed" boolean;
ALTER TABLE "inseminations" ADD COLUMN "stated_check_result" bigint;
ALTER TABLE "inseminations" ADD COLUMN "stated_check_date" timestamptz;
ALTER TABLE "inseminations" ADD COLUMN "stated_check_method" text;
ALTER TABLE "inseminations" ADD COLUMN "stated_check_foetus_count" bigint;
ALTER TABLE "milk_tests" ADD COLUMN "lactation_number_computed" boolean;
ALTER TABLE "weighings" ADD COLUMN "lactation_number_computed" boolean;
ALTER TABLE "events" ADD COLUMN "insemination" bigint;
CREATE INDEX "inseminations_stated_check_result_idx" ON "inseminations" ("stated_check_result") WHERE "stated_check_result" IS NOT NULL;
CREATE INDEX "events_insemination_idx" ON "events" ("insemination") WHERE "insemination" IS NOT NULL;
ALTER TABLE "inseminations"
    ADD CONSTRAINT "inseminations_stated_check_result_fkey" FOREIGN KEY ("stated_check_result") REFERENCES "insemination_results" ("id") ON DELETE SET NULL DEFERRABLE;
ALTER TABLE "events"
    ADD CONSTRAINT "events_insemination_fkey" FOREIGN KEY ("insemination") REFERENCES "inseminations" ("id") ON DELETE SET NULL DEFERRABLE;
UPDATE "inseminations" SET "stated_check_result" = "result", "stated_check_date" = "pregnancy_check_date",
    "stated_check_method" = "pregnancy_check_method", "stated_check_foetus_count" = "foetus_count" WHERE "check" IS NULL;
UPDATE "animals" SET "dry_test" = (SELECT max("date") FROM "milk_tests" WHERE "animal" = "animals"."id" AND "test_code" = 'dry');
UPDATE "animals" SET "age_group_computed" = true WHERE "age_group" IS NULL
    OR "sex" = 'male' AND "age_group" IN ('calf', 'bull') OR "sex" = 'female' AND ("age_group" IN ('calf', 'heifer')
    OR EXISTS (SELECT 1 FROM "calvings" WHERE "animal" = "animals"."id" AND coalesce("event_type", 'calving') = 'calving'
        AND "number" >= CASE "age_group" WHEN 'firstCalf' THEN 1 WHEN 'cow2' THEN 2 WHEN 'cow3' THEN 3 END));
UPDATE "animals" SET "current_lactation_status" = NULL, "current_days_in_milk" = NULL WHERE "state" <> 'alive';

-- Who vouches for genetic tests: the Association for those that an animal had when it verified the animal,
-- and that its owner cannot have changed since. All others are the word of the owner until they are accepted.
UPDATE "animals" SET "dna_tests" = (
    SELECT json_agg(jsonb_set(t.value, '{attestedBy}', '"association"') ORDER BY t.place)
    FROM jsonb_array_elements("animals"."dna_tests"::jsonb) WITH ORDINALITY AS t(value, place)
) WHERE "dna_tests" IS NOT NULL AND json_typeof("dna_tests") = 'array' AND "trust_level" = 3
    AND ("last_edit_time" IS NULL OR "last_edit_time" <= "trust_checked_at");
UPDATE "animals" SET
    "parent_status_father" = CASE WHEN "parent_status_father" IN ('confirmed', 'excluded') THEN 'stated' ELSE "parent_status_father" END,
    "parent_status_mother" = CASE WHEN "parent_status_mother" IN ('confirmed', 'excluded') THEN 'stated' ELSE "parent_status_mother" END
WHERE ("parent_status_father" IN ('confirmed', 'excluded') OR "parent_status_mother" IN ('confirmed', 'excluded'))
    AND NOT COALESCE("trust_level" = 3 AND ("last_edit_time" IS NULL OR "last_edit_time" <= "trust_checked_at"), FALSE);

-- The API key with which rows were made that open something; they end with it.
ALTER TABLE "access_grants" ADD COLUMN "opened_with" text;
CREATE INDEX "access_grants_opened_with_idx" ON "access_grants" ("opened_with");
ALTER TABLE "genotype_consents" ADD COLUMN "opened_with" text;
CREATE INDEX "genotype_consents_opened_with_idx" ON "genotype_consents" ("opened_with");
ALTER TABLE "share_links" ADD COLUMN "opened_with" text;
CREATE INDEX "share_links_opened_with_idx" ON "share_links" ("opened_with");
ALTER TABLE "mandates" ADD COLUMN "opened_with" text;
CREATE INDEX "mandates_opened_with_idx" ON "mandates" ("opened_with");
ALTER TABLE "webhooks" ADD COLUMN "opened_with" text;
CREATE INDEX "webhooks_opened_with_idx" ON "webhooks" ("opened_with");

-- Invitations of one address in a day.
CREATE INDEX "invitations_email_idx" ON "invitations" ("email");
ALTER TABLE "invitations" ADD COLUMN "letter_failed_at" timestamptz;

-- One spelling of codes of bulls: 7HO14454 is 007HO14454.
UPDATE "animals" SET "semen_stock_code" = lpad(substring("semen_stock_code" from '^[0-9]+'), 3, '0')
    || upper(substring("semen_stock_code" from '[A-Za-z]{2}')) || lpad(substring("semen_stock_code" from '[0-9]+$'), 5, '0')
WHERE "semen_stock_code" ~ '^[0-9]{1,3}[A-Za-z]{2}[0-9]{1,5}$';

-- Who sent evaluations and scores, and whether by the exchange.
ALTER TABLE "animal_evaluations" ADD COLUMN "sent_by" bigint;
ALTER TABLE "animal_evaluations" ADD COLUMN "by_exchange" boolean;
CREATE INDEX "animal_evaluations_sent_by_idx" ON "animal_evaluations" ("sent_by") WHERE "sent_by" IS NOT NULL;
ALTER TABLE "animal_evaluations"
    ADD CONSTRAINT "animal_evaluations_sent_by_fkey" FOREIGN KEY ("sent_by") REFERENCES "organizations" ("id") ON DELETE SET NULL DEFERRABLE;
ALTER TABLE "animal_exteriors" ADD COLUMN "sent_by" bigint;
ALTER TABLE "animal_exteriors" ADD COLUMN "by_exchange" boolean;
CREATE INDEX "animal_exteriors_sent_by_idx" ON "animal_exteriors" ("sent_by") WHERE "sent_by" IS NOT NULL;
ALTER TABLE "animal_exteriors"
    ADD CONSTRAINT "animal_exteriors_sent_by_fkey" FOREIGN KEY ("sent_by") REFERENCES "organizations" ("id") ON DELETE SET NULL DEFERRABLE;

-- Why the buyer says that the animal is not theirs.
ALTER TABLE "movements" ADD COLUMN "objection" TEXT;

-- Organisations with users or a membership take part in the book.
UPDATE "organizations" SET "presence" = 'registered'
WHERE "presence" = 'referenced' AND "merged_into" IS NULL
  AND ("membership" IN ('member', 'suspended')
       OR "id" IN (SELECT "organization" FROM "users" WHERE "organization" IS NOT NULL));

-- Days of places: the zone that every herd had by default states nothing any more.
ALTER TABLE organizations ADD COLUMN "time_zone" text;
UPDATE herds SET "time_zone" = NULL WHERE "time_zone" = 'Europe/Moscow';

-- Further names of entries of dictionaries, and values of files that no entry or choice has.
ALTER TABLE "breeds" ADD COLUMN "aliases" json;
ALTER TABLE "lines" ADD COLUMN "aliases" json;
ALTER TABLE "breeding_categories" ADD COLUMN "aliases" json;
ALTER TABLE "breeding_classes" ADD COLUMN "aliases" json;
ALTER TABLE "animal_purposes" ADD COLUMN "aliases" json;
ALTER TABLE "disposal_reasons" ADD COLUMN "aliases" json;
ALTER TABLE "coat_colors" ADD COLUMN "aliases" json;
ALTER TABLE "blood_groups" ADD COLUMN "aliases" json;
ALTER TABLE "reproduction_methods" ADD COLUMN "aliases" json;
ALTER TABLE "semen_types" ADD COLUMN "aliases" json;
ALTER TABLE "insemination_results" ADD COLUMN "aliases" json;
ALTER TABLE "dna_test_types" ADD COLUMN "aliases" json;
ALTER TABLE "haplotype_types" ADD COLUMN "aliases" json;
ALTER TABLE "health_event_types" ADD COLUMN "aliases" json;
ALTER TABLE "breed_types" ADD COLUMN "aliases" json;
ALTER TABLE "countries" ADD COLUMN "aliases" json;
ALTER TABLE "regions" ADD COLUMN "aliases" json;
ALTER TABLE "districts" ADD COLUMN "aliases" json;
CREATE TABLE "pending_values" (
    "id" bigint PRIMARY KEY,
    "owner_org" bigint,
    "title" text NOT NULL,
    "normalized" text,
    "target" text NOT NULL,
    "status" text,
    "means_code" text,
    "decision_comment" text,
    "decision_decided_by" bigint,
    "decision_decided_at" timestamptz,
    "seen_times" bigint,
    "rows_with_value" bigint,
    "first_seen_at" timestamptz,
    "last_seen_at" timestamptz,
    "samples" json,
    "seq" bigint NOT NULL,
    "updated_at" timestamptz NOT NULL,
    "created_at" timestamptz NOT NULL
);
CREATE INDEX "pending_values_owner_org_idx" ON "pending_values" ("owner_org") WHERE "owner_org" IS NOT NULL;
CREATE INDEX "pending_values_status_idx" ON "pending_values" ("status");
CREATE INDEX "pending_values_decision_decided_by_idx" ON "pending_values" ("decision_decided_by") WHERE "decision_decided_by" IS NOT NULL;
CREATE INDEX "pending_values_last_seen_at_idx" ON "pending_values" ("last_seen_at");
CREATE INDEX "pending_values_updated_at_idx" ON "pending_values" ("updated_at");
CREATE INDEX "pending_values_created_at_idx" ON "pending_values" ("created_at");
CREATE UNIQUE INDEX "pending_values_target_normalized_key" ON "pending_values" ("target", "normalized");
CREATE TABLE "pending_values__organizations" (
    "owner" bigint NOT NULL,
    "position" bigint NOT NULL,
    "target" bigint NOT NULL,
    PRIMARY KEY ("owner", "position")
);
CREATE INDEX "pending_values__organizations_target_owner_idx" ON "pending_values__organizations" ("target", "owner");
CREATE TABLE "pending_values__submissions" (
    "owner" bigint NOT NULL,
    "position" bigint NOT NULL,
    "target" bigint NOT NULL,
    PRIMARY KEY ("owner", "position")
);
CREATE INDEX "pending_values__submissions_target_owner_idx" ON "pending_values__submissions" ("target", "owner");
ALTER TABLE "pending_values"
    ADD CONSTRAINT "pending_values_owner_org_fkey" FOREIGN KEY ("owner_org") REFERENCES "organizations" ("id") ON DELETE SET NULL DEFERRABLE,
    ADD CONSTRAINT "pending_values_decision_decided_by_fkey" FOREIGN KEY ("decision_decided_by") REFERENCES "users" ("id") ON DELETE SET NULL DEFERRABLE;
ALTER TABLE "pending_values__organizations"
    ADD CONSTRAINT "pending_values__organizations_owner_fkey" FOREIGN KEY ("owner") REFERENCES "pending_values" ("id") ON DELETE CASCADE DEFERRABLE,
    ADD CONSTRAINT "pending_values__organizations_target_fkey" FOREIGN KEY ("target") REFERENCES "organizations" ("id") ON DELETE CASCADE DEFERRABLE;
ALTER TABLE "pending_values__submissions"
    ADD CONSTRAINT "pending_values__submissions_owner_fkey" FOREIGN KEY ("owner") REFERENCES "pending_values" ("id") ON DELETE CASCADE DEFERRABLE,
    ADD CONSTRAINT "pending_values__submissions_target_fkey" FOREIGN KEY ("target") REFERENCES "data_submissions" ("id") ON DELETE CASCADE DEFERRABLE;

-- Whether the milk of a test day is the sum of its milkings.
ALTER TABLE "milk_tests" ADD COLUMN "milk_yield_computed" boolean;
-- Cells of held rows that were mended since the file was sent.
ALTER TABLE "submission_rows" ADD COLUMN "mended" json;
ALTER TABLE "data_submissions" ADD COLUMN "intake_mended" bigint;
