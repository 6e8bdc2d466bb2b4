-- All tables of the book, printed from the registry by `herdbook schema --dialect postgres`.

CREATE TABLE "book_sequence" (
    "id" bigint PRIMARY KEY,
    "seq" bigint NOT NULL,
    "modified" bigint NOT NULL,
    "commits" bigint NOT NULL,
    "touched" text NOT NULL
);

INSERT INTO "book_sequence" ("id", "seq", "modified", "commits", "touched") VALUES (1, 0, 0, 0, '{}');

CREATE TABLE "book_ids" (
    "name" text PRIMARY KEY,
    "next" bigint NOT NULL
);

CREATE TABLE "book_settings" (
    "name" text PRIMARY KEY,
    "value" text NOT NULL
);

CREATE TABLE "exchange_names" (
    "id" bigint PRIMARY KEY,
    "name" text NOT NULL
);
CREATE UNIQUE INDEX "exchange_names_name_key" ON "exchange_names" ("name");

CREATE TABLE "exchange_documents" (
    "id" bigint PRIMARY KEY,
    "seq" bigint NOT NULL,
    "dataset" bigint NOT NULL,
    "collection" bigint NOT NULL,
    "resource_type" bigint NOT NULL,
    "source" bigint NOT NULL,
    "source_id" text NOT NULL,
    "location" bigint NOT NULL,
    "modified" bigint NOT NULL,
    "created" bigint NOT NULL,
    "event_at" bigint,
    "animal" bigint,
    "record" bigint NOT NULL,
    "deleted" boolean NOT NULL,
    "reason" text,
    "body" bytea NOT NULL,
    "wording" text
);
CREATE UNIQUE INDEX "exchange_documents_seq_key" ON "exchange_documents" ("seq");
CREATE UNIQUE INDEX "exchange_documents_dataset_source_source_id_location_key" ON "exchange_documents" ("dataset", "source", "source_id", "location");
CREATE INDEX "exchange_documents_dataset_seq_idx" ON "exchange_documents" ("dataset", "seq");
CREATE INDEX "exchange_documents_location_seq_idx" ON "exchange_documents" ("location", "seq");
CREATE INDEX "exchange_documents_location_dataset_id_idx" ON "exchange_documents" ("location", "dataset", "id");
CREATE INDEX "exchange_documents_location_dataset_modified_idx" ON "exchange_documents" ("location", "dataset", "modified");
CREATE INDEX "exchange_documents_animal_dataset_idx" ON "exchange_documents" ("animal", "dataset");
CREATE INDEX "exchange_documents_dataset_record_idx" ON "exchange_documents" ("dataset", "record");

CREATE TABLE "exchange_keys" (
    "document" bigint NOT NULL,
    "location" bigint NOT NULL,
    "dataset" bigint NOT NULL,
    "name" text NOT NULL,
    "value" text NOT NULL,
    "at" bigint,
    PRIMARY KEY ("document", "name", "value")
);
CREATE INDEX "exchange_keys_location_dataset_name_value_idx" ON "exchange_keys" ("location", "dataset", "name", "value");
CREATE INDEX "exchange_keys_location_dataset_name_at_idx" ON "exchange_keys" ("location", "dataset", "name", "at");

CREATE TABLE "exchange_kept" (
    "id" bigint PRIMARY KEY,
    "dataset" text NOT NULL,
    "organization" bigint NOT NULL,
    "source" text NOT NULL,
    "source_id" text NOT NULL,
    "animal" bigint,
    "created" bigint NOT NULL,
    "parts" text,
    "body" bytea NOT NULL
);
CREATE UNIQUE INDEX "exchange_kept_dataset_source_id_source_organization_key" ON "exchange_kept" ("dataset", "source_id", "source", "organization");
CREATE INDEX "exchange_kept_animal_id_idx" ON "exchange_kept" ("animal", "id");

CREATE TABLE "exchange_queue" (
    "id" bigint PRIMARY KEY,
    "dataset" text NOT NULL,
    "relation" text NOT NULL,
    "target" bigint NOT NULL,
    "after" bigint NOT NULL,
    "queued_at" timestamptz NOT NULL
);

CREATE TABLE "row_counts" (
    "table_name" text NOT NULL,
    "visible" boolean NOT NULL,
    "details" boolean NOT NULL,
    "owner" bigint NOT NULL,
    "total" bigint NOT NULL,
    PRIMARY KEY ("table_name", "visible", "details", "owner")
);

CREATE TABLE "exchange_counts" (
    "location" bigint NOT NULL,
    "dataset" text NOT NULL,
    "live" bigint NOT NULL,
    PRIMARY KEY ("location", "dataset")
);

CREATE TABLE "exchange_members" (
    "animal_set" bigint NOT NULL,
    "animal" bigint NOT NULL,
    "seq" bigint NOT NULL,
    "member" boolean NOT NULL,
    PRIMARY KEY ("animal_set", "animal")
);
CREATE INDEX "exchange_members_animal_set_seq_idx" ON "exchange_members" ("animal_set", "seq");

CREATE TABLE "exchange_sent" (
    "location" bigint NOT NULL,
    "source" text NOT NULL,
    "source_id" text NOT NULL,
    "dataset" text NOT NULL,
    "modified" bigint,
    "seq" bigint NOT NULL,
    "batch" text,
    "live" boolean NOT NULL,
    "organization" bigint,
    "named" bigint NOT NULL,
    "named_above" bigint NOT NULL,
    PRIMARY KEY ("location", "source", "source_id", "dataset")
);

CREATE TABLE "exchange_said" (
    "location" bigint NOT NULL,
    "source" text NOT NULL,
    "source_id" text NOT NULL,
    "dataset" text NOT NULL,
    "members" text NOT NULL,
    PRIMARY KEY ("location", "source", "source_id", "dataset")
);

CREATE TABLE "exchange_batches" (
    "id" text PRIMARY KEY,
    "location" bigint NOT NULL,
    "dataset" text NOT NULL,
    "sender" bigint,
    "organization" bigint,
    "strict" boolean NOT NULL,
    "stage" text NOT NULL,
    "items" bigint NOT NULL,
    "done" bigint NOT NULL,
    "rejected" bigint NOT NULL,
    "created_at" bigint NOT NULL,
    "ended_at" bigint
);
CREATE INDEX "exchange_batches_created_at_idx" ON "exchange_batches" ("created_at");

CREATE TABLE "exchange_batch_parts" (
    "batch" text NOT NULL,
    "part" bigint NOT NULL,
    "items" bigint NOT NULL,
    "sent" bytea,
    "results" bytea,
    PRIMARY KEY ("batch", "part")
);

CREATE TABLE "exchange_full_syncs" (
    "id" text PRIMARY KEY,
    "dataset" text,
    "locations" text NOT NULL,
    "sources" text NOT NULL,
    "organization" bigint,
    "stage" text NOT NULL,
    "began" bigint NOT NULL,
    "pushes" bigint NOT NULL,
    "resources" bigint NOT NULL,
    "created_at" bigint NOT NULL,
    "due" bigint NOT NULL,
    "ended_at" bigint,
    "outcome" text
);
CREATE INDEX "exchange_full_syncs_stage_due_idx" ON "exchange_full_syncs" ("stage", "due");
CREATE INDEX "exchange_full_syncs_created_at_idx" ON "exchange_full_syncs" ("created_at");

CREATE TABLE "mail_outbox" (
    "id" bigint PRIMARY KEY,
    "body" text NOT NULL
);

CREATE TABLE "jobs" (
    "kind" text NOT NULL,
    "key" text NOT NULL,
    "due" bigint NOT NULL,
    "attempts" bigint NOT NULL,
    "lease" text,
    "created" bigint NOT NULL,
    PRIMARY KEY ("kind", "key")
);
CREATE INDEX "jobs_kind_due_idx" ON "jobs" ("kind", "due");

CREATE TABLE "exchange_state" (
    "name" text PRIMARY KEY,
    "value" text NOT NULL
);

CREATE TABLE "rest_answers" (
    "user" bigint NOT NULL,
    "key" text NOT NULL,
    "digest" text NOT NULL,
    "outcomes" text NOT NULL,
    "status" bigint,
    "answer" text,
    "created_at" bigint NOT NULL,
    PRIMARY KEY ("user", "key")
);
CREATE INDEX "rest_answers_created_at_idx" ON "rest_answers" ("created_at");

CREATE TABLE "signed_rows" (
    "collection" text NOT NULL,
    "package" bigint NOT NULL,
    "part" bigint NOT NULL,
    "body" bytea NOT NULL,
    PRIMARY KEY ("collection", "package", "part")
);

CREATE TABLE "exchange_intakes" (
    "location" bigint NOT NULL,
    "source" text NOT NULL,
    "taken_at" bigint NOT NULL,
    PRIMARY KEY ("location", "source")
);
CREATE INDEX "exchange_intakes_location_taken_at_idx" ON "exchange_intakes" ("location", "taken_at");

CREATE TABLE "exchange_traffic" (
    "account" bigint NOT NULL,
    "organization" bigint NOT NULL,
    "by_key" boolean NOT NULL,
    "face" text NOT NULL,
    "hour" bigint NOT NULL,
    "class" text NOT NULL,
    "requests" bigint NOT NULL,
    "polls" bigint NOT NULL,
    "not_modified" bigint NOT NULL,
    "errors" bigint NOT NULL,
    "limited" bigint NOT NULL,
    "last_at" bigint NOT NULL,
    "last_error" text,
    "agent" text,
    PRIMARY KEY ("account", "organization", "by_key", "face", "hour", "class")
);
CREATE INDEX "exchange_traffic_hour_idx" ON "exchange_traffic" ("hour");

CREATE TABLE "exchange_readers" (
    "account" bigint NOT NULL,
    "organization" bigint NOT NULL,
    "dataset" text NOT NULL,
    "seq" bigint NOT NULL,
    "told_at" bigint NOT NULL,
    PRIMARY KEY ("account", "organization", "dataset")
);
CREATE INDEX "exchange_readers_told_at_idx" ON "exchange_readers" ("told_at");

CREATE TABLE "sign_in_delays" (
    "whose" text PRIMARY KEY,
    "failures" bigint NOT NULL,
    "last_at" bigint NOT NULL,
    "until" bigint NOT NULL
);
CREATE INDEX "sign_in_delays_last_at_idx" ON "sign_in_delays" ("last_at");

CREATE TABLE "sign_in_uses" (
    "sid" text PRIMARY KEY,
    "account" bigint NOT NULL,
    "used_at" bigint NOT NULL
);
CREATE INDEX "sign_in_uses_account_idx" ON "sign_in_uses" ("account");
CREATE INDEX "sign_in_uses_used_at_idx" ON "sign_in_uses" ("used_at");

CREATE TABLE "sign_in_challenges" (
    "challenge" text PRIMARY KEY,
    "whose" text NOT NULL,
    "state" text NOT NULL,
    "until" bigint NOT NULL
);
CREATE INDEX "sign_in_challenges_until_idx" ON "sign_in_challenges" ("until");

CREATE TABLE "animals" (
    "id" bigint PRIMARY KEY,
    "uuid" text,
    "ident_number" text NOT NULL,
    "id_format" text,
    "name" text,
    "name_latin" text,
    "sex" text NOT NULL,
    "sex_status" text,
    "birth_date" timestamptz,
    "breed" bigint,
    "age_group" text,
    "age_group_computed" boolean,
    "age_group_date" timestamptz,
    "owner" bigint NOT NULL,
    "herd" bigint,
    "photo" bigint,
    "public_visible" boolean,
    "public_details" boolean,
    "for_sale" boolean,
    "archived" boolean,
    "category" bigint,
    "semen_stock_code" text,
    "semen_stock_available" boolean,
    "semen_stock_updated_at" timestamptz,
    "semen_stock_owner" bigint,
    "semen_conception_forecast" double precision,
    "semen_conception_r" double precision,
    "semen_inseminations" bigint,
    "fgias_base_uuid" text,
    "fgias_registration_uuid" text,
    "fgias_unsm" text,
    "fgias_synced_at" timestamptz,
    "alt_ids_iso_id" text,
    "alt_ids_international_id" text,
    "alt_ids_ear_tag" text,
    "alt_ids_inventory_number" text,
    "alt_ids_chip_number" text,
    "alt_ids_chip_date" timestamptz,
    "alt_ids_gpk_mark" text,
    "alt_ids_gpk_number" text,
    "alt_ids_origin_country" text,
    "alt_ids_origin_number" text,
    "breed_type" bigint,
    "blood_percent" double precision,
    "improvers_breed1" bigint,
    "improvers_share1" double precision,
    "improvers_breed2" bigint,
    "improvers_share2" double precision,
    "coat_color" bigint,
    "blood_group" bigint,
    "purpose" bigint,
    "breed_date" timestamptz,
    "purpose_date" timestamptz,
    "birth_place_country" bigint,
    "birth_place_region" bigint,
    "birth_place_district" bigint,
    "birth_place_farm" bigint,
    "birth_place_farm_name" text,
    "registration_basis" text,
    "breeding_class" bigint,
    "receipt_method" bigint,
    "father" bigint,
    "mother" bigint,
    "line" bigint,
    "family" bigint,
    "pedigree_text_father_id" text,
    "pedigree_text_father_name" text,
    "pedigree_text_mother_id" text,
    "pedigree_text_mother_name" text,
    "pedigree_text_father_father_id" text,
    "pedigree_text_mother_father_id" text,
    "genetics_cvm" text,
    "genetics_blad" text,
    "genetics_dumps" text,
    "genetics_kappa_casein" text,
    "genetics_beta_casein" text,
    "genetics_beta_lactoglobulin" text,
    "haplotypes" json,
    "shows" json,
    "dna_tests" json,
    "arrival_date" timestamptz,
    "previous_organization" bigint,
    "notes" text,
    "archive_reason" text,
    "trust_level" bigint,
    "trust_checked_at" timestamptz,
    "registration_status" text,
    "registration_number" text,
    "registration_registered_at" timestamptz,
    "state" text,
    "disposal_date" timestamptz,
    "disposal_reason" bigint,
    "disposal_organization" bigint,
    "inbreeding" double precision,
    "inbreeding_needs_approval" boolean,
    "pedigree_depth" double precision,
    "parent_status_father" text,
    "parent_status_mother" text,
    "author" bigint,
    "current_parity" bigint,
    "current_days_in_milk" bigint,
    "current_age_at_first_calving" bigint,
    "current_last_calving_date" timestamptz,
    "current_last_insemination_date" timestamptz,
    "current_last_dry_off_date" timestamptz,
    "current_expected_calving_date" timestamptz,
    "current_lactation_status" text,
    "current_reproduction_status" text,
    "current_health_status" text,
    "current_services" bigint,
    "current_last_test_date" timestamptz,
    "current_last_cells" double precision,
    "current_last_cells_date" timestamptz,
    "current_milk_withdrawal_until" timestamptz,
    "current_meat_withdrawal_until" timestamptz,
    "lactations" json,
    "summary_milk_yield" double precision,
    "summary_fat_percent" double precision,
    "summary_protein_percent" double precision,
    "summary_fat_kg" double precision,
    "summary_protein_kg" double precision,
    "summary_fat_protein_sum" double precision,
    "summary_milk_rank" double precision,
    "reported_lactations" json,
    "test_sums" text,
    "dry_test" timestamptz,
    "grade" text,
    "grade_date" timestamptz,
    "ipc" double precision,
    "ipc_rank" double precision,
    "evaluation_date" timestamptz,
    "ipc_details_forecast" double precision,
    "ipc_details_r" double precision,
    "ipc_details_percentile" double precision,
    "ipc_details_center" text,
    "ipc_details_base" text,
    "production_reliability_level" bigint,
    "production_milk_forecast" double precision,
    "production_milk_r" double precision,
    "production_fat_percent_forecast" double precision,
    "production_fat_percent_r" double precision,
    "production_protein_percent_forecast" double precision,
    "production_protein_percent_r" double precision,
    "production_fat_kg_forecast" double precision,
    "production_fat_kg_r" double precision,
    "production_protein_kg_forecast" double precision,
    "production_protein_kg_r" double precision,
    "production_production_index_forecast" double precision,
    "production_production_index_r" double precision,
    "reproduction_fertility_forecast" double precision,
    "reproduction_fertility_r" double precision,
    "health_reliability_level" bigint,
    "health_productive_longevity_forecast" double precision,
    "health_productive_longevity_r" double precision,
    "health_udder_health_forecast" double precision,
    "health_udder_health_r" double precision,
    "health_calf_mortality_forecast" double precision,
    "health_calf_mortality_r" double precision,
    "health_calving_ease_forecast" double precision,
    "health_calving_ease_r" double precision,
    "calving_roles_ease_sire_forecast" double precision,
    "calving_roles_ease_sire_r" double precision,
    "calving_roles_ease_mgs_forecast" double precision,
    "calving_roles_ease_mgs_r" double precision,
    "calving_roles_stillbirth_sire_forecast" double precision,
    "calving_roles_stillbirth_sire_r" double precision,
    "calving_roles_stillbirth_mgs_forecast" double precision,
    "calving_roles_stillbirth_mgs_r" double precision,
    "exterior_height" double precision,
    "exterior_chest_width" double precision,
    "exterior_body_depth" double precision,
    "exterior_body_type" double precision,
    "exterior_rump_angle" double precision,
    "exterior_rump_width" double precision,
    "exterior_rear_legs_rear" double precision,
    "exterior_rear_legs_side" double precision,
    "exterior_hoof_angle" double precision,
    "exterior_front_legs" double precision,
    "exterior_movement" double precision,
    "exterior_fore_udder" double precision,
    "exterior_front_teat_placement" double precision,
    "exterior_teat_length" double precision,
    "exterior_udder_depth" double precision,
    "exterior_rear_udder" double precision,
    "exterior_central_ligament" double precision,
    "exterior_rear_teat_placement" double precision,
    "exterior_body_composite" double precision,
    "exterior_udder_composite" double precision,
    "exterior_legs_composite" double precision,
    "linear_score_assessed_at" timestamptz,
    "linear_score_height" bigint,
    "linear_score_chest_width" bigint,
    "linear_score_body_depth" bigint,
    "linear_score_body_type" bigint,
    "linear_score_rump_angle" bigint,
    "linear_score_rump_width" bigint,
    "linear_score_rear_legs_rear" bigint,
    "linear_score_rear_legs_side" bigint,
    "linear_score_hoof_angle" bigint,
    "linear_score_front_legs" bigint,
    "linear_score_movement" bigint,
    "linear_score_fore_udder" bigint,
    "linear_score_front_teat_placement" bigint,
    "linear_score_teat_length" bigint,
    "linear_score_udder_depth" bigint,
    "linear_score_rear_udder" bigint,
    "linear_score_central_ligament" bigint,
    "linear_score_rear_teat_placement" bigint,
    "archived_at" timestamptz,
    "archived_by" bigint,
    "last_edit_user" bigint,
    "last_edit_time" timestamptz,
    "check_status" text,
    "merged_into" bigint,
    "disputed" bigint NOT NULL,
    "merger_kept" json,
    "entry_owner" bigint,
    "entry_herd" bigint,
    "entry_arrival_date" timestamptz,
    "entry_previous_organization" bigint,
    "birth_ade_source" text,
    "birth_ade_source_id" text,
    "birth_ade_extra" json,
    "birth_org" bigint,
    "seq" bigint NOT NULL,
    "updated_at" timestamptz NOT NULL,
    "created_at" timestamptz NOT NULL
);
CREATE UNIQUE INDEX "animals_birth_org_birth_ade_source_birth_ade_source_id_key" ON "animals" ("birth_org", "birth_ade_source", "birth_ade_source_id");
CREATE INDEX "animals_owner_state_archived_idx" ON "animals" ("owner", "state", "archived");
CREATE INDEX "animals_public_visible_ipc_rank_idx" ON "animals" ("public_visible", "ipc_rank");
CREATE INDEX "animals_owner_ipc_rank_idx" ON "animals" ("owner", "ipc_rank");
CREATE INDEX "animals_father_birth_date_idx" ON "animals" ("father", "birth_date");
CREATE INDEX "animals_mother_birth_date_idx" ON "animals" ("mother", "birth_date");
CREATE UNIQUE INDEX "animals_uuid_disputed_key" ON "animals" ("uuid", "disputed");
CREATE UNIQUE INDEX "animals_ident_number_disputed_key" ON "animals" ("ident_number", "disputed");
CREATE INDEX "animals_name_idx" ON "animals" ("name");
CREATE INDEX "animals_birth_date_idx" ON "animals" ("birth_date");
CREATE INDEX "animals_breed_idx" ON "animals" ("breed") WHERE "breed" IS NOT NULL;
CREATE INDEX "animals_herd_idx" ON "animals" ("herd") WHERE "herd" IS NOT NULL;
CREATE INDEX "animals_photo_idx" ON "animals" ("photo") WHERE "photo" IS NOT NULL;
CREATE INDEX "animals_public_details_idx" ON "animals" ("public_details");
CREATE INDEX "animals_for_sale_idx" ON "animals" ("for_sale");
CREATE INDEX "animals_archived_idx" ON "animals" ("archived");
CREATE INDEX "animals_category_idx" ON "animals" ("category") WHERE "category" IS NOT NULL;
CREATE INDEX "animals_semen_stock_code_idx" ON "animals" ("semen_stock_code");
CREATE INDEX "animals_semen_stock_owner_idx" ON "animals" ("semen_stock_owner") WHERE "semen_stock_owner" IS NOT NULL;
CREATE INDEX "animals_fgias_base_uuid_idx" ON "animals" ("fgias_base_uuid");
CREATE INDEX "animals_fgias_unsm_idx" ON "animals" ("fgias_unsm");
CREATE INDEX "animals_alt_ids_international_id_idx" ON "animals" ("alt_ids_international_id");
CREATE INDEX "animals_alt_ids_ear_tag_idx" ON "animals" ("alt_ids_ear_tag");
CREATE INDEX "animals_alt_ids_inventory_number_idx" ON "animals" ("alt_ids_inventory_number");
CREATE INDEX "animals_alt_ids_chip_number_idx" ON "animals" ("alt_ids_chip_number");
CREATE INDEX "animals_breed_type_idx" ON "animals" ("breed_type") WHERE "breed_type" IS NOT NULL;
CREATE INDEX "animals_improvers_breed1_idx" ON "animals" ("improvers_breed1") WHERE "improvers_breed1" IS NOT NULL;
CREATE INDEX "animals_improvers_breed2_idx" ON "animals" ("improvers_breed2") WHERE "improvers_breed2" IS NOT NULL;
CREATE INDEX "animals_coat_color_idx" ON "animals" ("coat_color") WHERE "coat_color" IS NOT NULL;
CREATE INDEX "animals_blood_group_idx" ON "animals" ("blood_group") WHERE "blood_group" IS NOT NULL;
CREATE INDEX "animals_purpose_idx" ON "animals" ("purpose") WHERE "purpose" IS NOT NULL;
CREATE INDEX "animals_birth_place_country_idx" ON "animals" ("birth_place_country") WHERE "birth_place_country" IS NOT NULL;
CREATE INDEX "animals_birth_place_region_idx" ON "animals" ("birth_place_region") WHERE "birth_place_region" IS NOT NULL;
CREATE INDEX "animals_birth_place_district_idx" ON "animals" ("birth_place_district") WHERE "birth_place_district" IS NOT NULL;
CREATE INDEX "animals_birth_place_farm_idx" ON "animals" ("birth_place_farm") WHERE "birth_place_farm" IS NOT NULL;
CREATE INDEX "animals_breeding_class_idx" ON "animals" ("breeding_class") WHERE "breeding_class" IS NOT NULL;
CREATE INDEX "animals_receipt_method_idx" ON "animals" ("receipt_method") WHERE "receipt_method" IS NOT NULL;
CREATE INDEX "animals_line_idx" ON "animals" ("line") WHERE "line" IS NOT NULL;
CREATE INDEX "animals_family_idx" ON "animals" ("family") WHERE "family" IS NOT NULL;
CREATE INDEX "animals_pedigree_text_father_id_idx" ON "animals" ("pedigree_text_father_id");
CREATE INDEX "animals_pedigree_text_mother_id_idx" ON "animals" ("pedigree_text_mother_id");
CREATE INDEX "animals_previous_organization_idx" ON "animals" ("previous_organization") WHERE "previous_organization" IS NOT NULL;
CREATE INDEX "animals_trust_level_idx" ON "animals" ("trust_level");
CREATE UNIQUE INDEX "animals_registration_number_key" ON "animals" ("registration_number");
CREATE INDEX "animals_state_idx" ON "animals" ("state");
CREATE INDEX "animals_disposal_reason_idx" ON "animals" ("disposal_reason") WHERE "disposal_reason" IS NOT NULL;
CREATE INDEX "animals_disposal_organization_idx" ON "animals" ("disposal_organization") WHERE "disposal_organization" IS NOT NULL;
CREATE INDEX "animals_author_idx" ON "animals" ("author") WHERE "author" IS NOT NULL;
CREATE INDEX "animals_summary_milk_rank_idx" ON "animals" ("summary_milk_rank");
CREATE INDEX "animals_ipc_rank_idx" ON "animals" ("ipc_rank");
CREATE INDEX "animals_archived_at_idx" ON "animals" ("archived_at");
CREATE INDEX "animals_archived_by_idx" ON "animals" ("archived_by") WHERE "archived_by" IS NOT NULL;
CREATE INDEX "animals_last_edit_user_idx" ON "animals" ("last_edit_user") WHERE "last_edit_user" IS NOT NULL;
CREATE INDEX "animals_merged_into_idx" ON "animals" ("merged_into") WHERE "merged_into" IS NOT NULL;
CREATE INDEX "animals_entry_owner_idx" ON "animals" ("entry_owner") WHERE "entry_owner" IS NOT NULL;
CREATE INDEX "animals_entry_herd_idx" ON "animals" ("entry_herd") WHERE "entry_herd" IS NOT NULL;
CREATE INDEX "animals_entry_previous_organization_idx" ON "animals" ("entry_previous_organization") WHERE "entry_previous_organization" IS NOT NULL;
CREATE INDEX "animals_updated_at_idx" ON "animals" ("updated_at");
CREATE INDEX "animals_created_at_idx" ON "animals" ("created_at");

CREATE FUNCTION "animals_count_insert"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO row_counts ("table_name", "owner", "visible", "details", "total") SELECT 'animals', coalesce(o, 0), coalesce(v, FALSE), coalesce(d, FALSE), sum(n) FROM (SELECT "owner" AS o, "public_visible" AS v, "public_details" AS d, 1 AS n FROM added) AS r GROUP BY 2, 3, 4 HAVING sum(n) <> 0 ON CONFLICT ("table_name", "visible", "details", "owner") DO UPDATE SET "total" = row_counts."total" + excluded."total";
    RETURN NULL;
END $$;
CREATE TRIGGER "animals_count_insert" AFTER INSERT ON "animals" REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION "animals_count_insert"();

CREATE FUNCTION "animals_count_delete"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO row_counts ("table_name", "owner", "visible", "details", "total") SELECT 'animals', coalesce(o, 0), coalesce(v, FALSE), coalesce(d, FALSE), sum(n) FROM (SELECT "owner" AS o, "public_visible" AS v, "public_details" AS d, -1 AS n FROM removed) AS r GROUP BY 2, 3, 4 HAVING sum(n) <> 0 ON CONFLICT ("table_name", "visible", "details", "owner") DO UPDATE SET "total" = row_counts."total" + excluded."total";
    RETURN NULL;
END $$;
CREATE TRIGGER "animals_count_delete" AFTER DELETE ON "animals" REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION "animals_count_delete"();

CREATE FUNCTION "animals_count_update"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO row_counts ("table_name", "owner", "visible", "details", "total") SELECT 'animals', coalesce(o, 0), coalesce(v, FALSE), coalesce(d, FALSE), sum(n) FROM (SELECT "owner" AS o, "public_visible" AS v, "public_details" AS d, 1 AS n FROM added UNION ALL SELECT "owner" AS o, "public_visible" AS v, "public_details" AS d, -1 AS n FROM removed) AS r GROUP BY 2, 3, 4 HAVING sum(n) <> 0 ON CONFLICT ("table_name", "visible", "details", "owner") DO UPDATE SET "total" = row_counts."total" + excluded."total";
    RETURN NULL;
END $$;
CREATE TRIGGER "animals_count_update" AFTER UPDATE ON "animals" REFERENCING NEW TABLE AS added OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION "animals_count_update"();

CREATE TABLE "animals__past_owners" (
    "owner" bigint NOT NULL,
    "position" bigint NOT NULL,
    "target" bigint NOT NULL,
    PRIMARY KEY ("owner", "position")
);
CREATE INDEX "animals__past_owners_target_owner_idx" ON "animals__past_owners" ("target", "owner");

CREATE TABLE "herds" (
    "id" bigint PRIMARY KEY,
    "name" text NOT NULL,
    "code" text,
    "organization" bigint NOT NULL,
    "address" text,
    "holding_number" text,
    "time_zone" text,
    "milkings_per_day" text,
    "recording_interval" bigint,
    "recording_protocol" text,
    "recording_scheme" text,
    "sampling_scheme" text,
    "work_lists_dry_off" bigint,
    "work_lists_calving" bigint,
    "work_lists_pregnancy_check" bigint,
    "work_lists_open" bigint,
    "work_lists_services" bigint,
    "work_lists_cells" bigint,
    "work_lists_no_test" bigint,
    "seq" bigint NOT NULL,
    "updated_at" timestamptz NOT NULL,
    "created_at" timestamptz NOT NULL
);
CREATE UNIQUE INDEX "herds_organization_code_key" ON "herds" ("organization", "code");
CREATE INDEX "herds_code_idx" ON "herds" ("code");
CREATE INDEX "herds_updated_at_idx" ON "herds" ("updated_at");
CREATE INDEX "herds_created_at_idx" ON "herds" ("created_at");

CREATE TABLE "movements" (
    "id" bigint PRIMARY KEY,
    "animal" bigint NOT NULL,
    "date" timestamptz NOT NULL,
    "kind" text NOT NULL,
    "from" bigint,
    "to" bigint,
    "from_herd" bigint,
    "to_herd" bigint,
    "reason" bigint,
    "death_method" text,
    "disposal_method" text,
    "consignment_number" text,
    "consignment_vehicle" text,
    "consignment_operator" text,
    "consignment_declaration" text,
    "weight" double precision,
    "basis" text,
    "note" text,
    "applied" boolean,
    "confirmation" text,
    "objection" text,
    "confirmed_by" bigint,
    "confirmed_role" text,
    "released" boolean,
    "outside" boolean,
    "recorded_by" bigint,
    "recorded_role" text,
    "ade_source" text,
    "ade_source_id" text,
    "ade_dataset" text,
    "ade_extra" json,
    "ade_to_source" text,
    "ade_to_source_id" text,
    "ade_to_extra" json,
    "joined_from" boolean,
    "joined_to" boolean,
    "seq" bigint NOT NULL,
    "updated_at" timestamptz NOT NULL,
    "created_at" timestamptz NOT NULL
);
CREATE UNIQUE INDEX "movements_from_ade_source_ade_source_id_ade_dataset_key" ON "movements" ("from", "ade_source", "ade_source_id", "ade_dataset");
CREATE UNIQUE INDEX "movements_to_ade_to_source_ade_to_source_id_key" ON "movements" ("to", "ade_to_source", "ade_to_source_id");
CREATE INDEX "movements_animal_date_idx" ON "movements" ("animal", "date");
CREATE INDEX "movements_date_idx" ON "movements" ("date");
CREATE INDEX "movements_kind_idx" ON "movements" ("kind");
CREATE INDEX "movements_from_herd_idx" ON "movements" ("from_herd") WHERE "from_herd" IS NOT NULL;
CREATE INDEX "movements_to_herd_idx" ON "movements" ("to_herd") WHERE "to_herd" IS NOT NULL;
CREATE INDEX "movements_reason_idx" ON "movements" ("reason") WHERE "reason" IS NOT NULL;
CREATE INDEX "movements_confirmed_by_idx" ON "movements" ("confirmed_by") WHERE "confirmed_by" IS NOT NULL;
CREATE INDEX "movements_recorded_by_idx" ON "movements" ("recorded_by") WHERE "recorded_by" IS NOT NULL;
CREATE INDEX "movements_updated_at_idx" ON "movements" ("updated_at");
CREATE INDEX "movements_created_at_idx" ON "movements" ("created_at");

CREATE TABLE "saved_searches" (
    "id" bigint PRIMARY KEY,
    "name" text NOT NULL,
    "list" text,
    "place" text NOT NULL,
    "query" text NOT NULL,
    "where" json,
    "scope" text,
    "author" bigint,
    "organization" bigint,
    "ade_set" boolean,
    "ade_purpose" text,
    "joins" json,
    "leaves" json,
    "ade_source" text,
    "ade_source_id" text,
    "ade_extra" json,
    "seq" bigint NOT NULL,
    "updated_at" timestamptz NOT NULL,
    "created_at" timestamptz NOT NULL
);
CREATE UNIQUE INDEX "saved_searches_organization_ade_source_ade_source_id_key" ON "saved_searches" ("organization", "ade_source", "ade_source_id");
CREATE INDEX "saved_searches_author_idx" ON "saved_searches" ("author") WHERE "author" IS NOT NULL;
CREATE INDEX "saved_searches_updated_at_idx" ON "saved_searches" ("updated_at");
CREATE INDEX "saved_searches_created_at_idx" ON "saved_searches" ("created_at");

CREATE TABLE "saved_searches__members" (
    "owner" bigint NOT NULL,
    "position" bigint NOT NULL,
    "target" bigint NOT NULL,
    PRIMARY KEY ("owner", "position")
);
CREATE INDEX "saved_searches__members_target_owner_idx" ON "saved_searches__members" ("target", "owner");

CREATE TABLE "calvings" (
    "id" bigint PRIMARY KEY,
    "animal" bigint NOT NULL,
    "owner_org" bigint,
    "animal_owner" bigint,
    "animal_visible" boolean,
    "animal_details" boolean,
    "number" bigint NOT NULL,
    "number_computed" boolean,
    "date" timestamptz NOT NULL,
    "event_type" text,
    "opens_lactation" boolean,
    "result" text,
    "milking_days" bigint,
    "dry_off_date" timestamptz,
    "ease" text,
    "calf_weight" double precision,
    "live_heifers" bigint,
    "live_bulls" bigint,
    "stillborn" bigint,
    "progeny" json,
    "insemination" bigint,
    "gestation_days" bigint,
    "embryo_transfer" boolean,
    "comment" text,
    "submission" bigint,
    "verification" text,
    "check_status" text,
    "ade_source" text,
    "ade_source_id" text,
    "ade_dataset" text,
    "ade_extra" json,
    "seq" bigint NOT NULL,
    "updated_at" timestamptz NOT NULL,
    "created_at" timestamptz NOT NULL
);
CREATE UNIQUE INDEX "calvings_owner_org_ade_source_ade_source_id_ade_dataset_key" ON "calvings" ("owner_org", "ade_source", "ade_source_id", "ade_dataset");
CREATE INDEX "calvings_animal_date_idx" ON "calvings" ("animal", "date");
CREATE INDEX "calvings_owner_org_date_idx" ON "calvings" ("owner_org", "date");
CREATE INDEX "calvings_animal_owner_date_idx" ON "calvings" ("animal_owner", "date");
CREATE INDEX "calvings_animal_number_idx" ON "calvings" ("animal", "number");
CREATE INDEX "calvings_date_idx" ON "calvings" ("date");
CREATE INDEX "calvings_event_type_idx" ON "calvings" ("event_type");
CREATE INDEX "calvings_insemination_idx" ON "calvings" ("insemination") WHERE "insemination" IS NOT NULL;
CREATE INDEX "calvings_submission_idx" ON "calvings" ("submission") WHERE "submission" IS NOT NULL;
CREATE INDEX "calvings_updated_at_idx" ON "calvings" ("updated_at");
CREATE INDEX "calvings_created_at_idx" ON "calvings" ("created_at");

CREATE FUNCTION "calvings_count_insert"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO row_counts ("table_name", "owner", "visible", "details", "total") SELECT 'calvings', coalesce(o, 0), coalesce(v, FALSE), coalesce(d, FALSE), sum(n) FROM (SELECT "animal_owner" AS o, "animal_visible" AS v, "animal_details" AS d, 1 AS n FROM added) AS r GROUP BY 2, 3, 4 HAVING sum(n) <> 0 ON CONFLICT ("table_name", "visible", "details", "owner") DO UPDATE SET "total" = row_counts."total" + excluded."total";
    RETURN NULL;
END $$;
CREATE TRIGGER "calvings_count_insert" AFTER INSERT ON "calvings" REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION "calvings_count_insert"();

CREATE FUNCTION "calvings_count_delete"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO row_counts ("table_name", "owner", "visible", "details", "total") SELECT 'calvings', coalesce(o, 0), coalesce(v, FALSE), coalesce(d, FALSE), sum(n) FROM (SELECT "animal_owner" AS o, "animal_visible" AS v, "animal_details" AS d, -1 AS n FROM removed) AS r GROUP BY 2, 3, 4 HAVING sum(n) <> 0 ON CONFLICT ("table_name", "visible", "details", "owner") DO UPDATE SET "total" = row_counts."total" + excluded."total";
    RETURN NULL;
END $$;
CREATE TRIGGER "calvings_count_delete" AFTER DELETE ON "calvings" REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION "calvings_count_delete"();

CREATE FUNCTION "calvings_count_update"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO row_counts ("table_name", "owner", "visible", "details", "total") SELECT 'calvings', coalesce(o, 0), coalesce(v, FALSE), coalesce(d, FALSE), sum(n) FROM (SELECT "animal_owner" AS o, "animal_visible" AS v, "animal_details" AS d, 1 AS n FROM added UNION ALL SELECT "animal_owner" AS o, "animal_visible" AS v, "animal_details" AS d, -1 AS n FROM removed) AS r GROUP BY 2, 3, 4 HAVING sum(n) <> 0 ON CONFLICT ("table_name", "visible", "details", "owner") DO UPDATE SET "total" = row_counts."total" + excluded."total";
    RETURN NULL;
END $$;
CREATE TRIGGER "calvings_count_update" AFTER UPDATE ON "calvings" REFERENCING NEW TABLE AS added OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION "calvings_count_update"();

CREATE TABLE "calvings__calves" (
    "owner" bigint NOT NULL,
    "position" bigint NOT NULL,
    "target" bigint NOT NULL,
    PRIMARY KEY ("owner", "position")
);
CREATE INDEX "calvings__calves_target_owner_idx" ON "calvings__calves" ("target", "owner");

CREATE TABLE "inseminations" (
    "id" bigint PRIMARY KEY,
    "animal" bigint NOT NULL,
    "owner_org" bigint,
    "animal_owner" bigint,
    "animal_visible" boolean,
    "animal_details" boolean,
    "lactation_number" bigint,
    "lactation_number_computed" boolean,
    "date" timestamptz NOT NULL,
    "end_date" timestamptz,
    "bull" bigint,
    "bull_text" text,
    "semen_type" bigint,
    "method" bigint,
    "doses" double precision,
    "attempt_number" bigint,
    "technician" bigint,
    "farm_stock" boolean,
    "straw_number" text,
    "straw_batch" text,
    "straw_centre" text,
    "straw_collected_on" timestamptz,
    "straw_sexed" text,
    "straw_sexed_percent" bigint,
    "embryo_number" text,
    "embryo_donor" bigint,
    "embryo_sire" bigint,
    "embryo_centre" text,
    "embryo_collected_on" timestamptz,
    "result" bigint,
    "pregnancy_check_date" timestamptz,
    "pregnancy_check_method" text,
    "foetus_count" bigint,
    "check" bigint,
    "stated_check_result" bigint,
    "stated_check_date" timestamptz,
    "stated_check_method" text,
    "stated_check_foetus_count" bigint,
    "expected_calving" timestamptz,
    "days_open" bigint,
    "source" text,
    "comment" text,
    "check_ade_source" text,
    "check_ade_source_id" text,
    "check_ade_extra" json,
    "submission" bigint,
    "verification" text,
    "check_status" text,
    "ade_source" text,
    "ade_source_id" text,
    "ade_extra" json,
    "seq" bigint NOT NULL,
    "updated_at" timestamptz NOT NULL,
    "created_at" timestamptz NOT NULL
);
CREATE UNIQUE INDEX "inseminations_owner_org_ade_source_ade_source_id_key" ON "inseminations" ("owner_org", "ade_source", "ade_source_id");
CREATE INDEX "inseminations_animal_date_idx" ON "inseminations" ("animal", "date");
CREATE INDEX "inseminations_owner_org_date_idx" ON "inseminations" ("owner_org", "date");
CREATE INDEX "inseminations_animal_owner_date_idx" ON "inseminations" ("animal_owner", "date");
CREATE INDEX "inseminations_animal_lactation_number_idx" ON "inseminations" ("animal", "lactation_number");
CREATE INDEX "inseminations_bull_date_idx" ON "inseminations" ("bull", "date");
CREATE INDEX "inseminations_date_idx" ON "inseminations" ("date");
CREATE INDEX "inseminations_semen_type_idx" ON "inseminations" ("semen_type") WHERE "semen_type" IS NOT NULL;
CREATE INDEX "inseminations_method_idx" ON "inseminations" ("method") WHERE "method" IS NOT NULL;
CREATE INDEX "inseminations_technician_idx" ON "inseminations" ("technician") WHERE "technician" IS NOT NULL;
CREATE INDEX "inseminations_embryo_donor_idx" ON "inseminations" ("embryo_donor") WHERE "embryo_donor" IS NOT NULL;
CREATE INDEX "inseminations_embryo_sire_idx" ON "inseminations" ("embryo_sire") WHERE "embryo_sire" IS NOT NULL;
CREATE INDEX "inseminations_result_idx" ON "inseminations" ("result") WHERE "result" IS NOT NULL;
CREATE INDEX "inseminations_pregnancy_check_date_idx" ON "inseminations" ("pregnancy_check_date");
CREATE INDEX "inseminations_check_idx" ON "inseminations" ("check") WHERE "check" IS NOT NULL;
CREATE INDEX "inseminations_stated_check_result_idx" ON "inseminations" ("stated_check_result") WHERE "stated_check_result" IS NOT NULL;
CREATE INDEX "inseminations_submission_idx" ON "inseminations" ("submission") WHERE "submission" IS NOT NULL;
CREATE INDEX "inseminations_updated_at_idx" ON "inseminations" ("updated_at");
CREATE INDEX "inseminations_created_at_idx" ON "inseminations" ("created_at");

CREATE FUNCTION "inseminations_count_insert"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO row_counts ("table_name", "owner", "visible", "details", "total") SELECT 'inseminations', coalesce(o, 0), coalesce(v, FALSE), coalesce(d, FALSE), sum(n) FROM (SELECT "animal_owner" AS o, "animal_visible" AS v, "animal_details" AS d, 1 AS n FROM added) AS r GROUP BY 2, 3, 4 HAVING sum(n) <> 0 ON CONFLICT ("table_name", "visible", "details", "owner") DO UPDATE SET "total" = row_counts."total" + excluded."total";
    RETURN NULL;
END $$;
CREATE TRIGGER "inseminations_count_insert" AFTER INSERT ON "inseminations" REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION "inseminations_count_insert"();

CREATE FUNCTION "inseminations_count_delete"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO row_counts ("table_name", "owner", "visible", "details", "total") SELECT 'inseminations', coalesce(o, 0), coalesce(v, FALSE), coalesce(d, FALSE), sum(n) FROM (SELECT "animal_owner" AS o, "animal_visible" AS v, "animal_details" AS d, -1 AS n FROM removed) AS r GROUP BY 2, 3, 4 HAVING sum(n) <> 0 ON CONFLICT ("table_name", "visible", "details", "owner") DO UPDATE SET "total" = row_counts."total" + excluded."total";
    RETURN NULL;
END $$;
CREATE TRIGGER "inseminations_count_delete" AFTER DELETE ON "inseminations" REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION "inseminations_count_delete"();

CREATE FUNCTION "inseminations_count_update"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO row_counts ("table_name", "owner", "visible", "details", "total") SELECT 'inseminations', coalesce(o, 0), coalesce(v, FALSE), coalesce(d, FALSE), sum(n) FROM (SELECT "animal_owner" AS o, "animal_visible" AS v, "animal_details" AS d, 1 AS n FROM added UNION ALL SELECT "animal_owner" AS o, "animal_visible" AS v, "animal_details" AS d, -1 AS n FROM removed) AS r GROUP BY 2, 3, 4 HAVING sum(n) <> 0 ON CONFLICT ("table_name", "visible", "details", "owner") DO UPDATE SET "total" = row_counts."total" + excluded."total";
    RETURN NULL;
END $$;
CREATE TRIGGER "inseminations_count_update" AFTER UPDATE ON "inseminations" REFERENCING NEW TABLE AS added OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION "inseminations_count_update"();

CREATE TABLE "milk_tests" (
    "id" bigint PRIMARY KEY,
    "animal" bigint NOT NULL,
    "owner_org" bigint,
    "animal_owner" bigint,
    "animal_visible" boolean,
    "animal_details" boolean,
    "date" timestamptz NOT NULL,
    "milk_yield" double precision,
    "yields_morning" double precision,
    "yields_noon" double precision,
    "yields_evening" double precision,
    "milk_yield_computed" boolean,
    "test_code" text,
    "lactation_number" bigint,
    "lactation_number_computed" boolean,
    "fat_percent" double precision,
    "protein_percent" double precision,
    "lactose_percent" double precision,
    "casein_percent" double precision,
    "dry_matter_percent" double precision,
    "somatic_cells" double precision,
    "urea" double precision,
    "bhb" double precision,
    "acetone" double precision,
    "official" boolean,
    "sample_number" text,
    "laboratory" bigint,
    "source" text,
    "recording_protocol" text,
    "recording_per_year" bigint,
    "recording_scheme" text,
    "sampling_moment" text,
    "sampling_scheme" text,
    "days_in_milk" bigint,
    "submission" bigint,
    "verification" text,
    "check_status" text,
    "ade_source" text,
    "ade_source_id" text,
    "ade_extra" json,
    "seq" bigint NOT NULL,
    "updated_at" timestamptz NOT NULL,
    "created_at" timestamptz NOT NULL
);
CREATE UNIQUE INDEX "milk_tests_owner_org_ade_source_ade_source_id_key" ON "milk_tests" ("owner_org", "ade_source", "ade_source_id");
CREATE INDEX "milk_tests_owner_org_date_idx" ON "milk_tests" ("owner_org", "date");
CREATE INDEX "milk_tests_animal_owner_date_idx" ON "milk_tests" ("animal_owner", "date");
CREATE INDEX "milk_tests_animal_date_milk_yield_test_code_fat_pe_c26bba91_idx" ON "milk_tests" ("animal", "date", "milk_yield", "test_code", "fat_percent", "protein_percent", "somatic_cells", "official", "source");
CREATE INDEX "milk_tests_date_idx" ON "milk_tests" ("date");
CREATE INDEX "milk_tests_milk_yield_idx" ON "milk_tests" ("milk_yield");
CREATE INDEX "milk_tests_laboratory_idx" ON "milk_tests" ("laboratory") WHERE "laboratory" IS NOT NULL;
CREATE INDEX "milk_tests_submission_idx" ON "milk_tests" ("submission") WHERE "submission" IS NOT NULL;
CREATE INDEX "milk_tests_updated_at_idx" ON "milk_tests" ("updated_at");
CREATE INDEX "milk_tests_created_at_idx" ON "milk_tests" ("created_at");

CREATE FUNCTION "milk_tests_count_insert"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO row_counts ("table_name", "owner", "visible", "details", "total") SELECT 'milk_tests', coalesce(o, 0), coalesce(v, FALSE), coalesce(d, FALSE), sum(n) FROM (SELECT "animal_owner" AS o, "animal_visible" AS v, "animal_details" AS d, 1 AS n FROM added) AS r GROUP BY 2, 3, 4 HAVING sum(n) <> 0 ON CONFLICT ("table_name", "visible", "details", "owner") DO UPDATE SET "total" = row_counts."total" + excluded."total";
    RETURN NULL;
END $$;
CREATE TRIGGER "milk_tests_count_insert" AFTER INSERT ON "milk_tests" REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION "milk_tests_count_insert"();

CREATE FUNCTION "milk_tests_count_delete"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO row_counts ("table_name", "owner", "visible", "details", "total") SELECT 'milk_tests', coalesce(o, 0), coalesce(v, FALSE), coalesce(d, FALSE), sum(n) FROM (SELECT "animal_owner" AS o, "animal_visible" AS v, "animal_details" AS d, -1 AS n FROM removed) AS r GROUP BY 2, 3, 4 HAVING sum(n) <> 0 ON CONFLICT ("table_name", "visible", "details", "owner") DO UPDATE SET "total" = row_counts."total" + excluded."total";
    RETURN NULL;
END $$;
CREATE TRIGGER "milk_tests_count_delete" AFTER DELETE ON "milk_tests" REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION "milk_tests_count_delete"();

CREATE FUNCTION "milk_tests_count_update"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO row_counts ("table_name", "owner", "visible", "details", "total") SELECT 'milk_tests', coalesce(o, 0), coalesce(v, FALSE), coalesce(d, FALSE), sum(n) FROM (SELECT "animal_owner" AS o, "animal_visible" AS v, "animal_details" AS d, 1 AS n FROM added UNION ALL SELECT "animal_owner" AS o, "animal_visible" AS v, "animal_details" AS d, -1 AS n FROM removed) AS r GROUP BY 2, 3, 4 HAVING sum(n) <> 0 ON CONFLICT ("table_name", "visible", "details", "owner") DO UPDATE SET "total" = row_counts."total" + excluded."total";
    RETURN NULL;
END $$;
CREATE TRIGGER "milk_tests_count_update" AFTER UPDATE ON "milk_tests" REFERENCING NEW TABLE AS added OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION "milk_tests_count_update"();

CREATE TABLE "weighings" (
    "id" bigint PRIMARY KEY,
    "animal" bigint NOT NULL,
    "owner_org" bigint,
    "animal_owner" bigint,
    "animal_visible" boolean,
    "animal_details" boolean,
    "date" timestamptz NOT NULL,
    "weight" double precision NOT NULL,
    "sign" text,
    "lactation_number" bigint,
    "lactation_number_computed" boolean,
    "method" text,
    "hip_height" double precision,
    "chest_girth" double precision,
    "bcs" double precision,
    "age_days" bigint,
    "daily_gain" double precision,
    "note" text,
    "submission" bigint,
    "verification" text,
    "check_status" text,
    "ade_source" text,
    "ade_source_id" text,
    "ade_extra" json,
    "seq" bigint NOT NULL,
    "updated_at" timestamptz NOT NULL,
    "created_at" timestamptz NOT NULL
);
CREATE UNIQUE INDEX "weighings_owner_org_ade_source_ade_source_id_key" ON "weighings" ("owner_org", "ade_source", "ade_source_id");
CREATE INDEX "weighings_animal_date_idx" ON "weighings" ("animal", "date");
CREATE INDEX "weighings_owner_org_date_idx" ON "weighings" ("owner_org", "date");
CREATE INDEX "weighings_animal_owner_date_idx" ON "weighings" ("animal_owner", "date");
CREATE INDEX "weighings_date_idx" ON "weighings" ("date");
CREATE INDEX "weighings_submission_idx" ON "weighings" ("submission") WHERE "submission" IS NOT NULL;
CREATE INDEX "weighings_updated_at_idx" ON "weighings" ("updated_at");
CREATE INDEX "weighings_created_at_idx" ON "weighings" ("created_at");

CREATE FUNCTION "weighings_count_insert"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO row_counts ("table_name", "owner", "visible", "details", "total") SELECT 'weighings', coalesce(o, 0), coalesce(v, FALSE), coalesce(d, FALSE), sum(n) FROM (SELECT "animal_owner" AS o, "animal_visible" AS v, "animal_details" AS d, 1 AS n FROM added) AS r GROUP BY 2, 3, 4 HAVING sum(n) <> 0 ON CONFLICT ("table_name", "visible", "details", "owner") DO UPDATE SET "total" = row_counts."total" + excluded."total";
    RETURN NULL;
END $$;
CREATE TRIGGER "weighings_count_insert" AFTER INSERT ON "weighings" REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION "weighings_count_insert"();

CREATE FUNCTION "weighings_count_delete"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO row_counts ("table_name", "owner", "visible", "details", "total") SELECT 'weighings', coalesce(o, 0), coalesce(v, FALSE), coalesce(d, FALSE), sum(n) FROM (SELECT "animal_owner" AS o, "animal_visible" AS v, "animal_details" AS d, -1 AS n FROM removed) AS r GROUP BY 2, 3, 4 HAVING sum(n) <> 0 ON CONFLICT ("table_name", "visible", "details", "owner") DO UPDATE SET "total" = row_counts."total" + excluded."total";
    RETURN NULL;
END $$;
CREATE TRIGGER "weighings_count_delete" AFTER DELETE ON "weighings" REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION "weighings_count_delete"();

CREATE FUNCTION "weighings_count_update"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO row_counts ("table_name", "owner", "visible", "details", "total") SELECT 'weighings', coalesce(o, 0), coalesce(v, FALSE), coalesce(d, FALSE), sum(n) FROM (SELECT "animal_owner" AS o, "animal_visible" AS v, "animal_details" AS d, 1 AS n FROM added UNION ALL SELECT "animal_owner" AS o, "animal_visible" AS v, "animal_details" AS d, -1 AS n FROM removed) AS r GROUP BY 2, 3, 4 HAVING sum(n) <> 0 ON CONFLICT ("table_name", "visible", "details", "owner") DO UPDATE SET "total" = row_counts."total" + excluded."total";
    RETURN NULL;
END $$;
CREATE TRIGGER "weighings_count_update" AFTER UPDATE ON "weighings" REFERENCING NEW TABLE AS added OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION "weighings_count_update"();

CREATE TABLE "milking_visits" (
    "id" bigint PRIMARY KEY,
    "animal" bigint NOT NULL,
    "owner_org" bigint,
    "animal_owner" bigint,
    "animal_visible" boolean,
    "animal_details" boolean,
    "started_at" timestamptz NOT NULL,
    "milk_yield" double precision NOT NULL,
    "duration" bigint,
    "visit_duration" bigint,
    "milking_type" text,
    "complete" boolean,
    "box" text,
    "device" text,
    "shift_date" timestamptz,
    "shift_number" bigint,
    "quarters" json,
    "characteristics" json,
    "remarks" json,
    "submission" bigint,
    "verification" text,
    "check_status" text,
    "ade_source" text,
    "ade_source_id" text,
    "ade_extra" json,
    "seq" bigint NOT NULL,
    "updated_at" timestamptz NOT NULL,
    "created_at" timestamptz NOT NULL
);
CREATE UNIQUE INDEX "milking_visits_owner_org_ade_source_ade_source_id_key" ON "milking_visits" ("owner_org", "ade_source", "ade_source_id");
CREATE INDEX "milking_visits_animal_started_at_idx" ON "milking_visits" ("animal", "started_at");
CREATE INDEX "milking_visits_owner_org_started_at_idx" ON "milking_visits" ("owner_org", "started_at");
CREATE INDEX "milking_visits_animal_owner_started_at_idx" ON "milking_visits" ("animal_owner", "started_at");
CREATE INDEX "milking_visits_started_at_idx" ON "milking_visits" ("started_at");
CREATE INDEX "milking_visits_submission_idx" ON "milking_visits" ("submission") WHERE "submission" IS NOT NULL;
CREATE INDEX "milking_visits_updated_at_idx" ON "milking_visits" ("updated_at");
CREATE INDEX "milking_visits_created_at_idx" ON "milking_visits" ("created_at");

CREATE FUNCTION "milking_visits_count_insert"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO row_counts ("table_name", "owner", "visible", "details", "total") SELECT 'milking_visits', coalesce(o, 0), coalesce(v, FALSE), coalesce(d, FALSE), sum(n) FROM (SELECT "animal_owner" AS o, "animal_visible" AS v, "animal_details" AS d, 1 AS n FROM added) AS r GROUP BY 2, 3, 4 HAVING sum(n) <> 0 ON CONFLICT ("table_name", "visible", "details", "owner") DO UPDATE SET "total" = row_counts."total" + excluded."total";
    RETURN NULL;
END $$;
CREATE TRIGGER "milking_visits_count_insert" AFTER INSERT ON "milking_visits" REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION "milking_visits_count_insert"();

CREATE FUNCTION "milking_visits_count_delete"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO row_counts ("table_name", "owner", "visible", "details", "total") SELECT 'milking_visits', coalesce(o, 0), coalesce(v, FALSE), coalesce(d, FALSE), sum(n) FROM (SELECT "animal_owner" AS o, "animal_visible" AS v, "animal_details" AS d, -1 AS n FROM removed) AS r GROUP BY 2, 3, 4 HAVING sum(n) <> 0 ON CONFLICT ("table_name", "visible", "details", "owner") DO UPDATE SET "total" = row_counts."total" + excluded."total";
    RETURN NULL;
END $$;
CREATE TRIGGER "milking_visits_count_delete" AFTER DELETE ON "milking_visits" REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION "milking_visits_count_delete"();

CREATE FUNCTION "milking_visits_count_update"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO row_counts ("table_name", "owner", "visible", "details", "total") SELECT 'milking_visits', coalesce(o, 0), coalesce(v, FALSE), coalesce(d, FALSE), sum(n) FROM (SELECT "animal_owner" AS o, "animal_visible" AS v, "animal_details" AS d, 1 AS n FROM added UNION ALL SELECT "animal_owner" AS o, "animal_visible" AS v, "animal_details" AS d, -1 AS n FROM removed) AS r GROUP BY 2, 3, 4 HAVING sum(n) <> 0 ON CONFLICT ("table_name", "visible", "details", "owner") DO UPDATE SET "total" = row_counts."total" + excluded."total";
    RETURN NULL;
END $$;
CREATE TRIGGER "milking_visits_count_update" AFTER UPDATE ON "milking_visits" REFERENCING NEW TABLE AS added OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION "milking_visits_count_update"();

CREATE TABLE "daily_milkings" (
    "id" bigint PRIMARY KEY,
    "animal" bigint NOT NULL,
    "owner_org" bigint,
    "animal_owner" bigint,
    "animal_visible" boolean,
    "animal_details" boolean,
    "date" timestamptz NOT NULL,
    "milk_yield" double precision NOT NULL,
    "average7" double precision,
    "milkings" bigint,
    "conductivity_max" double precision,
    "origin" text,
    "submission" bigint,
    "verification" text,
    "check_status" text,
    "ade_source" text,
    "ade_source_id" text,
    "ade_extra" json,
    "seq" bigint NOT NULL,
    "updated_at" timestamptz NOT NULL,
    "created_at" timestamptz NOT NULL
);
CREATE UNIQUE INDEX "daily_milkings_owner_org_ade_source_ade_source_id_key" ON "daily_milkings" ("owner_org", "ade_source", "ade_source_id");
CREATE UNIQUE INDEX "daily_milkings_animal_date_origin_key" ON "daily_milkings" ("animal", "date", "origin");
CREATE INDEX "daily_milkings_owner_org_date_idx" ON "daily_milkings" ("owner_org", "date");
CREATE INDEX "daily_milkings_animal_owner_date_idx" ON "daily_milkings" ("animal_owner", "date");
CREATE INDEX "daily_milkings_date_idx" ON "daily_milkings" ("date");
CREATE INDEX "daily_milkings_submission_idx" ON "daily_milkings" ("submission") WHERE "submission" IS NOT NULL;
CREATE INDEX "daily_milkings_updated_at_idx" ON "daily_milkings" ("updated_at");
CREATE INDEX "daily_milkings_created_at_idx" ON "daily_milkings" ("created_at");

CREATE FUNCTION "daily_milkings_count_insert"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO row_counts ("table_name", "owner", "visible", "details", "total") SELECT 'daily_milkings', coalesce(o, 0), coalesce(v, FALSE), coalesce(d, FALSE), sum(n) FROM (SELECT "animal_owner" AS o, "animal_visible" AS v, "animal_details" AS d, 1 AS n FROM added) AS r GROUP BY 2, 3, 4 HAVING sum(n) <> 0 ON CONFLICT ("table_name", "visible", "details", "owner") DO UPDATE SET "total" = row_counts."total" + excluded."total";
    RETURN NULL;
END $$;
CREATE TRIGGER "daily_milkings_count_insert" AFTER INSERT ON "daily_milkings" REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION "daily_milkings_count_insert"();

CREATE FUNCTION "daily_milkings_count_delete"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO row_counts ("table_name", "owner", "visible", "details", "total") SELECT 'daily_milkings', coalesce(o, 0), coalesce(v, FALSE), coalesce(d, FALSE), sum(n) FROM (SELECT "animal_owner" AS o, "animal_visible" AS v, "animal_details" AS d, -1 AS n FROM removed) AS r GROUP BY 2, 3, 4 HAVING sum(n) <> 0 ON CONFLICT ("table_name", "visible", "details", "owner") DO UPDATE SET "total" = row_counts."total" + excluded."total";
    RETURN NULL;
END $$;
CREATE TRIGGER "daily_milkings_count_delete" AFTER DELETE ON "daily_milkings" REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION "daily_milkings_count_delete"();

CREATE FUNCTION "daily_milkings_count_update"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO row_counts ("table_name", "owner", "visible", "details", "total") SELECT 'daily_milkings', coalesce(o, 0), coalesce(v, FALSE), coalesce(d, FALSE), sum(n) FROM (SELECT "animal_owner" AS o, "animal_visible" AS v, "animal_details" AS d, 1 AS n FROM added UNION ALL SELECT "animal_owner" AS o, "animal_visible" AS v, "animal_details" AS d, -1 AS n FROM removed) AS r GROUP BY 2, 3, 4 HAVING sum(n) <> 0 ON CONFLICT ("table_name", "visible", "details", "owner") DO UPDATE SET "total" = row_counts."total" + excluded."total";
    RETURN NULL;
END $$;
CREATE TRIGGER "daily_milkings_count_update" AFTER UPDATE ON "daily_milkings" REFERENCING NEW TABLE AS added OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION "daily_milkings_count_update"();

CREATE TABLE "health_events" (
    "id" bigint PRIMARY KEY,
    "animal" bigint NOT NULL,
    "owner_org" bigint,
    "animal_owner" bigint,
    "animal_visible" boolean,
    "animal_details" boolean,
    "type" bigint NOT NULL,
    "date" timestamptz NOT NULL,
    "title" text,
    "severity" text,
    "start_date" timestamptz,
    "end_date" timestamptz,
    "exclude_from_analytics" boolean,
    "description" text,
    "diagnosis_code_scheme" text,
    "diagnosis_code_id" text,
    "stage" text,
    "positions" json,
    "site" text,
    "procedure" text,
    "medicine_name" text,
    "medicine_registered_id" text,
    "medicine_gtin" text,
    "medicine_batch" text,
    "medicine_expiry_date" timestamptz,
    "dose" double precision,
    "dose_unit" text,
    "milk_withdrawal_until" timestamptz,
    "meat_withdrawal_until" timestamptz,
    "observed_status" text,
    "outcome" text,
    "reported_by" bigint,
    "submission" bigint,
    "verification" text,
    "check_status" text,
    "ade_source" text,
    "ade_source_id" text,
    "ade_dataset" text,
    "ade_part" bigint,
    "ade_extra" json,
    "seq" bigint NOT NULL,
    "updated_at" timestamptz NOT NULL,
    "created_at" timestamptz NOT NULL
);
CREATE UNIQUE INDEX "health_events_owner_org_ade_source_ade_source_id_a_4a0a0c00_key" ON "health_events" ("owner_org", "ade_source", "ade_source_id", "ade_dataset", "ade_part");
CREATE INDEX "health_events_animal_date_idx" ON "health_events" ("animal", "date");
CREATE INDEX "health_events_owner_org_date_idx" ON "health_events" ("owner_org", "date");
CREATE INDEX "health_events_animal_owner_date_idx" ON "health_events" ("animal_owner", "date");
CREATE INDEX "health_events_type_idx" ON "health_events" ("type");
CREATE INDEX "health_events_date_idx" ON "health_events" ("date");
CREATE INDEX "health_events_reported_by_idx" ON "health_events" ("reported_by") WHERE "reported_by" IS NOT NULL;
CREATE INDEX "health_events_submission_idx" ON "health_events" ("submission") WHERE "submission" IS NOT NULL;
CREATE INDEX "health_events_updated_at_idx" ON "health_events" ("updated_at");
CREATE INDEX "health_events_created_at_idx" ON "health_events" ("created_at");

CREATE FUNCTION "health_events_count_insert"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO row_counts ("table_name", "owner", "visible", "details", "total") SELECT 'health_events', coalesce(o, 0), coalesce(v, FALSE), coalesce(d, FALSE), sum(n) FROM (SELECT "animal_owner" AS o, "animal_visible" AS v, "animal_details" AS d, 1 AS n FROM added) AS r GROUP BY 2, 3, 4 HAVING sum(n) <> 0 ON CONFLICT ("table_name", "visible", "details", "owner") DO UPDATE SET "total" = row_counts."total" + excluded."total";
    RETURN NULL;
END $$;
CREATE TRIGGER "health_events_count_insert" AFTER INSERT ON "health_events" REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION "health_events_count_insert"();

CREATE FUNCTION "health_events_count_delete"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO row_counts ("table_name", "owner", "visible", "details", "total") SELECT 'health_events', coalesce(o, 0), coalesce(v, FALSE), coalesce(d, FALSE), sum(n) FROM (SELECT "animal_owner" AS o, "animal_visible" AS v, "animal_details" AS d, -1 AS n FROM removed) AS r GROUP BY 2, 3, 4 HAVING sum(n) <> 0 ON CONFLICT ("table_name", "visible", "details", "owner") DO UPDATE SET "total" = row_counts."total" + excluded."total";
    RETURN NULL;
END $$;
CREATE TRIGGER "health_events_count_delete" AFTER DELETE ON "health_events" REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION "health_events_count_delete"();

CREATE FUNCTION "health_events_count_update"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO row_counts ("table_name", "owner", "visible", "details", "total") SELECT 'health_events', coalesce(o, 0), coalesce(v, FALSE), coalesce(d, FALSE), sum(n) FROM (SELECT "animal_owner" AS o, "animal_visible" AS v, "animal_details" AS d, 1 AS n FROM added UNION ALL SELECT "animal_owner" AS o, "animal_visible" AS v, "animal_details" AS d, -1 AS n FROM removed) AS r GROUP BY 2, 3, 4 HAVING sum(n) <> 0 ON CONFLICT ("table_name", "visible", "details", "owner") DO UPDATE SET "total" = row_counts."total" + excluded."total";
    RETURN NULL;
END $$;
CREATE TRIGGER "health_events_count_update" AFTER UPDATE ON "health_events" REFERENCING NEW TABLE AS added OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION "health_events_count_update"();

CREATE TABLE "events" (
    "id" bigint PRIMARY KEY,
    "animal" bigint NOT NULL,
    "owner_org" bigint,
    "animal_owner" bigint,
    "animal_visible" boolean,
    "animal_details" boolean,
    "type" text NOT NULL,
    "date" timestamptz NOT NULL,
    "end_date" timestamptz,
    "title" text,
    "result" text,
    "value" double precision,
    "insemination" bigint,
    "payload" json,
    "comment" text,
    "status" text,
    "calving" bigint,
    "author" bigint,
    "submission" bigint,
    "verification" text,
    "check_status" text,
    "ade_source" text,
    "ade_source_id" text,
    "ade_dataset" text,
    "ade_extra" json,
    "seq" bigint NOT NULL,
    "updated_at" timestamptz NOT NULL,
    "created_at" timestamptz NOT NULL
);
CREATE UNIQUE INDEX "events_owner_org_ade_source_ade_source_id_ade_dataset_key" ON "events" ("owner_org", "ade_source", "ade_source_id", "ade_dataset");
CREATE INDEX "events_animal_date_idx" ON "events" ("animal", "date");
CREATE INDEX "events_owner_org_date_idx" ON "events" ("owner_org", "date");
CREATE INDEX "events_animal_owner_date_idx" ON "events" ("animal_owner", "date");
CREATE INDEX "events_type_idx" ON "events" ("type");
CREATE INDEX "events_date_idx" ON "events" ("date");
CREATE INDEX "events_insemination_idx" ON "events" ("insemination") WHERE "insemination" IS NOT NULL;
CREATE INDEX "events_calving_idx" ON "events" ("calving") WHERE "calving" IS NOT NULL;
CREATE INDEX "events_author_idx" ON "events" ("author") WHERE "author" IS NOT NULL;
CREATE INDEX "events_submission_idx" ON "events" ("submission") WHERE "submission" IS NOT NULL;
CREATE INDEX "events_updated_at_idx" ON "events" ("updated_at");
CREATE INDEX "events_created_at_idx" ON "events" ("created_at");

CREATE FUNCTION "events_count_insert"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO row_counts ("table_name", "owner", "visible", "details", "total") SELECT 'events', coalesce(o, 0), coalesce(v, FALSE), coalesce(d, FALSE), sum(n) FROM (SELECT "animal_owner" AS o, "animal_visible" AS v, "animal_details" AS d, 1 AS n FROM added) AS r GROUP BY 2, 3, 4 HAVING sum(n) <> 0 ON CONFLICT ("table_name", "visible", "details", "owner") DO UPDATE SET "total" = row_counts."total" + excluded."total";
    RETURN NULL;
END $$;
CREATE TRIGGER "events_count_insert" AFTER INSERT ON "events" REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION "events_count_insert"();

CREATE FUNCTION "events_count_delete"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO row_counts ("table_name", "owner", "visible", "details", "total") SELECT 'events', coalesce(o, 0), coalesce(v, FALSE), coalesce(d, FALSE), sum(n) FROM (SELECT "animal_owner" AS o, "animal_visible" AS v, "animal_details" AS d, -1 AS n FROM removed) AS r GROUP BY 2, 3, 4 HAVING sum(n) <> 0 ON CONFLICT ("table_name", "visible", "details", "owner") DO UPDATE SET "total" = row_counts."total" + excluded."total";
    RETURN NULL;
END $$;
CREATE TRIGGER "events_count_delete" AFTER DELETE ON "events" REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION "events_count_delete"();

CREATE FUNCTION "events_count_update"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO row_counts ("table_name", "owner", "visible", "details", "total") SELECT 'events', coalesce(o, 0), coalesce(v, FALSE), coalesce(d, FALSE), sum(n) FROM (SELECT "animal_owner" AS o, "animal_visible" AS v, "animal_details" AS d, 1 AS n FROM added UNION ALL SELECT "animal_owner" AS o, "animal_visible" AS v, "animal_details" AS d, -1 AS n FROM removed) AS r GROUP BY 2, 3, 4 HAVING sum(n) <> 0 ON CONFLICT ("table_name", "visible", "details", "owner") DO UPDATE SET "total" = row_counts."total" + excluded."total";
    RETURN NULL;
END $$;
CREATE TRIGGER "events_count_update" AFTER UPDATE ON "events" REFERENCING NEW TABLE AS added OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION "events_count_update"();

CREATE TABLE "animal_evaluations" (
    "id" bigint PRIMARY KEY,
    "animal" bigint NOT NULL,
    "owner_org" bigint,
    "animal_owner" bigint,
    "animal_visible" boolean,
    "animal_details" boolean,
    "evaluated_at" timestamptz NOT NULL,
    "source" text NOT NULL,
    "calculation" text,
    "center" text,
    "base_version" text,
    "is_current" boolean,
    "ipc" double precision,
    "ipc_r" double precision,
    "ipc_percentile" double precision,
    "production_reliability_level" bigint,
    "health_reliability_level" bigint,
    "milk_forecast" double precision,
    "milk_r" double precision,
    "fat_percent_forecast" double precision,
    "fat_percent_r" double precision,
    "protein_percent_forecast" double precision,
    "protein_percent_r" double precision,
    "fat_kg_forecast" double precision,
    "fat_kg_r" double precision,
    "protein_kg_forecast" double precision,
    "protein_kg_r" double precision,
    "production_index_forecast" double precision,
    "production_index_r" double precision,
    "fertility_forecast" double precision,
    "fertility_r" double precision,
    "conception_forecast" double precision,
    "conception_r" double precision,
    "productive_longevity_forecast" double precision,
    "productive_longevity_r" double precision,
    "udder_health_forecast" double precision,
    "udder_health_r" double precision,
    "calf_mortality_forecast" double precision,
    "calf_mortality_r" double precision,
    "calving_ease_forecast" double precision,
    "calving_ease_r" double precision,
    "ease_sire_forecast" double precision,
    "ease_sire_r" double precision,
    "ease_mgs_forecast" double precision,
    "ease_mgs_r" double precision,
    "stillbirth_sire_forecast" double precision,
    "stillbirth_sire_r" double precision,
    "stillbirth_mgs_forecast" double precision,
    "stillbirth_mgs_r" double precision,
    "exterior_height" double precision,
    "exterior_chest_width" double precision,
    "exterior_body_depth" double precision,
    "exterior_body_type" double precision,
    "exterior_rump_angle" double precision,
    "exterior_rump_width" double precision,
    "exterior_rear_legs_rear" double precision,
    "exterior_rear_legs_side" double precision,
    "exterior_hoof_angle" double precision,
    "exterior_front_legs" double precision,
    "exterior_movement" double precision,
    "exterior_fore_udder" double precision,
    "exterior_front_teat_placement" double precision,
    "exterior_teat_length" double precision,
    "exterior_udder_depth" double precision,
    "exterior_rear_udder" double precision,
    "exterior_central_ligament" double precision,
    "exterior_rear_teat_placement" double precision,
    "exterior_body_composite" double precision,
    "exterior_udder_composite" double precision,
    "exterior_legs_composite" double precision,
    "note" text,
    "run" bigint,
    "release" text,
    "sent_by" bigint,
    "by_exchange" boolean,
    "submission" bigint,
    "verification" text,
    "seq" bigint NOT NULL,
    "updated_at" timestamptz NOT NULL,
    "created_at" timestamptz NOT NULL
);
CREATE UNIQUE INDEX "animal_evaluations_animal_source_evaluated_at_calculation_key" ON "animal_evaluations" ("animal", "source", "evaluated_at", "calculation");
CREATE INDEX "animal_evaluations_animal_evaluated_at_idx" ON "animal_evaluations" ("animal", "evaluated_at");
CREATE INDEX "animal_evaluations_animal_owner_evaluated_at_idx" ON "animal_evaluations" ("animal_owner", "evaluated_at");
CREATE INDEX "animal_evaluations_release_run_idx" ON "animal_evaluations" ("release", "run");
CREATE INDEX "animal_evaluations_owner_org_idx" ON "animal_evaluations" ("owner_org") WHERE "owner_org" IS NOT NULL;
CREATE INDEX "animal_evaluations_evaluated_at_idx" ON "animal_evaluations" ("evaluated_at");
CREATE INDEX "animal_evaluations_base_version_idx" ON "animal_evaluations" ("base_version");
CREATE INDEX "animal_evaluations_is_current_idx" ON "animal_evaluations" ("is_current");
CREATE INDEX "animal_evaluations_run_idx" ON "animal_evaluations" ("run") WHERE "run" IS NOT NULL;
CREATE INDEX "animal_evaluations_sent_by_idx" ON "animal_evaluations" ("sent_by") WHERE "sent_by" IS NOT NULL;
CREATE INDEX "animal_evaluations_submission_idx" ON "animal_evaluations" ("submission") WHERE "submission" IS NOT NULL;
CREATE INDEX "animal_evaluations_updated_at_idx" ON "animal_evaluations" ("updated_at");
CREATE INDEX "animal_evaluations_created_at_idx" ON "animal_evaluations" ("created_at");

CREATE FUNCTION "animal_evaluations_count_insert"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO row_counts ("table_name", "owner", "visible", "details", "total") SELECT 'animal_evaluations', coalesce(o, 0), coalesce(v, FALSE), coalesce(d, FALSE), sum(n) FROM (SELECT "animal_owner" AS o, "animal_visible" AS v, "animal_details" AS d, 1 AS n FROM added) AS r GROUP BY 2, 3, 4 HAVING sum(n) <> 0 ON CONFLICT ("table_name", "visible", "details", "owner") DO UPDATE SET "total" = row_counts."total" + excluded."total";
    RETURN NULL;
END $$;
CREATE TRIGGER "animal_evaluations_count_insert" AFTER INSERT ON "animal_evaluations" REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION "animal_evaluations_count_insert"();

CREATE FUNCTION "animal_evaluations_count_delete"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO row_counts ("table_name", "owner", "visible", "details", "total") SELECT 'animal_evaluations', coalesce(o, 0), coalesce(v, FALSE), coalesce(d, FALSE), sum(n) FROM (SELECT "animal_owner" AS o, "animal_visible" AS v, "animal_details" AS d, -1 AS n FROM removed) AS r GROUP BY 2, 3, 4 HAVING sum(n) <> 0 ON CONFLICT ("table_name", "visible", "details", "owner") DO UPDATE SET "total" = row_counts."total" + excluded."total";
    RETURN NULL;
END $$;
CREATE TRIGGER "animal_evaluations_count_delete" AFTER DELETE ON "animal_evaluations" REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION "animal_evaluations_count_delete"();

CREATE FUNCTION "animal_evaluations_count_update"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO row_counts ("table_name", "owner", "visible", "details", "total") SELECT 'animal_evaluations', coalesce(o, 0), coalesce(v, FALSE), coalesce(d, FALSE), sum(n) FROM (SELECT "animal_owner" AS o, "animal_visible" AS v, "animal_details" AS d, 1 AS n FROM added UNION ALL SELECT "animal_owner" AS o, "animal_visible" AS v, "animal_details" AS d, -1 AS n FROM removed) AS r GROUP BY 2, 3, 4 HAVING sum(n) <> 0 ON CONFLICT ("table_name", "visible", "details", "owner") DO UPDATE SET "total" = row_counts."total" + excluded."total";
    RETURN NULL;
END $$;
CREATE TRIGGER "animal_evaluations_count_update" AFTER UPDATE ON "animal_evaluations" REFERENCING NEW TABLE AS added OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION "animal_evaluations_count_update"();

CREATE TABLE "animal_exteriors" (
    "id" bigint PRIMARY KEY,
    "animal" bigint NOT NULL,
    "owner_org" bigint,
    "animal_owner" bigint,
    "animal_visible" boolean,
    "animal_details" boolean,
    "assessed_at" timestamptz NOT NULL,
    "lactation" bigint,
    "assessor" bigint,
    "assessor_org" bigint,
    "is_current" boolean,
    "height" bigint,
    "chest_width" bigint,
    "body_depth" bigint,
    "body_type" bigint,
    "rump_angle" bigint,
    "rump_width" bigint,
    "rear_legs_rear" bigint,
    "rear_legs_side" bigint,
    "hoof_angle" bigint,
    "front_legs" bigint,
    "movement" bigint,
    "fore_udder" bigint,
    "front_teat_placement" bigint,
    "teat_length" bigint,
    "udder_depth" bigint,
    "rear_udder" bigint,
    "central_ligament" bigint,
    "rear_teat_placement" bigint,
    "body_composite" double precision,
    "udder_composite" double precision,
    "legs_composite" double precision,
    "general_view" double precision,
    "body_volume" double precision,
    "dairy_character" double precision,
    "leg_quality" double precision,
    "udder_quality" double precision,
    "rear_body" double precision,
    "final_score" double precision,
    "final_class" text,
    "young_general" double precision,
    "young_body" double precision,
    "young_legs" double precision,
    "note" text,
    "sent_by" bigint,
    "by_exchange" boolean,
    "submission" bigint,
    "verification" text,
    "seq" bigint NOT NULL,
    "updated_at" timestamptz NOT NULL,
    "created_at" timestamptz NOT NULL
);
CREATE UNIQUE INDEX "animal_exteriors_animal_assessed_at_key" ON "animal_exteriors" ("animal", "assessed_at");
CREATE INDEX "animal_exteriors_animal_owner_assessed_at_idx" ON "animal_exteriors" ("animal_owner", "assessed_at");
CREATE INDEX "animal_exteriors_owner_org_idx" ON "animal_exteriors" ("owner_org") WHERE "owner_org" IS NOT NULL;
CREATE INDEX "animal_exteriors_assessed_at_idx" ON "animal_exteriors" ("assessed_at");
CREATE INDEX "animal_exteriors_assessor_idx" ON "animal_exteriors" ("assessor") WHERE "assessor" IS NOT NULL;
CREATE INDEX "animal_exteriors_assessor_org_idx" ON "animal_exteriors" ("assessor_org") WHERE "assessor_org" IS NOT NULL;
CREATE INDEX "animal_exteriors_is_current_idx" ON "animal_exteriors" ("is_current");
CREATE INDEX "animal_exteriors_sent_by_idx" ON "animal_exteriors" ("sent_by") WHERE "sent_by" IS NOT NULL;
CREATE INDEX "animal_exteriors_submission_idx" ON "animal_exteriors" ("submission") WHERE "submission" IS NOT NULL;
CREATE INDEX "animal_exteriors_updated_at_idx" ON "animal_exteriors" ("updated_at");
CREATE INDEX "animal_exteriors_created_at_idx" ON "animal_exteriors" ("created_at");

CREATE FUNCTION "animal_exteriors_count_insert"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO row_counts ("table_name", "owner", "visible", "details", "total") SELECT 'animal_exteriors', coalesce(o, 0), coalesce(v, FALSE), coalesce(d, FALSE), sum(n) FROM (SELECT "animal_owner" AS o, "animal_visible" AS v, "animal_details" AS d, 1 AS n FROM added) AS r GROUP BY 2, 3, 4 HAVING sum(n) <> 0 ON CONFLICT ("table_name", "visible", "details", "owner") DO UPDATE SET "total" = row_counts."total" + excluded."total";
    RETURN NULL;
END $$;
CREATE TRIGGER "animal_exteriors_count_insert" AFTER INSERT ON "animal_exteriors" REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION "animal_exteriors_count_insert"();

CREATE FUNCTION "animal_exteriors_count_delete"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO row_counts ("table_name", "owner", "visible", "details", "total") SELECT 'animal_exteriors', coalesce(o, 0), coalesce(v, FALSE), coalesce(d, FALSE), sum(n) FROM (SELECT "animal_owner" AS o, "animal_visible" AS v, "animal_details" AS d, -1 AS n FROM removed) AS r GROUP BY 2, 3, 4 HAVING sum(n) <> 0 ON CONFLICT ("table_name", "visible", "details", "owner") DO UPDATE SET "total" = row_counts."total" + excluded."total";
    RETURN NULL;
END $$;
CREATE TRIGGER "animal_exteriors_count_delete" AFTER DELETE ON "animal_exteriors" REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION "animal_exteriors_count_delete"();

CREATE FUNCTION "animal_exteriors_count_update"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO row_counts ("table_name", "owner", "visible", "details", "total") SELECT 'animal_exteriors', coalesce(o, 0), coalesce(v, FALSE), coalesce(d, FALSE), sum(n) FROM (SELECT "animal_owner" AS o, "animal_visible" AS v, "animal_details" AS d, 1 AS n FROM added UNION ALL SELECT "animal_owner" AS o, "animal_visible" AS v, "animal_details" AS d, -1 AS n FROM removed) AS r GROUP BY 2, 3, 4 HAVING sum(n) <> 0 ON CONFLICT ("table_name", "visible", "details", "owner") DO UPDATE SET "total" = row_counts."total" + excluded."total";
    RETURN NULL;
END $$;
CREATE TRIGGER "animal_exteriors_count_update" AFTER UPDATE ON "animal_exteriors" REFERENCING NEW TABLE AS added OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION "animal_exteriors_count_update"();

CREATE TABLE "gradings" (
    "id" bigint PRIMARY KEY,
    "animal" bigint NOT NULL,
    "owner_org" bigint,
    "animal_owner" bigint,
    "animal_visible" boolean,
    "animal_details" boolean,
    "date" timestamptz NOT NULL,
    "grade" text NOT NULL,
    "score" double precision,
    "assessor_org" bigint,
    "note" text,
    "submission" bigint,
    "verification" text,
    "seq" bigint NOT NULL,
    "updated_at" timestamptz NOT NULL,
    "created_at" timestamptz NOT NULL
);
CREATE INDEX "gradings_animal_date_idx" ON "gradings" ("animal", "date");
CREATE INDEX "gradings_animal_owner_date_idx" ON "gradings" ("animal_owner", "date");
CREATE INDEX "gradings_owner_org_idx" ON "gradings" ("owner_org") WHERE "owner_org" IS NOT NULL;
CREATE INDEX "gradings_date_idx" ON "gradings" ("date");
CREATE INDEX "gradings_assessor_org_idx" ON "gradings" ("assessor_org") WHERE "assessor_org" IS NOT NULL;
CREATE INDEX "gradings_submission_idx" ON "gradings" ("submission") WHERE "submission" IS NOT NULL;
CREATE INDEX "gradings_updated_at_idx" ON "gradings" ("updated_at");
CREATE INDEX "gradings_created_at_idx" ON "gradings" ("created_at");

CREATE FUNCTION "gradings_count_insert"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO row_counts ("table_name", "owner", "visible", "details", "total") SELECT 'gradings', coalesce(o, 0), coalesce(v, FALSE), coalesce(d, FALSE), sum(n) FROM (SELECT "animal_owner" AS o, "animal_visible" AS v, "animal_details" AS d, 1 AS n FROM added) AS r GROUP BY 2, 3, 4 HAVING sum(n) <> 0 ON CONFLICT ("table_name", "visible", "details", "owner") DO UPDATE SET "total" = row_counts."total" + excluded."total";
    RETURN NULL;
END $$;
CREATE TRIGGER "gradings_count_insert" AFTER INSERT ON "gradings" REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION "gradings_count_insert"();

CREATE FUNCTION "gradings_count_delete"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO row_counts ("table_name", "owner", "visible", "details", "total") SELECT 'gradings', coalesce(o, 0), coalesce(v, FALSE), coalesce(d, FALSE), sum(n) FROM (SELECT "animal_owner" AS o, "animal_visible" AS v, "animal_details" AS d, -1 AS n FROM removed) AS r GROUP BY 2, 3, 4 HAVING sum(n) <> 0 ON CONFLICT ("table_name", "visible", "details", "owner") DO UPDATE SET "total" = row_counts."total" + excluded."total";
    RETURN NULL;
END $$;
CREATE TRIGGER "gradings_count_delete" AFTER DELETE ON "gradings" REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION "gradings_count_delete"();

CREATE FUNCTION "gradings_count_update"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO row_counts ("table_name", "owner", "visible", "details", "total") SELECT 'gradings', coalesce(o, 0), coalesce(v, FALSE), coalesce(d, FALSE), sum(n) FROM (SELECT "animal_owner" AS o, "animal_visible" AS v, "animal_details" AS d, 1 AS n FROM added UNION ALL SELECT "animal_owner" AS o, "animal_visible" AS v, "animal_details" AS d, -1 AS n FROM removed) AS r GROUP BY 2, 3, 4 HAVING sum(n) <> 0 ON CONFLICT ("table_name", "visible", "details", "owner") DO UPDATE SET "total" = row_counts."total" + excluded."total";
    RETURN NULL;
END $$;
CREATE TRIGGER "gradings_count_update" AFTER UPDATE ON "gradings" REFERENCING NEW TABLE AS added OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION "gradings_count_update"();

CREATE TABLE "index_profiles" (
    "id" bigint PRIMARY KEY,
    "name" text NOT NULL,
    "kind" text NOT NULL,
    "hint" text,
    "organization" bigint,
    "is_default" boolean,
    "weights" json,
    "author" bigint,
    "seq" bigint NOT NULL,
    "updated_at" timestamptz NOT NULL,
    "created_at" timestamptz NOT NULL
);
CREATE INDEX "index_profiles_organization_idx" ON "index_profiles" ("organization") WHERE "organization" IS NOT NULL;
CREATE INDEX "index_profiles_author_idx" ON "index_profiles" ("author") WHERE "author" IS NOT NULL;
CREATE INDEX "index_profiles_updated_at_idx" ON "index_profiles" ("updated_at");
CREATE INDEX "index_profiles_created_at_idx" ON "index_profiles" ("created_at");

CREATE TABLE "index_values" (
    "id" bigint PRIMARY KEY,
    "animal" bigint NOT NULL,
    "profile_key" text NOT NULL,
    "profile_name" text,
    "organization" bigint,
    "kind" text,
    "weights" json,
    "base_version" text,
    "evaluation" bigint,
    "value" double precision NOT NULL,
    "reliability" double precision,
    "percentile" bigint,
    "cohort" bigint,
    "cohort_same_year" boolean,
    "rank" bigint,
    "used" bigint,
    "computed_at" timestamptz,
    "owner" bigint,
    "public_visible" boolean,
    "public_details" boolean,
    "archived" boolean,
    "state" text,
    "birth_year" bigint,
    "seq" bigint NOT NULL,
    "updated_at" timestamptz NOT NULL,
    "created_at" timestamptz NOT NULL
);
CREATE UNIQUE INDEX "index_values_animal_profile_key_key" ON "index_values" ("animal", "profile_key");
CREATE INDEX "index_values_profile_key_value_idx" ON "index_values" ("profile_key", "value");
CREATE INDEX "index_values_profile_key_birth_year_value_idx" ON "index_values" ("profile_key", "birth_year", "value");
CREATE INDEX "index_values_organization_idx" ON "index_values" ("organization") WHERE "organization" IS NOT NULL;
CREATE INDEX "index_values_evaluation_idx" ON "index_values" ("evaluation") WHERE "evaluation" IS NOT NULL;
CREATE INDEX "index_values_value_idx" ON "index_values" ("value");
CREATE INDEX "index_values_computed_at_idx" ON "index_values" ("computed_at");
CREATE INDEX "index_values_owner_idx" ON "index_values" ("owner") WHERE "owner" IS NOT NULL;
CREATE INDEX "index_values_updated_at_idx" ON "index_values" ("updated_at");
CREATE INDEX "index_values_created_at_idx" ON "index_values" ("created_at");

CREATE FUNCTION "index_values_count_insert"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO row_counts ("table_name", "owner", "visible", "details", "total") SELECT 'index_values', coalesce(o, 0), coalesce(v, FALSE), coalesce(d, FALSE), sum(n) FROM (SELECT "owner" AS o, "public_visible" AS v, "public_details" AS d, 1 AS n FROM added) AS r GROUP BY 2, 3, 4 HAVING sum(n) <> 0 ON CONFLICT ("table_name", "visible", "details", "owner") DO UPDATE SET "total" = row_counts."total" + excluded."total";
    RETURN NULL;
END $$;
CREATE TRIGGER "index_values_count_insert" AFTER INSERT ON "index_values" REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION "index_values_count_insert"();

CREATE FUNCTION "index_values_count_delete"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO row_counts ("table_name", "owner", "visible", "details", "total") SELECT 'index_values', coalesce(o, 0), coalesce(v, FALSE), coalesce(d, FALSE), sum(n) FROM (SELECT "owner" AS o, "public_visible" AS v, "public_details" AS d, -1 AS n FROM removed) AS r GROUP BY 2, 3, 4 HAVING sum(n) <> 0 ON CONFLICT ("table_name", "visible", "details", "owner") DO UPDATE SET "total" = row_counts."total" + excluded."total";
    RETURN NULL;
END $$;
CREATE TRIGGER "index_values_count_delete" AFTER DELETE ON "index_values" REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION "index_values_count_delete"();

CREATE FUNCTION "index_values_count_update"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO row_counts ("table_name", "owner", "visible", "details", "total") SELECT 'index_values', coalesce(o, 0), coalesce(v, FALSE), coalesce(d, FALSE), sum(n) FROM (SELECT "owner" AS o, "public_visible" AS v, "public_details" AS d, 1 AS n FROM added UNION ALL SELECT "owner" AS o, "public_visible" AS v, "public_details" AS d, -1 AS n FROM removed) AS r GROUP BY 2, 3, 4 HAVING sum(n) <> 0 ON CONFLICT ("table_name", "visible", "details", "owner") DO UPDATE SET "total" = row_counts."total" + excluded."total";
    RETURN NULL;
END $$;
CREATE TRIGGER "index_values_count_update" AFTER UPDATE ON "index_values" REFERENCING NEW TABLE AS added OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION "index_values_count_update"();

CREATE TABLE "index_bases" (
    "id" bigint PRIMARY KEY,
    "version" text NOT NULL,
    "source" text,
    "note" text,
    "is_active" boolean,
    "animals_used" bigint,
    "computed_at" timestamptz,
    "compared_with" text,
    "comparison" json,
    "traits" json,
    "seq" bigint NOT NULL,
    "updated_at" timestamptz NOT NULL,
    "created_at" timestamptz NOT NULL
);
CREATE UNIQUE INDEX "index_bases_version_key" ON "index_bases" ("version");
CREATE INDEX "index_bases_updated_at_idx" ON "index_bases" ("updated_at");
CREATE INDEX "index_bases_created_at_idx" ON "index_bases" ("created_at");

CREATE TABLE "evaluation_runs" (
    "id" bigint PRIMARY KEY,
    "title" text NOT NULL,
    "state" text,
    "queued_at" timestamptz,
    "started_at" timestamptz,
    "computed_at" timestamptz,
    "released_at" timestamptz,
    "evaluated_at" timestamptz,
    "commit" bigint,
    "digest" text,
    "method" text,
    "version" text,
    "animals" bigint,
    "records" bigint,
    "step" text,
    "done" bigint,
    "total" bigint,
    "skipped" bigint,
    "left_out" json,
    "results" json,
    "fault" text,
    "seq" bigint NOT NULL,
    "updated_at" timestamptz NOT NULL,
    "created_at" timestamptz NOT NULL
);
CREATE INDEX "evaluation_runs_evaluated_at_idx" ON "evaluation_runs" ("evaluated_at");
CREATE INDEX "evaluation_runs_updated_at_idx" ON "evaluation_runs" ("updated_at");
CREATE INDEX "evaluation_runs_created_at_idx" ON "evaluation_runs" ("created_at");

CREATE TABLE "index_runs" (
    "id" bigint PRIMARY KEY,
    "subject" text NOT NULL,
    "organization" bigint,
    "state" text NOT NULL,
    "queued_at" timestamptz,
    "due_at" timestamptz,
    "ran_at" timestamptz,
    "animals" bigint,
    "done" bigint,
    "cursor" bigint,
    "again" boolean,
    "seq" bigint NOT NULL,
    "updated_at" timestamptz NOT NULL,
    "created_at" timestamptz NOT NULL
);
CREATE UNIQUE INDEX "index_runs_subject_key" ON "index_runs" ("subject");
CREATE INDEX "index_runs_organization_idx" ON "index_runs" ("organization") WHERE "organization" IS NOT NULL;
CREATE INDEX "index_runs_updated_at_idx" ON "index_runs" ("updated_at");
CREATE INDEX "index_runs_created_at_idx" ON "index_runs" ("created_at");

CREATE TABLE "lactation_averages" (
    "id" bigint PRIMARY KEY,
    "organization" bigint,
    "region" text,
    "year" bigint NOT NULL,
    "parity" bigint NOT NULL,
    "trait" text NOT NULL,
    "mean" double precision NOT NULL,
    "animals" bigint NOT NULL,
    "seq" bigint NOT NULL,
    "updated_at" timestamptz NOT NULL,
    "created_at" timestamptz NOT NULL
);
CREATE INDEX "lactation_averages_organization_year_idx" ON "lactation_averages" ("organization", "year");
CREATE INDEX "lactation_averages_region_idx" ON "lactation_averages" ("region");
CREATE INDEX "lactation_averages_year_idx" ON "lactation_averages" ("year");
CREATE INDEX "lactation_averages_updated_at_idx" ON "lactation_averages" ("updated_at");
CREATE INDEX "lactation_averages_created_at_idx" ON "lactation_averages" ("created_at");

CREATE TABLE "data_submissions" (
    "id" bigint PRIMARY KEY,
    "number" text,
    "kind" text NOT NULL,
    "dataset" text,
    "status" text,
    "organization" bigint NOT NULL,
    "submitted_by" bigint,
    "submitted_at" timestamptz,
    "source_file" bigint,
    "sha256" text,
    "period_from" timestamptz,
    "period_to" timestamptz,
    "mapping" json,
    "replaces" bigint,
    "assignment" bigint,
    "intake_state" text,
    "intake_unchecked" boolean,
    "intake_read_at" timestamptz,
    "intake_fault" text,
    "intake_message" text,
    "intake_form" text,
    "intake_encoding" text,
    "intake_sheets" json,
    "intake_rows" bigint,
    "intake_created" bigint,
    "intake_updated" bigint,
    "intake_unchanged" bigint,
    "intake_skipped" bigint,
    "intake_held" bigint,
    "intake_mended" bigint,
    "intake_removed" bigint,
    "intake_issues" json,
    "intake_value_issues" json,
    "intake_done" bigint,
    "intake_tried" timestamptz,
    "intake_period_computed" boolean,
    "intake_told" boolean,
    "review_checked_by" bigint,
    "review_checked_at" timestamptz,
    "review_assignee" bigint,
    "review_findings" json,
    "review_comment" text,
    "review_total_rows" bigint,
    "review_accepted_rows" bigint,
    "review_rejected_rows" bigint,
    "review_error_protocol" bigint,
    "signature_by" bigint,
    "signature_at" timestamptz,
    "signature_sha256" text,
    "signature_rows" bigint,
    "signature_key" text,
    "signature_algorithm" text,
    "signature_value" text,
    "signature_statement" text,
    "consent_agreed" boolean,
    "consent_agreed_at" timestamptz,
    "consent_published_at" timestamptz,
    "history" json,
    "comments" json,
    "seq" bigint NOT NULL,
    "updated_at" timestamptz NOT NULL,
    "created_at" timestamptz NOT NULL
);
CREATE UNIQUE INDEX "data_submissions_organization_sha256_key" ON "data_submissions" ("organization", "sha256");
CREATE UNIQUE INDEX "data_submissions_number_key" ON "data_submissions" ("number");
CREATE INDEX "data_submissions_status_idx" ON "data_submissions" ("status");
CREATE INDEX "data_submissions_submitted_by_idx" ON "data_submissions" ("submitted_by") WHERE "submitted_by" IS NOT NULL;
CREATE INDEX "data_submissions_submitted_at_idx" ON "data_submissions" ("submitted_at");
CREATE INDEX "data_submissions_source_file_idx" ON "data_submissions" ("source_file") WHERE "source_file" IS NOT NULL;
CREATE INDEX "data_submissions_replaces_idx" ON "data_submissions" ("replaces") WHERE "replaces" IS NOT NULL;
CREATE INDEX "data_submissions_assignment_idx" ON "data_submissions" ("assignment") WHERE "assignment" IS NOT NULL;
CREATE INDEX "data_submissions_intake_unchecked_idx" ON "data_submissions" ("intake_unchecked");
CREATE INDEX "data_submissions_review_checked_by_idx" ON "data_submissions" ("review_checked_by") WHERE "review_checked_by" IS NOT NULL;
CREATE INDEX "data_submissions_review_assignee_idx" ON "data_submissions" ("review_assignee") WHERE "review_assignee" IS NOT NULL;
CREATE INDEX "data_submissions_review_error_protocol_idx" ON "data_submissions" ("review_error_protocol") WHERE "review_error_protocol" IS NOT NULL;
CREATE INDEX "data_submissions_signature_by_idx" ON "data_submissions" ("signature_by") WHERE "signature_by" IS NOT NULL;
CREATE INDEX "data_submissions_updated_at_idx" ON "data_submissions" ("updated_at");
CREATE INDEX "data_submissions_created_at_idx" ON "data_submissions" ("created_at");

CREATE TABLE "data_submissions__animals" (
    "owner" bigint NOT NULL,
    "position" bigint NOT NULL,
    "target" bigint NOT NULL,
    PRIMARY KEY ("owner", "position")
);
CREATE INDEX "data_submissions__animals_target_owner_idx" ON "data_submissions__animals" ("target", "owner");

CREATE TABLE "submission_rows" (
    "id" bigint PRIMARY KEY,
    "submission" bigint NOT NULL,
    "organization" bigint NOT NULL,
    "position" bigint NOT NULL,
    "sheet" text,
    "line" bigint,
    "ident" text,
    "state" text,
    "dataset" text,
    "collection" text,
    "record" bigint,
    "animal" bigint,
    "date" timestamptz,
    "cells" json,
    "faults" json,
    "mended" json,
    "waits" boolean,
    "before" json,
    "seq" bigint NOT NULL,
    "updated_at" timestamptz NOT NULL,
    "created_at" timestamptz NOT NULL
);
CREATE UNIQUE INDEX "submission_rows_submission_position_key" ON "submission_rows" ("submission", "position");
CREATE INDEX "submission_rows_submission_state_position_idx" ON "submission_rows" ("submission", "state", "position");
CREATE INDEX "submission_rows_organization_waits_idx" ON "submission_rows" ("organization", "waits");
CREATE INDEX "submission_rows_animal_idx" ON "submission_rows" ("animal") WHERE "animal" IS NOT NULL;
CREATE INDEX "submission_rows_updated_at_idx" ON "submission_rows" ("updated_at");
CREATE INDEX "submission_rows_created_at_idx" ON "submission_rows" ("created_at");

CREATE TABLE "upload_assignments" (
    "id" bigint PRIMARY KEY,
    "organization" bigint NOT NULL,
    "kind" text NOT NULL,
    "dataset" text,
    "period_from" timestamptz NOT NULL,
    "period_to" timestamptz NOT NULL,
    "due_date" timestamptz NOT NULL,
    "assignee" bigint,
    "submission" bigint,
    "status" text,
    "comment" text,
    "reminded" bigint,
    "seq" bigint NOT NULL,
    "updated_at" timestamptz NOT NULL,
    "created_at" timestamptz NOT NULL
);
CREATE INDEX "upload_assignments_organization_idx" ON "upload_assignments" ("organization");
CREATE INDEX "upload_assignments_due_date_idx" ON "upload_assignments" ("due_date");
CREATE INDEX "upload_assignments_assignee_idx" ON "upload_assignments" ("assignee") WHERE "assignee" IS NOT NULL;
CREATE INDEX "upload_assignments_submission_idx" ON "upload_assignments" ("submission") WHERE "submission" IS NOT NULL;
CREATE INDEX "upload_assignments_status_idx" ON "upload_assignments" ("status");
CREATE INDEX "upload_assignments_updated_at_idx" ON "upload_assignments" ("updated_at");
CREATE INDEX "upload_assignments_created_at_idx" ON "upload_assignments" ("created_at");

CREATE TABLE "verification_requests" (
    "id" bigint PRIMARY KEY,
    "number" text,
    "status" text,
    "purpose" text,
    "organization" bigint NOT NULL,
    "requested_by" bigint,
    "requested_at" timestamptz,
    "comment" text,
    "proposed" json,
    "withdrawn_at" timestamptz,
    "withdrawn_for" text,
    "review_assignee" bigint,
    "review_decided_by" bigint,
    "review_decided_at" timestamptz,
    "review_comment" text,
    "review_approved_count" bigint,
    "review_held_count" bigint,
    "review_held" json,
    "review_findings" json,
    "review_dismissed" json,
    "comments" json,
    "seq" bigint NOT NULL,
    "updated_at" timestamptz NOT NULL,
    "created_at" timestamptz NOT NULL
);
CREATE UNIQUE INDEX "verification_requests_number_key" ON "verification_requests" ("number");
CREATE INDEX "verification_requests_status_idx" ON "verification_requests" ("status");
CREATE INDEX "verification_requests_organization_idx" ON "verification_requests" ("organization");
CREATE INDEX "verification_requests_requested_by_idx" ON "verification_requests" ("requested_by") WHERE "requested_by" IS NOT NULL;
CREATE INDEX "verification_requests_requested_at_idx" ON "verification_requests" ("requested_at");
CREATE INDEX "verification_requests_review_assignee_idx" ON "verification_requests" ("review_assignee") WHERE "review_assignee" IS NOT NULL;
CREATE INDEX "verification_requests_review_decided_by_idx" ON "verification_requests" ("review_decided_by") WHERE "review_decided_by" IS NOT NULL;
CREATE INDEX "verification_requests_updated_at_idx" ON "verification_requests" ("updated_at");
CREATE INDEX "verification_requests_created_at_idx" ON "verification_requests" ("created_at");

CREATE TABLE "verification_requests__animals" (
    "owner" bigint NOT NULL,
    "position" bigint NOT NULL,
    "target" bigint NOT NULL,
    PRIMARY KEY ("owner", "position")
);
CREATE INDEX "verification_requests__animals_target_owner_idx" ON "verification_requests__animals" ("target", "owner");

CREATE TABLE "check_settings" (
    "id" bigint PRIMARY KEY,
    "code" text NOT NULL,
    "enabled" boolean,
    "severity" text,
    "note" text,
    "updated_by" bigint,
    "seq" bigint NOT NULL,
    "updated_at" timestamptz NOT NULL,
    "created_at" timestamptz NOT NULL
);
CREATE UNIQUE INDEX "check_settings_code_key" ON "check_settings" ("code");
CREATE INDEX "check_settings_updated_by_idx" ON "check_settings" ("updated_by") WHERE "updated_by" IS NOT NULL;
CREATE INDEX "check_settings_updated_at_idx" ON "check_settings" ("updated_at");
CREATE INDEX "check_settings_created_at_idx" ON "check_settings" ("created_at");

CREATE TABLE "check_thresholds" (
    "id" bigint PRIMARY KEY,
    "key" text NOT NULL,
    "value" double precision NOT NULL,
    "note" text,
    "updated_by" bigint,
    "seq" bigint NOT NULL,
    "updated_at" timestamptz NOT NULL,
    "created_at" timestamptz NOT NULL
);
CREATE UNIQUE INDEX "check_thresholds_key_key" ON "check_thresholds" ("key");
CREATE INDEX "check_thresholds_updated_by_idx" ON "check_thresholds" ("updated_by") WHERE "updated_by" IS NOT NULL;
CREATE INDEX "check_thresholds_updated_at_idx" ON "check_thresholds" ("updated_at");
CREATE INDEX "check_thresholds_created_at_idx" ON "check_thresholds" ("created_at");

CREATE TABLE "check_findings" (
    "id" bigint PRIMARY KEY,
    "code" text NOT NULL,
    "severity" text NOT NULL,
    "state" text,
    "collection" text NOT NULL,
    "record_id" bigint NOT NULL,
    "path" text NOT NULL,
    "animal" bigint,
    "herd" bigint,
    "submission" bigint,
    "organization" bigint,
    "message_en" text,
    "message_ru" text,
    "first_seen_at" timestamptz,
    "last_seen_at" timestamptz,
    "dismissed_by" bigint,
    "dismissed_at" timestamptz,
    "dismissed_reason" text,
    "source" bigint,
    "seq" bigint NOT NULL,
    "updated_at" timestamptz NOT NULL,
    "created_at" timestamptz NOT NULL
);
CREATE UNIQUE INDEX "check_findings_record_id_collection_code_path_key" ON "check_findings" ("record_id", "collection", "code", "path");
CREATE INDEX "check_findings_organization_state_severity_idx" ON "check_findings" ("organization", "state", "severity");
CREATE INDEX "check_findings_severity_state_idx" ON "check_findings" ("severity", "state");
CREATE INDEX "check_findings_code_idx" ON "check_findings" ("code");
CREATE INDEX "check_findings_animal_idx" ON "check_findings" ("animal") WHERE "animal" IS NOT NULL;
CREATE INDEX "check_findings_herd_idx" ON "check_findings" ("herd") WHERE "herd" IS NOT NULL;
CREATE INDEX "check_findings_submission_idx" ON "check_findings" ("submission") WHERE "submission" IS NOT NULL;
CREATE INDEX "check_findings_dismissed_by_idx" ON "check_findings" ("dismissed_by") WHERE "dismissed_by" IS NOT NULL;
CREATE INDEX "check_findings_source_idx" ON "check_findings" ("source") WHERE "source" IS NOT NULL;
CREATE INDEX "check_findings_updated_at_idx" ON "check_findings" ("updated_at");
CREATE INDEX "check_findings_created_at_idx" ON "check_findings" ("created_at");

CREATE TABLE "pending_columns" (
    "id" bigint PRIMARY KEY,
    "owner_org" bigint,
    "title" text NOT NULL,
    "normalized" text NOT NULL,
    "dataset" text,
    "status" text,
    "maps_to" text,
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
CREATE INDEX "pending_columns_owner_org_idx" ON "pending_columns" ("owner_org") WHERE "owner_org" IS NOT NULL;
CREATE UNIQUE INDEX "pending_columns_normalized_key" ON "pending_columns" ("normalized");
CREATE INDEX "pending_columns_status_idx" ON "pending_columns" ("status");
CREATE INDEX "pending_columns_decision_decided_by_idx" ON "pending_columns" ("decision_decided_by") WHERE "decision_decided_by" IS NOT NULL;
CREATE INDEX "pending_columns_last_seen_at_idx" ON "pending_columns" ("last_seen_at");
CREATE INDEX "pending_columns_updated_at_idx" ON "pending_columns" ("updated_at");
CREATE INDEX "pending_columns_created_at_idx" ON "pending_columns" ("created_at");

CREATE TABLE "pending_columns__organizations" (
    "owner" bigint NOT NULL,
    "position" bigint NOT NULL,
    "target" bigint NOT NULL,
    PRIMARY KEY ("owner", "position")
);
CREATE INDEX "pending_columns__organizations_target_owner_idx" ON "pending_columns__organizations" ("target", "owner");

CREATE TABLE "pending_columns__submissions" (
    "owner" bigint NOT NULL,
    "position" bigint NOT NULL,
    "target" bigint NOT NULL,
    PRIMARY KEY ("owner", "position")
);
CREATE INDEX "pending_columns__submissions_target_owner_idx" ON "pending_columns__submissions" ("target", "owner");

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
CREATE UNIQUE INDEX "pending_values_target_normalized_key" ON "pending_values" ("target", "normalized");
CREATE INDEX "pending_values_owner_org_idx" ON "pending_values" ("owner_org") WHERE "owner_org" IS NOT NULL;
CREATE INDEX "pending_values_status_idx" ON "pending_values" ("status");
CREATE INDEX "pending_values_decision_decided_by_idx" ON "pending_values" ("decision_decided_by") WHERE "decision_decided_by" IS NOT NULL;
CREATE INDEX "pending_values_last_seen_at_idx" ON "pending_values" ("last_seen_at");
CREATE INDEX "pending_values_updated_at_idx" ON "pending_values" ("updated_at");
CREATE INDEX "pending_values_created_at_idx" ON "pending_values" ("created_at");

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

CREATE TABLE "documents" (
    "id" bigint PRIMARY KEY,
    "title" text NOT NULL,
    "type" text,
    "number" text,
    "issued_at" timestamptz,
    "public_code" text,
    "animal" bigint,
    "organization" bigint,
    "file" bigint,
    "snapshot" json,
    "issued_by" bigint,
    "lab_name" text,
    "disputed" bigint NOT NULL,
    "revoked_at" timestamptz,
    "revoked_by" bigint,
    "revoked_reason" text,
    "seq" bigint NOT NULL,
    "updated_at" timestamptz NOT NULL,
    "created_at" timestamptz NOT NULL
);
CREATE UNIQUE INDEX "documents_number_disputed_key" ON "documents" ("number", "disputed");
CREATE INDEX "documents_public_code_idx" ON "documents" ("public_code");
CREATE INDEX "documents_animal_idx" ON "documents" ("animal") WHERE "animal" IS NOT NULL;
CREATE INDEX "documents_organization_idx" ON "documents" ("organization") WHERE "organization" IS NOT NULL;
CREATE INDEX "documents_file_idx" ON "documents" ("file") WHERE "file" IS NOT NULL;
CREATE INDEX "documents_issued_by_idx" ON "documents" ("issued_by") WHERE "issued_by" IS NOT NULL;
CREATE INDEX "documents_lab_name_idx" ON "documents" ("lab_name");
CREATE INDEX "documents_revoked_at_idx" ON "documents" ("revoked_at");
CREATE INDEX "documents_revoked_by_idx" ON "documents" ("revoked_by") WHERE "revoked_by" IS NOT NULL;
CREATE INDEX "documents_updated_at_idx" ON "documents" ("updated_at");
CREATE INDEX "documents_created_at_idx" ON "documents" ("created_at");

CREATE TABLE "media" (
    "id" bigint PRIMARY KEY,
    "alt" text,
    "owner" bigint,
    "visibility" text,
    "url" text,
    "thumbnail_url" text,
    "filename" text,
    "mime_type" text,
    "filesize" bigint,
    "width" bigint,
    "height" bigint,
    "focal_x" double precision,
    "focal_y" double precision,
    "file_key" text,
    "sha256" text,
    "sizes_thumbnail_url" text,
    "sizes_thumbnail_width" bigint,
    "sizes_thumbnail_height" bigint,
    "sizes_thumbnail_mime_type" text,
    "sizes_thumbnail_filesize" bigint,
    "sizes_thumbnail_filename" text,
    "sizes_card_url" text,
    "sizes_card_width" bigint,
    "sizes_card_height" bigint,
    "sizes_card_mime_type" text,
    "sizes_card_filesize" bigint,
    "sizes_card_filename" text,
    "seq" bigint NOT NULL,
    "updated_at" timestamptz NOT NULL,
    "created_at" timestamptz NOT NULL
);
CREATE INDEX "media_owner_idx" ON "media" ("owner") WHERE "owner" IS NOT NULL;
CREATE INDEX "media_visibility_idx" ON "media" ("visibility");
CREATE INDEX "media_filename_idx" ON "media" ("filename");
CREATE UNIQUE INDEX "media_file_key_key" ON "media" ("file_key");
CREATE INDEX "media_sha256_idx" ON "media" ("sha256");
CREATE INDEX "media_sizes_thumbnail_filename_idx" ON "media" ("sizes_thumbnail_filename");
CREATE INDEX "media_sizes_card_filename_idx" ON "media" ("sizes_card_filename");
CREATE INDEX "media_updated_at_idx" ON "media" ("updated_at");
CREATE INDEX "media_created_at_idx" ON "media" ("created_at");

CREATE TABLE "animal_gallery" (
    "id" bigint PRIMARY KEY,
    "animal" bigint NOT NULL,
    "media" bigint NOT NULL,
    "kind" text,
    "view" text,
    "taken_on" timestamptz,
    "credit" text,
    "caption" text,
    "sort_order" bigint,
    "is_main" boolean,
    "moderation" text,
    "seq" bigint NOT NULL,
    "updated_at" timestamptz NOT NULL,
    "created_at" timestamptz NOT NULL
);
CREATE INDEX "animal_gallery_animal_sort_order_idx" ON "animal_gallery" ("animal", "sort_order");
CREATE INDEX "animal_gallery_media_idx" ON "animal_gallery" ("media");
CREATE INDEX "animal_gallery_moderation_idx" ON "animal_gallery" ("moderation");
CREATE INDEX "animal_gallery_updated_at_idx" ON "animal_gallery" ("updated_at");
CREATE INDEX "animal_gallery_created_at_idx" ON "animal_gallery" ("created_at");

CREATE TABLE "users" (
    "id" bigint PRIMARY KEY,
    "email" text NOT NULL,
    "last_name" text NOT NULL,
    "first_name" text NOT NULL,
    "middle_name" text,
    "role" text NOT NULL,
    "phone" text,
    "organization" bigint,
    "position" text,
    "org_role" text,
    "blocked_at" timestamptz,
    "blocked_by" bigint,
    "block_reason" text,
    "confirmed" boolean,
    "accepted_policy" boolean,
    "notify_submissions" boolean,
    "notify_trust" boolean,
    "notify_work" boolean,
    "notify_news" boolean,
    "language" text,
    "notify_seen_at" timestamptz,
    "enable_api_key" boolean,
    "api_key_index" text,
    "verifier" text,
    "sessions" json,
    "reset_token" text,
    "reset_until" timestamptz,
    "new_email" text,
    "new_email_token" text,
    "new_email_until" timestamptz,
    "second_factor" json,
    "passkey_handle" text,
    "seq" bigint NOT NULL,
    "updated_at" timestamptz NOT NULL,
    "created_at" timestamptz NOT NULL
);
CREATE UNIQUE INDEX "users_email_key" ON "users" ("email");
CREATE INDEX "users_organization_idx" ON "users" ("organization") WHERE "organization" IS NOT NULL;
CREATE INDEX "users_org_role_idx" ON "users" ("org_role");
CREATE INDEX "users_blocked_at_idx" ON "users" ("blocked_at");
CREATE INDEX "users_blocked_by_idx" ON "users" ("blocked_by") WHERE "blocked_by" IS NOT NULL;
CREATE INDEX "users_api_key_index_idx" ON "users" ("api_key_index");
CREATE INDEX "users_reset_token_idx" ON "users" ("reset_token");
CREATE INDEX "users_new_email_token_idx" ON "users" ("new_email_token");
CREATE INDEX "users_passkey_handle_idx" ON "users" ("passkey_handle");
CREATE INDEX "users_updated_at_idx" ON "users" ("updated_at");
CREATE INDEX "users_created_at_idx" ON "users" ("created_at");

CREATE TABLE "organizations" (
    "id" bigint PRIMARY KEY,
    "name" text NOT NULL,
    "short_name" text,
    "name_key" text,
    "presence" text,
    "referenced_by" bigint,
    "merged_into" bigint,
    "type" text,
    "activities" json,
    "inn" text,
    "kpp" text,
    "ogrn" text,
    "region" text,
    "time_zone" text,
    "phone" text,
    "email" text,
    "address" text,
    "membership" text,
    "work_letter_week" timestamptz,
    "membership_review_decided_by" bigint,
    "membership_review_decided_at" timestamptz,
    "membership_review_since" timestamptz,
    "membership_review_comment" text,
    "seq" bigint NOT NULL,
    "updated_at" timestamptz NOT NULL,
    "created_at" timestamptz NOT NULL
);
CREATE INDEX "organizations_name_key_idx" ON "organizations" ("name_key");
CREATE INDEX "organizations_presence_idx" ON "organizations" ("presence");
CREATE INDEX "organizations_referenced_by_idx" ON "organizations" ("referenced_by") WHERE "referenced_by" IS NOT NULL;
CREATE INDEX "organizations_merged_into_idx" ON "organizations" ("merged_into") WHERE "merged_into" IS NOT NULL;
CREATE INDEX "organizations_membership_idx" ON "organizations" ("membership");
CREATE INDEX "organizations_membership_review_decided_by_idx" ON "organizations" ("membership_review_decided_by") WHERE "membership_review_decided_by" IS NOT NULL;
CREATE INDEX "organizations_updated_at_idx" ON "organizations" ("updated_at");
CREATE INDEX "organizations_created_at_idx" ON "organizations" ("created_at");

CREATE TABLE "invitations" (
    "id" bigint PRIMARY KEY,
    "email" text NOT NULL,
    "org_role" text NOT NULL,
    "organization" bigint NOT NULL,
    "token_digest" text,
    "expires_at" timestamptz,
    "accepted_at" timestamptz,
    "revoked_at" timestamptz,
    "letter_failed_at" timestamptz,
    "invited_by" bigint,
    "accepted_by" bigint,
    "note" text,
    "seq" bigint NOT NULL,
    "updated_at" timestamptz NOT NULL,
    "created_at" timestamptz NOT NULL
);
CREATE INDEX "invitations_email_idx" ON "invitations" ("email");
CREATE INDEX "invitations_organization_idx" ON "invitations" ("organization");
CREATE INDEX "invitations_token_digest_idx" ON "invitations" ("token_digest");
CREATE INDEX "invitations_expires_at_idx" ON "invitations" ("expires_at");
CREATE INDEX "invitations_invited_by_idx" ON "invitations" ("invited_by") WHERE "invited_by" IS NOT NULL;
CREATE INDEX "invitations_accepted_by_idx" ON "invitations" ("accepted_by") WHERE "accepted_by" IS NOT NULL;
CREATE INDEX "invitations_updated_at_idx" ON "invitations" ("updated_at");
CREATE INDEX "invitations_created_at_idx" ON "invitations" ("created_at");

CREATE TABLE "access_requests" (
    "id" bigint PRIMARY KEY,
    "animal" bigint NOT NULL,
    "owner" bigint,
    "requester" bigint,
    "requester_org" bigint,
    "purpose" text NOT NULL,
    "status" text,
    "scopes" json,
    "comment" text,
    "response" text,
    "decided_at" timestamptz,
    "decided_by" bigint,
    "seq" bigint NOT NULL,
    "updated_at" timestamptz NOT NULL,
    "created_at" timestamptz NOT NULL
);
CREATE INDEX "access_requests_owner_status_idx" ON "access_requests" ("owner", "status");
CREATE INDEX "access_requests_requester_animal_idx" ON "access_requests" ("requester", "animal");
CREATE INDEX "access_requests_animal_idx" ON "access_requests" ("animal");
CREATE INDEX "access_requests_requester_org_idx" ON "access_requests" ("requester_org") WHERE "requester_org" IS NOT NULL;
CREATE INDEX "access_requests_status_idx" ON "access_requests" ("status");
CREATE INDEX "access_requests_decided_by_idx" ON "access_requests" ("decided_by") WHERE "decided_by" IS NOT NULL;
CREATE INDEX "access_requests_updated_at_idx" ON "access_requests" ("updated_at");
CREATE INDEX "access_requests_created_at_idx" ON "access_requests" ("created_at");

CREATE TABLE "access_grants" (
    "id" bigint PRIMARY KEY,
    "owner" bigint,
    "grantee" bigint NOT NULL,
    "animal" bigint,
    "scopes" json NOT NULL,
    "expires_at" timestamptz,
    "issued_by" bigint,
    "revoked_at" timestamptz,
    "revoked_by" bigint,
    "request" bigint,
    "note" text,
    "last_seen_at" timestamptz,
    "opened_with" text,
    "seq" bigint NOT NULL,
    "updated_at" timestamptz NOT NULL,
    "created_at" timestamptz NOT NULL
);
CREATE INDEX "access_grants_grantee_revoked_at_idx" ON "access_grants" ("grantee", "revoked_at");
CREATE INDEX "access_grants_owner_revoked_at_idx" ON "access_grants" ("owner", "revoked_at");
CREATE INDEX "access_grants_grantee_animal_idx" ON "access_grants" ("grantee", "animal");
CREATE INDEX "access_grants_animal_idx" ON "access_grants" ("animal") WHERE "animal" IS NOT NULL;
CREATE INDEX "access_grants_issued_by_idx" ON "access_grants" ("issued_by") WHERE "issued_by" IS NOT NULL;
CREATE INDEX "access_grants_revoked_at_idx" ON "access_grants" ("revoked_at");
CREATE INDEX "access_grants_revoked_by_idx" ON "access_grants" ("revoked_by") WHERE "revoked_by" IS NOT NULL;
CREATE INDEX "access_grants_request_idx" ON "access_grants" ("request") WHERE "request" IS NOT NULL;
CREATE INDEX "access_grants_opened_with_idx" ON "access_grants" ("opened_with");
CREATE INDEX "access_grants_updated_at_idx" ON "access_grants" ("updated_at");
CREATE INDEX "access_grants_created_at_idx" ON "access_grants" ("created_at");

CREATE TABLE "genotype_consents" (
    "id" bigint PRIMARY KEY,
    "owner" bigint,
    "animal" bigint,
    "grantee" bigint,
    "purposes" json NOT NULL,
    "granted_at" timestamptz,
    "expires_at" timestamptz,
    "revoked_at" timestamptz,
    "document" bigint,
    "issued_by" bigint,
    "note" text,
    "opened_with" text,
    "seq" bigint NOT NULL,
    "updated_at" timestamptz NOT NULL,
    "created_at" timestamptz NOT NULL
);
CREATE INDEX "genotype_consents_grantee_revoked_at_idx" ON "genotype_consents" ("grantee", "revoked_at");
CREATE INDEX "genotype_consents_owner_revoked_at_idx" ON "genotype_consents" ("owner", "revoked_at");
CREATE INDEX "genotype_consents_animal_idx" ON "genotype_consents" ("animal") WHERE "animal" IS NOT NULL;
CREATE INDEX "genotype_consents_revoked_at_idx" ON "genotype_consents" ("revoked_at");
CREATE INDEX "genotype_consents_document_idx" ON "genotype_consents" ("document") WHERE "document" IS NOT NULL;
CREATE INDEX "genotype_consents_issued_by_idx" ON "genotype_consents" ("issued_by") WHERE "issued_by" IS NOT NULL;
CREATE INDEX "genotype_consents_opened_with_idx" ON "genotype_consents" ("opened_with");
CREATE INDEX "genotype_consents_updated_at_idx" ON "genotype_consents" ("updated_at");
CREATE INDEX "genotype_consents_created_at_idx" ON "genotype_consents" ("created_at");

CREATE TABLE "share_links" (
    "id" bigint PRIMARY KEY,
    "token_digest" text,
    "owner" bigint,
    "created_by" bigint,
    "scopes" json NOT NULL,
    "expires_at" timestamptz NOT NULL,
    "revoked_at" timestamptz,
    "note" text,
    "opens" bigint,
    "last_opened_at" timestamptz,
    "opened_with" text,
    "seq" bigint NOT NULL,
    "updated_at" timestamptz NOT NULL,
    "created_at" timestamptz NOT NULL
);
CREATE UNIQUE INDEX "share_links_token_digest_key" ON "share_links" ("token_digest");
CREATE INDEX "share_links_owner_idx" ON "share_links" ("owner") WHERE "owner" IS NOT NULL;
CREATE INDEX "share_links_created_by_idx" ON "share_links" ("created_by") WHERE "created_by" IS NOT NULL;
CREATE INDEX "share_links_expires_at_idx" ON "share_links" ("expires_at");
CREATE INDEX "share_links_opened_with_idx" ON "share_links" ("opened_with");
CREATE INDEX "share_links_updated_at_idx" ON "share_links" ("updated_at");
CREATE INDEX "share_links_created_at_idx" ON "share_links" ("created_at");

CREATE TABLE "share_links__animals" (
    "owner" bigint NOT NULL,
    "position" bigint NOT NULL,
    "target" bigint NOT NULL,
    PRIMARY KEY ("owner", "position")
);
CREATE INDEX "share_links__animals_target_owner_idx" ON "share_links__animals" ("target", "owner");

CREATE TABLE "mandates" (
    "id" bigint PRIMARY KEY,
    "grantor" bigint NOT NULL,
    "receiver" bigint NOT NULL,
    "datasets" json NOT NULL,
    "valid_from" timestamptz,
    "valid_until" timestamptz,
    "revoked_at" timestamptz,
    "issued_by" bigint,
    "revoked_by" bigint,
    "note" text,
    "opened_with" text,
    "seq" bigint NOT NULL,
    "updated_at" timestamptz NOT NULL,
    "created_at" timestamptz NOT NULL
);
CREATE INDEX "mandates_receiver_revoked_at_idx" ON "mandates" ("receiver", "revoked_at");
CREATE INDEX "mandates_grantor_idx" ON "mandates" ("grantor");
CREATE INDEX "mandates_revoked_at_idx" ON "mandates" ("revoked_at");
CREATE INDEX "mandates_issued_by_idx" ON "mandates" ("issued_by") WHERE "issued_by" IS NOT NULL;
CREATE INDEX "mandates_revoked_by_idx" ON "mandates" ("revoked_by") WHERE "revoked_by" IS NOT NULL;
CREATE INDEX "mandates_opened_with_idx" ON "mandates" ("opened_with");
CREATE INDEX "mandates_updated_at_idx" ON "mandates" ("updated_at");
CREATE INDEX "mandates_created_at_idx" ON "mandates" ("created_at");

CREATE TABLE "animal_revisions" (
    "id" bigint PRIMARY KEY,
    "owner_org" bigint,
    "collection" text,
    "record_id" bigint,
    "animal" bigint,
    "at" timestamptz NOT NULL,
    "user" bigint,
    "path" text NOT NULL,
    "label" text,
    "before" text,
    "after" text,
    "source" text,
    "class" text,
    "seq" bigint NOT NULL,
    "updated_at" timestamptz NOT NULL,
    "created_at" timestamptz NOT NULL
);
CREATE INDEX "animal_revisions_animal_at_idx" ON "animal_revisions" ("animal", "at");
CREATE INDEX "animal_revisions_collection_record_id_idx" ON "animal_revisions" ("collection", "record_id");
CREATE INDEX "animal_revisions_owner_org_idx" ON "animal_revisions" ("owner_org") WHERE "owner_org" IS NOT NULL;
CREATE INDEX "animal_revisions_at_idx" ON "animal_revisions" ("at");
CREATE INDEX "animal_revisions_user_idx" ON "animal_revisions" ("user") WHERE "user" IS NOT NULL;
CREATE INDEX "animal_revisions_updated_at_idx" ON "animal_revisions" ("updated_at");
CREATE INDEX "animal_revisions_created_at_idx" ON "animal_revisions" ("created_at");

CREATE TABLE "operations" (
    "id" bigint PRIMARY KEY,
    "at" timestamptz NOT NULL,
    "action" text NOT NULL,
    "actor" bigint,
    "actor_name" text,
    "organization" bigint,
    "subject_type" text,
    "subject_id" bigint,
    "subject" text,
    "summary" text,
    "ip" text,
    "seq" bigint NOT NULL,
    "updated_at" timestamptz NOT NULL,
    "created_at" timestamptz NOT NULL
);
CREATE INDEX "operations_organization_at_idx" ON "operations" ("organization", "at");
CREATE INDEX "operations_action_at_idx" ON "operations" ("action", "at");
CREATE INDEX "operations_at_idx" ON "operations" ("at");
CREATE INDEX "operations_actor_idx" ON "operations" ("actor") WHERE "actor" IS NOT NULL;
CREATE INDEX "operations_updated_at_idx" ON "operations" ("updated_at");
CREATE INDEX "operations_created_at_idx" ON "operations" ("created_at");

CREATE TABLE "access_views" (
    "id" bigint PRIMARY KEY,
    "animal" bigint NOT NULL,
    "viewer_org" bigint NOT NULL,
    "owner" bigint NOT NULL,
    "grant" bigint,
    "viewer" bigint,
    "scopes" json,
    "first_at" timestamptz,
    "at" timestamptz NOT NULL,
    "sessions" bigint,
    "seq" bigint NOT NULL,
    "updated_at" timestamptz NOT NULL,
    "created_at" timestamptz NOT NULL
);
CREATE INDEX "access_views_animal_viewer_org_at_idx" ON "access_views" ("animal", "viewer_org", "at");
CREATE INDEX "access_views_viewer_org_idx" ON "access_views" ("viewer_org");
CREATE INDEX "access_views_owner_idx" ON "access_views" ("owner");
CREATE INDEX "access_views_grant_idx" ON "access_views" ("grant") WHERE "grant" IS NOT NULL;
CREATE INDEX "access_views_viewer_idx" ON "access_views" ("viewer") WHERE "viewer" IS NOT NULL;
CREATE INDEX "access_views_at_idx" ON "access_views" ("at");
CREATE INDEX "access_views_updated_at_idx" ON "access_views" ("updated_at");
CREATE INDEX "access_views_created_at_idx" ON "access_views" ("created_at");

CREATE TABLE "animal_removals" (
    "id" bigint PRIMARY KEY,
    "ident_number" text NOT NULL,
    "uuid" text,
    "name" text,
    "owner" bigint,
    "birth_date" timestamptz,
    "archived_at" timestamptz,
    "removed_at" timestamptz,
    "archived_by" bigint,
    "archive_reason" text,
    "removed_records" bigint,
    "snapshot" json,
    "seq" bigint NOT NULL,
    "updated_at" timestamptz NOT NULL,
    "created_at" timestamptz NOT NULL
);
CREATE INDEX "animal_removals_ident_number_idx" ON "animal_removals" ("ident_number");
CREATE INDEX "animal_removals_owner_idx" ON "animal_removals" ("owner") WHERE "owner" IS NOT NULL;
CREATE INDEX "animal_removals_removed_at_idx" ON "animal_removals" ("removed_at");
CREATE INDEX "animal_removals_archived_by_idx" ON "animal_removals" ("archived_by") WHERE "archived_by" IS NOT NULL;
CREATE INDEX "animal_removals_updated_at_idx" ON "animal_removals" ("updated_at");
CREATE INDEX "animal_removals_created_at_idx" ON "animal_removals" ("created_at");

CREATE TABLE "breeds" (
    "id" bigint PRIMARY KEY,
    "code" text NOT NULL,
    "name" text NOT NULL,
    "name_english" text,
    "sort_order" bigint,
    "description" text,
    "aliases" json,
    "fgias_uuid" text,
    "is_active" boolean,
    "whff_code" text,
    "icar2" text,
    "is_improver" boolean,
    "direction" text,
    "seq" bigint NOT NULL,
    "updated_at" timestamptz NOT NULL,
    "created_at" timestamptz NOT NULL
);
CREATE UNIQUE INDEX "breeds_code_key" ON "breeds" ("code");
CREATE INDEX "breeds_fgias_uuid_idx" ON "breeds" ("fgias_uuid");
CREATE INDEX "breeds_whff_code_idx" ON "breeds" ("whff_code");
CREATE INDEX "breeds_updated_at_idx" ON "breeds" ("updated_at");
CREATE INDEX "breeds_created_at_idx" ON "breeds" ("created_at");

CREATE TABLE "lines" (
    "id" bigint PRIMARY KEY,
    "code" text NOT NULL,
    "name" text NOT NULL,
    "name_english" text,
    "sort_order" bigint,
    "description" text,
    "aliases" json,
    "fgias_uuid" text,
    "is_active" boolean,
    "kind" text,
    "parent_line" bigint,
    "founder" bigint,
    "seq" bigint NOT NULL,
    "updated_at" timestamptz NOT NULL,
    "created_at" timestamptz NOT NULL
);
CREATE UNIQUE INDEX "lines_code_key" ON "lines" ("code");
CREATE INDEX "lines_fgias_uuid_idx" ON "lines" ("fgias_uuid");
CREATE INDEX "lines_kind_idx" ON "lines" ("kind");
CREATE INDEX "lines_parent_line_idx" ON "lines" ("parent_line") WHERE "parent_line" IS NOT NULL;
CREATE INDEX "lines_founder_idx" ON "lines" ("founder") WHERE "founder" IS NOT NULL;
CREATE INDEX "lines_updated_at_idx" ON "lines" ("updated_at");
CREATE INDEX "lines_created_at_idx" ON "lines" ("created_at");

CREATE TABLE "breeding_categories" (
    "id" bigint PRIMARY KEY,
    "code" text NOT NULL,
    "name" text NOT NULL,
    "name_english" text,
    "sort_order" bigint,
    "description" text,
    "aliases" json,
    "fgias_uuid" text,
    "is_active" boolean,
    "allows_incomplete_pedigree" boolean,
    "seq" bigint NOT NULL,
    "updated_at" timestamptz NOT NULL,
    "created_at" timestamptz NOT NULL
);
CREATE UNIQUE INDEX "breeding_categories_code_key" ON "breeding_categories" ("code");
CREATE INDEX "breeding_categories_fgias_uuid_idx" ON "breeding_categories" ("fgias_uuid");
CREATE INDEX "breeding_categories_updated_at_idx" ON "breeding_categories" ("updated_at");
CREATE INDEX "breeding_categories_created_at_idx" ON "breeding_categories" ("created_at");

CREATE TABLE "breeding_classes" (
    "id" bigint PRIMARY KEY,
    "code" text NOT NULL,
    "name" text NOT NULL,
    "name_english" text,
    "sort_order" bigint,
    "description" text,
    "aliases" json,
    "fgias_uuid" text,
    "is_active" boolean,
    "seq" bigint NOT NULL,
    "updated_at" timestamptz NOT NULL,
    "created_at" timestamptz NOT NULL
);
CREATE UNIQUE INDEX "breeding_classes_code_key" ON "breeding_classes" ("code");
CREATE INDEX "breeding_classes_fgias_uuid_idx" ON "breeding_classes" ("fgias_uuid");
CREATE INDEX "breeding_classes_updated_at_idx" ON "breeding_classes" ("updated_at");
CREATE INDEX "breeding_classes_created_at_idx" ON "breeding_classes" ("created_at");

CREATE TABLE "animal_purposes" (
    "id" bigint PRIMARY KEY,
    "code" text NOT NULL,
    "name" text NOT NULL,
    "name_english" text,
    "sort_order" bigint,
    "description" text,
    "aliases" json,
    "fgias_uuid" text,
    "is_active" boolean,
    "seq" bigint NOT NULL,
    "updated_at" timestamptz NOT NULL,
    "created_at" timestamptz NOT NULL
);
CREATE UNIQUE INDEX "animal_purposes_code_key" ON "animal_purposes" ("code");
CREATE INDEX "animal_purposes_fgias_uuid_idx" ON "animal_purposes" ("fgias_uuid");
CREATE INDEX "animal_purposes_updated_at_idx" ON "animal_purposes" ("updated_at");
CREATE INDEX "animal_purposes_created_at_idx" ON "animal_purposes" ("created_at");

CREATE TABLE "disposal_reasons" (
    "id" bigint PRIMARY KEY,
    "code" text NOT NULL,
    "name" text NOT NULL,
    "name_english" text,
    "sort_order" bigint,
    "description" text,
    "aliases" json,
    "fgias_uuid" text,
    "is_active" boolean,
    "state" text,
    "ade_reason" text,
    "ade_death_reason" text,
    "ade_death_method" text,
    "seq" bigint NOT NULL,
    "updated_at" timestamptz NOT NULL,
    "created_at" timestamptz NOT NULL
);
CREATE UNIQUE INDEX "disposal_reasons_code_key" ON "disposal_reasons" ("code");
CREATE INDEX "disposal_reasons_fgias_uuid_idx" ON "disposal_reasons" ("fgias_uuid");
CREATE INDEX "disposal_reasons_updated_at_idx" ON "disposal_reasons" ("updated_at");
CREATE INDEX "disposal_reasons_created_at_idx" ON "disposal_reasons" ("created_at");

CREATE TABLE "coat_colors" (
    "id" bigint PRIMARY KEY,
    "code" text NOT NULL,
    "name" text NOT NULL,
    "name_english" text,
    "sort_order" bigint,
    "description" text,
    "aliases" json,
    "fgias_uuid" text,
    "is_active" boolean,
    "whff_code" text,
    "seq" bigint NOT NULL,
    "updated_at" timestamptz NOT NULL,
    "created_at" timestamptz NOT NULL
);
CREATE UNIQUE INDEX "coat_colors_code_key" ON "coat_colors" ("code");
CREATE INDEX "coat_colors_fgias_uuid_idx" ON "coat_colors" ("fgias_uuid");
CREATE INDEX "coat_colors_updated_at_idx" ON "coat_colors" ("updated_at");
CREATE INDEX "coat_colors_created_at_idx" ON "coat_colors" ("created_at");

CREATE TABLE "blood_groups" (
    "id" bigint PRIMARY KEY,
    "code" text NOT NULL,
    "name" text NOT NULL,
    "name_english" text,
    "sort_order" bigint,
    "description" text,
    "aliases" json,
    "fgias_uuid" text,
    "is_active" boolean,
    "seq" bigint NOT NULL,
    "updated_at" timestamptz NOT NULL,
    "created_at" timestamptz NOT NULL
);
CREATE UNIQUE INDEX "blood_groups_code_key" ON "blood_groups" ("code");
CREATE INDEX "blood_groups_fgias_uuid_idx" ON "blood_groups" ("fgias_uuid");
CREATE INDEX "blood_groups_updated_at_idx" ON "blood_groups" ("updated_at");
CREATE INDEX "blood_groups_created_at_idx" ON "blood_groups" ("created_at");

CREATE TABLE "reproduction_methods" (
    "id" bigint PRIMARY KEY,
    "code" text NOT NULL,
    "name" text NOT NULL,
    "name_english" text,
    "sort_order" bigint,
    "description" text,
    "aliases" json,
    "fgias_uuid" text,
    "is_active" boolean,
    "ade_type" text,
    "seq" bigint NOT NULL,
    "updated_at" timestamptz NOT NULL,
    "created_at" timestamptz NOT NULL
);
CREATE UNIQUE INDEX "reproduction_methods_code_key" ON "reproduction_methods" ("code");
CREATE INDEX "reproduction_methods_fgias_uuid_idx" ON "reproduction_methods" ("fgias_uuid");
CREATE INDEX "reproduction_methods_updated_at_idx" ON "reproduction_methods" ("updated_at");
CREATE INDEX "reproduction_methods_created_at_idx" ON "reproduction_methods" ("created_at");

CREATE TABLE "semen_types" (
    "id" bigint PRIMARY KEY,
    "code" text NOT NULL,
    "name" text NOT NULL,
    "name_english" text,
    "sort_order" bigint,
    "description" text,
    "aliases" json,
    "fgias_uuid" text,
    "is_active" boolean,
    "preservation" text,
    "sexed" text,
    "seq" bigint NOT NULL,
    "updated_at" timestamptz NOT NULL,
    "created_at" timestamptz NOT NULL
);
CREATE UNIQUE INDEX "semen_types_code_key" ON "semen_types" ("code");
CREATE INDEX "semen_types_fgias_uuid_idx" ON "semen_types" ("fgias_uuid");
CREATE INDEX "semen_types_updated_at_idx" ON "semen_types" ("updated_at");
CREATE INDEX "semen_types_created_at_idx" ON "semen_types" ("created_at");

CREATE TABLE "insemination_results" (
    "id" bigint PRIMARY KEY,
    "code" text NOT NULL,
    "name" text NOT NULL,
    "name_english" text,
    "sort_order" bigint,
    "description" text,
    "aliases" json,
    "fgias_uuid" text,
    "is_active" boolean,
    "ade_result" text,
    "seq" bigint NOT NULL,
    "updated_at" timestamptz NOT NULL,
    "created_at" timestamptz NOT NULL
);
CREATE UNIQUE INDEX "insemination_results_code_key" ON "insemination_results" ("code");
CREATE INDEX "insemination_results_fgias_uuid_idx" ON "insemination_results" ("fgias_uuid");
CREATE INDEX "insemination_results_updated_at_idx" ON "insemination_results" ("updated_at");
CREATE INDEX "insemination_results_created_at_idx" ON "insemination_results" ("created_at");

CREATE TABLE "dna_test_types" (
    "id" bigint PRIMARY KEY,
    "code" text NOT NULL,
    "name" text NOT NULL,
    "name_english" text,
    "sort_order" bigint,
    "description" text,
    "aliases" json,
    "fgias_uuid" text,
    "is_active" boolean,
    "marker_kind" text,
    "seq" bigint NOT NULL,
    "updated_at" timestamptz NOT NULL,
    "created_at" timestamptz NOT NULL
);
CREATE UNIQUE INDEX "dna_test_types_code_key" ON "dna_test_types" ("code");
CREATE INDEX "dna_test_types_fgias_uuid_idx" ON "dna_test_types" ("fgias_uuid");
CREATE INDEX "dna_test_types_updated_at_idx" ON "dna_test_types" ("updated_at");
CREATE INDEX "dna_test_types_created_at_idx" ON "dna_test_types" ("created_at");

CREATE TABLE "haplotype_types" (
    "id" bigint PRIMARY KEY,
    "code" text NOT NULL,
    "name" text NOT NULL,
    "name_english" text,
    "sort_order" bigint,
    "description" text,
    "aliases" json,
    "fgias_uuid" text,
    "is_active" boolean,
    "gene" text,
    "chromosome" bigint,
    "whff_label" text,
    "lethal" boolean,
    "seq" bigint NOT NULL,
    "updated_at" timestamptz NOT NULL,
    "created_at" timestamptz NOT NULL
);
CREATE UNIQUE INDEX "haplotype_types_code_key" ON "haplotype_types" ("code");
CREATE INDEX "haplotype_types_fgias_uuid_idx" ON "haplotype_types" ("fgias_uuid");
CREATE INDEX "haplotype_types_updated_at_idx" ON "haplotype_types" ("updated_at");
CREATE INDEX "haplotype_types_created_at_idx" ON "haplotype_types" ("created_at");

CREATE TABLE "health_event_types" (
    "id" bigint PRIMARY KEY,
    "code" text NOT NULL,
    "name" text NOT NULL,
    "name_english" text,
    "sort_order" bigint,
    "description" text,
    "aliases" json,
    "fgias_uuid" text,
    "is_active" boolean,
    "affects_productivity" boolean,
    "kind" text,
    "diagnosis_code_scheme" text,
    "diagnosis_code_id" text,
    "seq" bigint NOT NULL,
    "updated_at" timestamptz NOT NULL,
    "created_at" timestamptz NOT NULL
);
CREATE UNIQUE INDEX "health_event_types_code_key" ON "health_event_types" ("code");
CREATE INDEX "health_event_types_fgias_uuid_idx" ON "health_event_types" ("fgias_uuid");
CREATE INDEX "health_event_types_updated_at_idx" ON "health_event_types" ("updated_at");
CREATE INDEX "health_event_types_created_at_idx" ON "health_event_types" ("created_at");

CREATE TABLE "technicians" (
    "id" bigint PRIMARY KEY,
    "full_name" text NOT NULL,
    "certificate_number" text,
    "organization" bigint,
    "is_active" boolean,
    "seq" bigint NOT NULL,
    "updated_at" timestamptz NOT NULL,
    "created_at" timestamptz NOT NULL
);
CREATE INDEX "technicians_organization_idx" ON "technicians" ("organization") WHERE "organization" IS NOT NULL;
CREATE INDEX "technicians_updated_at_idx" ON "technicians" ("updated_at");
CREATE INDEX "technicians_created_at_idx" ON "technicians" ("created_at");

CREATE TABLE "breed_types" (
    "id" bigint PRIMARY KEY,
    "code" text NOT NULL,
    "name" text NOT NULL,
    "name_english" text,
    "sort_order" bigint,
    "description" text,
    "aliases" json,
    "fgias_uuid" text,
    "is_active" boolean,
    "breed" bigint,
    "seq" bigint NOT NULL,
    "updated_at" timestamptz NOT NULL,
    "created_at" timestamptz NOT NULL
);
CREATE UNIQUE INDEX "breed_types_code_key" ON "breed_types" ("code");
CREATE INDEX "breed_types_fgias_uuid_idx" ON "breed_types" ("fgias_uuid");
CREATE INDEX "breed_types_breed_idx" ON "breed_types" ("breed") WHERE "breed" IS NOT NULL;
CREATE INDEX "breed_types_updated_at_idx" ON "breed_types" ("updated_at");
CREATE INDEX "breed_types_created_at_idx" ON "breed_types" ("created_at");

CREATE TABLE "countries" (
    "id" bigint PRIMARY KEY,
    "code" text NOT NULL,
    "name" text NOT NULL,
    "name_english" text,
    "sort_order" bigint,
    "description" text,
    "aliases" json,
    "fgias_uuid" text,
    "is_active" boolean,
    "alpha2" text,
    "alpha3" text,
    "numeric" text,
    "seq" bigint NOT NULL,
    "updated_at" timestamptz NOT NULL,
    "created_at" timestamptz NOT NULL
);
CREATE UNIQUE INDEX "countries_code_key" ON "countries" ("code");
CREATE INDEX "countries_fgias_uuid_idx" ON "countries" ("fgias_uuid");
CREATE UNIQUE INDEX "countries_alpha2_key" ON "countries" ("alpha2");
CREATE UNIQUE INDEX "countries_alpha3_key" ON "countries" ("alpha3");
CREATE UNIQUE INDEX "countries_numeric_key" ON "countries" ("numeric");
CREATE INDEX "countries_updated_at_idx" ON "countries" ("updated_at");
CREATE INDEX "countries_created_at_idx" ON "countries" ("created_at");

CREATE TABLE "regions" (
    "id" bigint PRIMARY KEY,
    "code" text NOT NULL,
    "name" text NOT NULL,
    "name_english" text,
    "sort_order" bigint,
    "description" text,
    "aliases" json,
    "fgias_uuid" text,
    "is_active" boolean,
    "country" bigint,
    "iso_code" text,
    "seq" bigint NOT NULL,
    "updated_at" timestamptz NOT NULL,
    "created_at" timestamptz NOT NULL
);
CREATE UNIQUE INDEX "regions_code_key" ON "regions" ("code");
CREATE INDEX "regions_fgias_uuid_idx" ON "regions" ("fgias_uuid");
CREATE INDEX "regions_country_idx" ON "regions" ("country") WHERE "country" IS NOT NULL;
CREATE INDEX "regions_updated_at_idx" ON "regions" ("updated_at");
CREATE INDEX "regions_created_at_idx" ON "regions" ("created_at");

CREATE TABLE "districts" (
    "id" bigint PRIMARY KEY,
    "code" text NOT NULL,
    "name" text NOT NULL,
    "name_english" text,
    "sort_order" bigint,
    "description" text,
    "aliases" json,
    "fgias_uuid" text,
    "is_active" boolean,
    "region" bigint,
    "seq" bigint NOT NULL,
    "updated_at" timestamptz NOT NULL,
    "created_at" timestamptz NOT NULL
);
CREATE UNIQUE INDEX "districts_code_key" ON "districts" ("code");
CREATE INDEX "districts_fgias_uuid_idx" ON "districts" ("fgias_uuid");
CREATE INDEX "districts_region_idx" ON "districts" ("region") WHERE "region" IS NOT NULL;
CREATE INDEX "districts_updated_at_idx" ON "districts" ("updated_at");
CREATE INDEX "districts_created_at_idx" ON "districts" ("created_at");

CREATE TABLE "bench_runs" (
    "id" bigint PRIMARY KEY,
    "label" text NOT NULL,
    "measured_at" timestamptz,
    "animals" bigint NOT NULL,
    "runs" bigint NOT NULL,
    "server" json,
    "rows" json NOT NULL,
    "notes" json,
    "seq" bigint NOT NULL,
    "updated_at" timestamptz NOT NULL,
    "created_at" timestamptz NOT NULL
);
CREATE INDEX "bench_runs_measured_at_idx" ON "bench_runs" ("measured_at");
CREATE INDEX "bench_runs_updated_at_idx" ON "bench_runs" ("updated_at");
CREATE INDEX "bench_runs_created_at_idx" ON "bench_runs" ("created_at");

CREATE TABLE "check_runs" (
    "id" bigint PRIMARY KEY,
    "label" text NOT NULL,
    "state" text,
    "queued_at" timestamptz,
    "ran_at" timestamptz,
    "ok" boolean,
    "failed" bigint,
    "total" bigint,
    "ms" double precision,
    "version" text,
    "results" json NOT NULL,
    "animals" bigint,
    "checked" bigint,
    "seq" bigint NOT NULL,
    "updated_at" timestamptz NOT NULL,
    "created_at" timestamptz NOT NULL
);
CREATE UNIQUE INDEX "check_runs_label_key" ON "check_runs" ("label");
CREATE INDEX "check_runs_updated_at_idx" ON "check_runs" ("updated_at");
CREATE INDEX "check_runs_created_at_idx" ON "check_runs" ("created_at");

CREATE TABLE "webhooks" (
    "id" bigint PRIMARY KEY,
    "organization" bigint,
    "url" text NOT NULL,
    "dataset" text NOT NULL,
    "enabled" boolean,
    "description" text,
    "created_by" bigint,
    "secret_rotated_at" timestamptz,
    "delivered_seq" bigint,
    "delivered_at" timestamptz,
    "failures" bigint,
    "disabled_at" timestamptz,
    "disabled_reason" text,
    "secret_closed" text,
    "former_secret_closed" text,
    "host" text,
    "pending_seq" bigint,
    "changed_at" bigint,
    "due" bigint,
    "failing_since" bigint,
    "worker" text,
    "leased_until" bigint,
    "again" bigint,
    "pings" bigint,
    "pinged" bigint,
    "opened_with" text,
    "seq" bigint NOT NULL,
    "updated_at" timestamptz NOT NULL,
    "created_at" timestamptz NOT NULL
);
CREATE INDEX "webhooks_organization_idx" ON "webhooks" ("organization") WHERE "organization" IS NOT NULL;
CREATE INDEX "webhooks_created_by_idx" ON "webhooks" ("created_by") WHERE "created_by" IS NOT NULL;
CREATE INDEX "webhooks_opened_with_idx" ON "webhooks" ("opened_with");
CREATE INDEX "webhooks_updated_at_idx" ON "webhooks" ("updated_at");
CREATE INDEX "webhooks_created_at_idx" ON "webhooks" ("created_at");

CREATE TABLE "webhook_deliveries" (
    "id" bigint PRIMARY KEY,
    "webhook" bigint NOT NULL,
    "organization" bigint,
    "at" timestamptz NOT NULL,
    "event" text,
    "message" text,
    "sequence" bigint,
    "attempt" bigint,
    "outcome" text,
    "status" bigint,
    "duration" bigint,
    "error" text,
    "seq" bigint NOT NULL,
    "updated_at" timestamptz NOT NULL,
    "created_at" timestamptz NOT NULL
);
CREATE INDEX "webhook_deliveries_webhook_at_idx" ON "webhook_deliveries" ("webhook", "at");
CREATE INDEX "webhook_deliveries_organization_idx" ON "webhook_deliveries" ("organization") WHERE "organization" IS NOT NULL;
CREATE INDEX "webhook_deliveries_at_idx" ON "webhook_deliveries" ("at");
CREATE INDEX "webhook_deliveries_updated_at_idx" ON "webhook_deliveries" ("updated_at");
CREATE INDEX "webhook_deliveries_created_at_idx" ON "webhook_deliveries" ("created_at");

CREATE TABLE "quotas" (
    "id" bigint PRIMARY KEY,
    "organization" bigint NOT NULL,
    "read" bigint,
    "write" bigint,
    "bulk" bigint,
    "concurrent" bigint,
    "storage" bigint,
    "files" bigint,
    "records" bigint,
    "note" text,
    "seq" bigint NOT NULL,
    "updated_at" timestamptz NOT NULL,
    "created_at" timestamptz NOT NULL
);
CREATE UNIQUE INDEX "quotas_organization_key" ON "quotas" ("organization");
CREATE INDEX "quotas_updated_at_idx" ON "quotas" ("updated_at");
CREATE INDEX "quotas_created_at_idx" ON "quotas" ("created_at");

CREATE TABLE "api_keys" (
    "id" bigint PRIMARY KEY,
    "user" bigint NOT NULL,
    "name" text NOT NULL,
    "scope" text NOT NULL,
    "datasets" json,
    "expires_at" timestamptz,
    "revoked_at" timestamptz,
    "last_used_at" timestamptz,
    "key_index" text,
    "note" text,
    "seq" bigint NOT NULL,
    "updated_at" timestamptz NOT NULL,
    "created_at" timestamptz NOT NULL
);
CREATE INDEX "api_keys_user_idx" ON "api_keys" ("user");
CREATE INDEX "api_keys_revoked_at_idx" ON "api_keys" ("revoked_at");
CREATE INDEX "api_keys_key_index_idx" ON "api_keys" ("key_index");
CREATE INDEX "api_keys_updated_at_idx" ON "api_keys" ("updated_at");
CREATE INDEX "api_keys_created_at_idx" ON "api_keys" ("created_at");

CREATE TABLE "clarifications" (
    "id" bigint PRIMARY KEY,
    "kind" text NOT NULL,
    "status" text,
    "animal" bigint,
    "owner" bigint,
    "organization" bigint,
    "collection" text NOT NULL,
    "record_id" bigint NOT NULL,
    "path" text NOT NULL,
    "number" text,
    "stated_by" text,
    "message" text,
    "response" text,
    "decided_at" timestamptz,
    "decided_by" bigint,
    "seq" bigint NOT NULL,
    "updated_at" timestamptz NOT NULL,
    "created_at" timestamptz NOT NULL
);
CREATE INDEX "clarifications_owner_status_idx" ON "clarifications" ("owner", "status");
CREATE INDEX "clarifications_record_id_kind_idx" ON "clarifications" ("record_id", "kind");
CREATE INDEX "clarifications_kind_idx" ON "clarifications" ("kind");
CREATE INDEX "clarifications_status_idx" ON "clarifications" ("status");
CREATE INDEX "clarifications_animal_idx" ON "clarifications" ("animal") WHERE "animal" IS NOT NULL;
CREATE INDEX "clarifications_organization_idx" ON "clarifications" ("organization") WHERE "organization" IS NOT NULL;
CREATE INDEX "clarifications_decided_by_idx" ON "clarifications" ("decided_by") WHERE "decided_by" IS NOT NULL;
CREATE INDEX "clarifications_updated_at_idx" ON "clarifications" ("updated_at");
CREATE INDEX "clarifications_created_at_idx" ON "clarifications" ("created_at");

CREATE TABLE "signing_keys" (
    "id" bigint PRIMARY KEY,
    "key_id" text,
    "algorithm" text,
    "public_key" text,
    "retired_at" timestamptz,
    "private_key" text,
    "seq" bigint NOT NULL,
    "updated_at" timestamptz NOT NULL,
    "created_at" timestamptz NOT NULL
);
CREATE UNIQUE INDEX "signing_keys_key_id_key" ON "signing_keys" ("key_id");
CREATE INDEX "signing_keys_retired_at_idx" ON "signing_keys" ("retired_at");
CREATE INDEX "signing_keys_updated_at_idx" ON "signing_keys" ("updated_at");
CREATE INDEX "signing_keys_created_at_idx" ON "signing_keys" ("created_at");

CREATE TABLE "ade_tombstones" (
    "id" bigint PRIMARY KEY,
    "dataset" text NOT NULL,
    "source_id" text NOT NULL,
    "resource_type" text,
    "location" bigint,
    "deleted_at" timestamptz,
    "reason" text,
    "seq" bigint NOT NULL,
    "updated_at" timestamptz NOT NULL,
    "created_at" timestamptz NOT NULL
);
CREATE INDEX "ade_tombstones_dataset_deleted_at_idx" ON "ade_tombstones" ("dataset", "deleted_at");
CREATE INDEX "ade_tombstones_location_idx" ON "ade_tombstones" ("location") WHERE "location" IS NOT NULL;
CREATE INDEX "ade_tombstones_deleted_at_idx" ON "ade_tombstones" ("deleted_at");
CREATE INDEX "ade_tombstones_updated_at_idx" ON "ade_tombstones" ("updated_at");
CREATE INDEX "ade_tombstones_created_at_idx" ON "ade_tombstones" ("created_at");

ALTER TABLE "animals"
    ADD CONSTRAINT "animals_breed_fkey" FOREIGN KEY ("breed") REFERENCES "breeds" ("id") ON DELETE SET NULL DEFERRABLE,
    ADD CONSTRAINT "animals_owner_fkey" FOREIGN KEY ("owner") REFERENCES "organizations" ("id") ON DELETE NO ACTION DEFERRABLE,
    ADD CONSTRAINT "animals_herd_fkey" FOREIGN KEY ("herd") REFERENCES "herds" ("id") ON DELETE SET NULL DEFERRABLE,
    ADD CONSTRAINT "animals_photo_fkey" FOREIGN KEY ("photo") REFERENCES "media" ("id") ON DELETE SET NULL DEFERRABLE,
    ADD CONSTRAINT "animals_category_fkey" FOREIGN KEY ("category") REFERENCES "breeding_categories" ("id") ON DELETE SET NULL DEFERRABLE,
    ADD CONSTRAINT "animals_semen_stock_owner_fkey" FOREIGN KEY ("semen_stock_owner") REFERENCES "organizations" ("id") ON DELETE SET NULL DEFERRABLE,
    ADD CONSTRAINT "animals_breed_type_fkey" FOREIGN KEY ("breed_type") REFERENCES "breed_types" ("id") ON DELETE SET NULL DEFERRABLE,
    ADD CONSTRAINT "animals_improvers_breed1_fkey" FOREIGN KEY ("improvers_breed1") REFERENCES "breeds" ("id") ON DELETE SET NULL DEFERRABLE,
    ADD CONSTRAINT "animals_improvers_breed2_fkey" FOREIGN KEY ("improvers_breed2") REFERENCES "breeds" ("id") ON DELETE SET NULL DEFERRABLE,
    ADD CONSTRAINT "animals_coat_color_fkey" FOREIGN KEY ("coat_color") REFERENCES "coat_colors" ("id") ON DELETE SET NULL DEFERRABLE,
    ADD CONSTRAINT "animals_blood_group_fkey" FOREIGN KEY ("blood_group") REFERENCES "blood_groups" ("id") ON DELETE SET NULL DEFERRABLE,
    ADD CONSTRAINT "animals_purpose_fkey" FOREIGN KEY ("purpose") REFERENCES "animal_purposes" ("id") ON DELETE SET NULL DEFERRABLE,
    ADD CONSTRAINT "animals_birth_place_country_fkey" FOREIGN KEY ("birth_place_country") REFERENCES "countries" ("id") ON DELETE SET NULL DEFERRABLE,
    ADD CONSTRAINT "animals_birth_place_region_fkey" FOREIGN KEY ("birth_place_region") REFERENCES "regions" ("id") ON DELETE SET NULL DEFERRABLE,
    ADD CONSTRAINT "animals_birth_place_district_fkey" FOREIGN KEY ("birth_place_district") REFERENCES "districts" ("id") ON DELETE SET NULL DEFERRABLE,
    ADD CONSTRAINT "animals_birth_place_farm_fkey" FOREIGN KEY ("birth_place_farm") REFERENCES "organizations" ("id") ON DELETE SET NULL DEFERRABLE,
    ADD CONSTRAINT "animals_breeding_class_fkey" FOREIGN KEY ("breeding_class") REFERENCES "breeding_classes" ("id") ON DELETE SET NULL DEFERRABLE,
    ADD CONSTRAINT "animals_receipt_method_fkey" FOREIGN KEY ("receipt_method") REFERENCES "reproduction_methods" ("id") ON DELETE SET NULL DEFERRABLE,
    ADD CONSTRAINT "animals_father_fkey" FOREIGN KEY ("father") REFERENCES "animals" ("id") ON DELETE SET NULL DEFERRABLE,
    ADD CONSTRAINT "animals_mother_fkey" FOREIGN KEY ("mother") REFERENCES "animals" ("id") ON DELETE SET NULL DEFERRABLE,
    ADD CONSTRAINT "animals_line_fkey" FOREIGN KEY ("line") REFERENCES "lines" ("id") ON DELETE SET NULL DEFERRABLE,
    ADD CONSTRAINT "animals_family_fkey" FOREIGN KEY ("family") REFERENCES "lines" ("id") ON DELETE SET NULL DEFERRABLE,
    ADD CONSTRAINT "animals_previous_organization_fkey" FOREIGN KEY ("previous_organization") REFERENCES "organizations" ("id") ON DELETE SET NULL DEFERRABLE,
    ADD CONSTRAINT "animals_disposal_reason_fkey" FOREIGN KEY ("disposal_reason") REFERENCES "disposal_reasons" ("id") ON DELETE SET NULL DEFERRABLE,
    ADD CONSTRAINT "animals_disposal_organization_fkey" FOREIGN KEY ("disposal_organization") REFERENCES "organizations" ("id") ON DELETE SET NULL DEFERRABLE,
    ADD CONSTRAINT "animals_author_fkey" FOREIGN KEY ("author") REFERENCES "users" ("id") ON DELETE SET NULL DEFERRABLE,
    ADD CONSTRAINT "animals_archived_by_fkey" FOREIGN KEY ("archived_by") REFERENCES "users" ("id") ON DELETE SET NULL DEFERRABLE,
    ADD CONSTRAINT "animals_last_edit_user_fkey" FOREIGN KEY ("last_edit_user") REFERENCES "users" ("id") ON DELETE SET NULL DEFERRABLE,
    ADD CONSTRAINT "animals_merged_into_fkey" FOREIGN KEY ("merged_into") REFERENCES "animals" ("id") ON DELETE SET NULL DEFERRABLE,
    ADD CONSTRAINT "animals_entry_owner_fkey" FOREIGN KEY ("entry_owner") REFERENCES "organizations" ("id") ON DELETE SET NULL DEFERRABLE,
    ADD CONSTRAINT "animals_entry_herd_fkey" FOREIGN KEY ("entry_herd") REFERENCES "herds" ("id") ON DELETE SET NULL DEFERRABLE,
    ADD CONSTRAINT "animals_entry_previous_organization_fkey" FOREIGN KEY ("entry_previous_organization") REFERENCES "organizations" ("id") ON DELETE SET NULL DEFERRABLE,
    ADD CONSTRAINT "animals_birth_org_fkey" FOREIGN KEY ("birth_org") REFERENCES "organizations" ("id") ON DELETE SET NULL DEFERRABLE;

ALTER TABLE "animals__past_owners"
    ADD CONSTRAINT "animals__past_owners_owner_fkey" FOREIGN KEY ("owner") REFERENCES "animals" ("id") ON DELETE CASCADE DEFERRABLE,
    ADD CONSTRAINT "animals__past_owners_target_fkey" FOREIGN KEY ("target") REFERENCES "organizations" ("id") ON DELETE CASCADE DEFERRABLE;

ALTER TABLE "herds"
    ADD CONSTRAINT "herds_organization_fkey" FOREIGN KEY ("organization") REFERENCES "organizations" ("id") ON DELETE CASCADE DEFERRABLE;

ALTER TABLE "movements"
    ADD CONSTRAINT "movements_animal_fkey" FOREIGN KEY ("animal") REFERENCES "animals" ("id") ON DELETE CASCADE DEFERRABLE,
    ADD CONSTRAINT "movements_from_fkey" FOREIGN KEY ("from") REFERENCES "organizations" ("id") ON DELETE SET NULL DEFERRABLE,
    ADD CONSTRAINT "movements_to_fkey" FOREIGN KEY ("to") REFERENCES "organizations" ("id") ON DELETE SET NULL DEFERRABLE,
    ADD CONSTRAINT "movements_from_herd_fkey" FOREIGN KEY ("from_herd") REFERENCES "herds" ("id") ON DELETE SET NULL DEFERRABLE,
    ADD CONSTRAINT "movements_to_herd_fkey" FOREIGN KEY ("to_herd") REFERENCES "herds" ("id") ON DELETE SET NULL DEFERRABLE,
    ADD CONSTRAINT "movements_reason_fkey" FOREIGN KEY ("reason") REFERENCES "disposal_reasons" ("id") ON DELETE SET NULL DEFERRABLE,
    ADD CONSTRAINT "movements_confirmed_by_fkey" FOREIGN KEY ("confirmed_by") REFERENCES "users" ("id") ON DELETE SET NULL DEFERRABLE,
    ADD CONSTRAINT "movements_recorded_by_fkey" FOREIGN KEY ("recorded_by") REFERENCES "users" ("id") ON DELETE SET NULL DEFERRABLE;

ALTER TABLE "saved_searches"
    ADD CONSTRAINT "saved_searches_author_fkey" FOREIGN KEY ("author") REFERENCES "users" ("id") ON DELETE SET NULL DEFERRABLE,
    ADD CONSTRAINT "saved_searches_organization_fkey" FOREIGN KEY ("organization") REFERENCES "organizations" ("id") ON DELETE SET NULL DEFERRABLE;

ALTER TABLE "saved_searches__members"
    ADD CONSTRAINT "saved_searches__members_owner_fkey" FOREIGN KEY ("owner") REFERENCES "saved_searches" ("id") ON DELETE CASCADE DEFERRABLE,
    ADD CONSTRAINT "saved_searches__members_target_fkey" FOREIGN KEY ("target") REFERENCES "animals" ("id") ON DELETE CASCADE DEFERRABLE;

ALTER TABLE "calvings"
    ADD CONSTRAINT "calvings_animal_fkey" FOREIGN KEY ("animal") REFERENCES "animals" ("id") ON DELETE CASCADE DEFERRABLE,
    ADD CONSTRAINT "calvings_owner_org_fkey" FOREIGN KEY ("owner_org") REFERENCES "organizations" ("id") ON DELETE SET NULL DEFERRABLE,
    ADD CONSTRAINT "calvings_animal_owner_fkey" FOREIGN KEY ("animal_owner") REFERENCES "organizations" ("id") ON DELETE SET NULL DEFERRABLE,
    ADD CONSTRAINT "calvings_insemination_fkey" FOREIGN KEY ("insemination") REFERENCES "inseminations" ("id") ON DELETE SET NULL DEFERRABLE,
    ADD CONSTRAINT "calvings_submission_fkey" FOREIGN KEY ("submission") REFERENCES "data_submissions" ("id") ON DELETE SET NULL DEFERRABLE;

ALTER TABLE "calvings__calves"
    ADD CONSTRAINT "calvings__calves_owner_fkey" FOREIGN KEY ("owner") REFERENCES "calvings" ("id") ON DELETE CASCADE DEFERRABLE,
    ADD CONSTRAINT "calvings__calves_target_fkey" FOREIGN KEY ("target") REFERENCES "animals" ("id") ON DELETE CASCADE DEFERRABLE;

ALTER TABLE "inseminations"
    ADD CONSTRAINT "inseminations_animal_fkey" FOREIGN KEY ("animal") REFERENCES "animals" ("id") ON DELETE CASCADE DEFERRABLE,
    ADD CONSTRAINT "inseminations_owner_org_fkey" FOREIGN KEY ("owner_org") REFERENCES "organizations" ("id") ON DELETE SET NULL DEFERRABLE,
    ADD CONSTRAINT "inseminations_animal_owner_fkey" FOREIGN KEY ("animal_owner") REFERENCES "organizations" ("id") ON DELETE SET NULL DEFERRABLE,
    ADD CONSTRAINT "inseminations_bull_fkey" FOREIGN KEY ("bull") REFERENCES "animals" ("id") ON DELETE SET NULL DEFERRABLE,
    ADD CONSTRAINT "inseminations_semen_type_fkey" FOREIGN KEY ("semen_type") REFERENCES "semen_types" ("id") ON DELETE SET NULL DEFERRABLE,
    ADD CONSTRAINT "inseminations_method_fkey" FOREIGN KEY ("method") REFERENCES "reproduction_methods" ("id") ON DELETE SET NULL DEFERRABLE,
    ADD CONSTRAINT "inseminations_technician_fkey" FOREIGN KEY ("technician") REFERENCES "technicians" ("id") ON DELETE SET NULL DEFERRABLE,
    ADD CONSTRAINT "inseminations_embryo_donor_fkey" FOREIGN KEY ("embryo_donor") REFERENCES "animals" ("id") ON DELETE SET NULL DEFERRABLE,
    ADD CONSTRAINT "inseminations_embryo_sire_fkey" FOREIGN KEY ("embryo_sire") REFERENCES "animals" ("id") ON DELETE SET NULL DEFERRABLE,
    ADD CONSTRAINT "inseminations_result_fkey" FOREIGN KEY ("result") REFERENCES "insemination_results" ("id") ON DELETE SET NULL DEFERRABLE,
    ADD CONSTRAINT "inseminations_check_fkey" FOREIGN KEY ("check") REFERENCES "events" ("id") ON DELETE SET NULL DEFERRABLE,
    ADD CONSTRAINT "inseminations_stated_check_result_fkey" FOREIGN KEY ("stated_check_result") REFERENCES "insemination_results" ("id") ON DELETE SET NULL DEFERRABLE,
    ADD CONSTRAINT "inseminations_submission_fkey" FOREIGN KEY ("submission") REFERENCES "data_submissions" ("id") ON DELETE SET NULL DEFERRABLE;

ALTER TABLE "milk_tests"
    ADD CONSTRAINT "milk_tests_animal_fkey" FOREIGN KEY ("animal") REFERENCES "animals" ("id") ON DELETE CASCADE DEFERRABLE,
    ADD CONSTRAINT "milk_tests_owner_org_fkey" FOREIGN KEY ("owner_org") REFERENCES "organizations" ("id") ON DELETE SET NULL DEFERRABLE,
    ADD CONSTRAINT "milk_tests_animal_owner_fkey" FOREIGN KEY ("animal_owner") REFERENCES "organizations" ("id") ON DELETE SET NULL DEFERRABLE,
    ADD CONSTRAINT "milk_tests_laboratory_fkey" FOREIGN KEY ("laboratory") REFERENCES "organizations" ("id") ON DELETE SET NULL DEFERRABLE,
    ADD CONSTRAINT "milk_tests_submission_fkey" FOREIGN KEY ("submission") REFERENCES "data_submissions" ("id") ON DELETE SET NULL DEFERRABLE;

ALTER TABLE "weighings"
    ADD CONSTRAINT "weighings_animal_fkey" FOREIGN KEY ("animal") REFERENCES "animals" ("id") ON DELETE CASCADE DEFERRABLE,
    ADD CONSTRAINT "weighings_owner_org_fkey" FOREIGN KEY ("owner_org") REFERENCES "organizations" ("id") ON DELETE SET NULL DEFERRABLE,
    ADD CONSTRAINT "weighings_animal_owner_fkey" FOREIGN KEY ("animal_owner") REFERENCES "organizations" ("id") ON DELETE SET NULL DEFERRABLE,
    ADD CONSTRAINT "weighings_submission_fkey" FOREIGN KEY ("submission") REFERENCES "data_submissions" ("id") ON DELETE SET NULL DEFERRABLE;

ALTER TABLE "milking_visits"
    ADD CONSTRAINT "milking_visits_animal_fkey" FOREIGN KEY ("animal") REFERENCES "animals" ("id") ON DELETE CASCADE DEFERRABLE,
    ADD CONSTRAINT "milking_visits_owner_org_fkey" FOREIGN KEY ("owner_org") REFERENCES "organizations" ("id") ON DELETE SET NULL DEFERRABLE,
    ADD CONSTRAINT "milking_visits_animal_owner_fkey" FOREIGN KEY ("animal_owner") REFERENCES "organizations" ("id") ON DELETE SET NULL DEFERRABLE,
    ADD CONSTRAINT "milking_visits_submission_fkey" FOREIGN KEY ("submission") REFERENCES "data_submissions" ("id") ON DELETE SET NULL DEFERRABLE;

ALTER TABLE "daily_milkings"
    ADD CONSTRAINT "daily_milkings_animal_fkey" FOREIGN KEY ("animal") REFERENCES "animals" ("id") ON DELETE CASCADE DEFERRABLE,
    ADD CONSTRAINT "daily_milkings_owner_org_fkey" FOREIGN KEY ("owner_org") REFERENCES "organizations" ("id") ON DELETE SET NULL DEFERRABLE,
    ADD CONSTRAINT "daily_milkings_animal_owner_fkey" FOREIGN KEY ("animal_owner") REFERENCES "organizations" ("id") ON DELETE SET NULL DEFERRABLE,
    ADD CONSTRAINT "daily_milkings_submission_fkey" FOREIGN KEY ("submission") REFERENCES "data_submissions" ("id") ON DELETE SET NULL DEFERRABLE;

ALTER TABLE "health_events"
    ADD CONSTRAINT "health_events_animal_fkey" FOREIGN KEY ("animal") REFERENCES "animals" ("id") ON DELETE CASCADE DEFERRABLE,
    ADD CONSTRAINT "health_events_owner_org_fkey" FOREIGN KEY ("owner_org") REFERENCES "organizations" ("id") ON DELETE SET NULL DEFERRABLE,
    ADD CONSTRAINT "health_events_animal_owner_fkey" FOREIGN KEY ("animal_owner") REFERENCES "organizations" ("id") ON DELETE SET NULL DEFERRABLE,
    ADD CONSTRAINT "health_events_type_fkey" FOREIGN KEY ("type") REFERENCES "health_event_types" ("id") ON DELETE NO ACTION DEFERRABLE,
    ADD CONSTRAINT "health_events_reported_by_fkey" FOREIGN KEY ("reported_by") REFERENCES "users" ("id") ON DELETE SET NULL DEFERRABLE,
    ADD CONSTRAINT "health_events_submission_fkey" FOREIGN KEY ("submission") REFERENCES "data_submissions" ("id") ON DELETE SET NULL DEFERRABLE;

ALTER TABLE "events"
    ADD CONSTRAINT "events_animal_fkey" FOREIGN KEY ("animal") REFERENCES "animals" ("id") ON DELETE CASCADE DEFERRABLE,
    ADD CONSTRAINT "events_owner_org_fkey" FOREIGN KEY ("owner_org") REFERENCES "organizations" ("id") ON DELETE SET NULL DEFERRABLE,
    ADD CONSTRAINT "events_animal_owner_fkey" FOREIGN KEY ("animal_owner") REFERENCES "organizations" ("id") ON DELETE SET NULL DEFERRABLE,
    ADD CONSTRAINT "events_insemination_fkey" FOREIGN KEY ("insemination") REFERENCES "inseminations" ("id") ON DELETE SET NULL DEFERRABLE,
    ADD CONSTRAINT "events_calving_fkey" FOREIGN KEY ("calving") REFERENCES "calvings" ("id") ON DELETE SET NULL DEFERRABLE,
    ADD CONSTRAINT "events_author_fkey" FOREIGN KEY ("author") REFERENCES "users" ("id") ON DELETE SET NULL DEFERRABLE,
    ADD CONSTRAINT "events_submission_fkey" FOREIGN KEY ("submission") REFERENCES "data_submissions" ("id") ON DELETE SET NULL DEFERRABLE;

ALTER TABLE "animal_evaluations"
    ADD CONSTRAINT "animal_evaluations_animal_fkey" FOREIGN KEY ("animal") REFERENCES "animals" ("id") ON DELETE CASCADE DEFERRABLE,
    ADD CONSTRAINT "animal_evaluations_owner_org_fkey" FOREIGN KEY ("owner_org") REFERENCES "organizations" ("id") ON DELETE SET NULL DEFERRABLE,
    ADD CONSTRAINT "animal_evaluations_animal_owner_fkey" FOREIGN KEY ("animal_owner") REFERENCES "organizations" ("id") ON DELETE SET NULL DEFERRABLE,
    ADD CONSTRAINT "animal_evaluations_run_fkey" FOREIGN KEY ("run") REFERENCES "evaluation_runs" ("id") ON DELETE SET NULL DEFERRABLE,
    ADD CONSTRAINT "animal_evaluations_sent_by_fkey" FOREIGN KEY ("sent_by") REFERENCES "organizations" ("id") ON DELETE SET NULL DEFERRABLE,
    ADD CONSTRAINT "animal_evaluations_submission_fkey" FOREIGN KEY ("submission") REFERENCES "data_submissions" ("id") ON DELETE SET NULL DEFERRABLE;

ALTER TABLE "animal_exteriors"
    ADD CONSTRAINT "animal_exteriors_animal_fkey" FOREIGN KEY ("animal") REFERENCES "animals" ("id") ON DELETE CASCADE DEFERRABLE,
    ADD CONSTRAINT "animal_exteriors_owner_org_fkey" FOREIGN KEY ("owner_org") REFERENCES "organizations" ("id") ON DELETE SET NULL DEFERRABLE,
    ADD CONSTRAINT "animal_exteriors_animal_owner_fkey" FOREIGN KEY ("animal_owner") REFERENCES "organizations" ("id") ON DELETE SET NULL DEFERRABLE,
    ADD CONSTRAINT "animal_exteriors_assessor_fkey" FOREIGN KEY ("assessor") REFERENCES "technicians" ("id") ON DELETE SET NULL DEFERRABLE,
    ADD CONSTRAINT "animal_exteriors_assessor_org_fkey" FOREIGN KEY ("assessor_org") REFERENCES "organizations" ("id") ON DELETE SET NULL DEFERRABLE,
    ADD CONSTRAINT "animal_exteriors_sent_by_fkey" FOREIGN KEY ("sent_by") REFERENCES "organizations" ("id") ON DELETE SET NULL DEFERRABLE,
    ADD CONSTRAINT "animal_exteriors_submission_fkey" FOREIGN KEY ("submission") REFERENCES "data_submissions" ("id") ON DELETE SET NULL DEFERRABLE;

ALTER TABLE "gradings"
    ADD CONSTRAINT "gradings_animal_fkey" FOREIGN KEY ("animal") REFERENCES "animals" ("id") ON DELETE CASCADE DEFERRABLE,
    ADD CONSTRAINT "gradings_owner_org_fkey" FOREIGN KEY ("owner_org") REFERENCES "organizations" ("id") ON DELETE SET NULL DEFERRABLE,
    ADD CONSTRAINT "gradings_animal_owner_fkey" FOREIGN KEY ("animal_owner") REFERENCES "organizations" ("id") ON DELETE SET NULL DEFERRABLE,
    ADD CONSTRAINT "gradings_assessor_org_fkey" FOREIGN KEY ("assessor_org") REFERENCES "organizations" ("id") ON DELETE SET NULL DEFERRABLE,
    ADD CONSTRAINT "gradings_submission_fkey" FOREIGN KEY ("submission") REFERENCES "data_submissions" ("id") ON DELETE SET NULL DEFERRABLE;

ALTER TABLE "index_profiles"
    ADD CONSTRAINT "index_profiles_organization_fkey" FOREIGN KEY ("organization") REFERENCES "organizations" ("id") ON DELETE CASCADE DEFERRABLE,
    ADD CONSTRAINT "index_profiles_author_fkey" FOREIGN KEY ("author") REFERENCES "users" ("id") ON DELETE SET NULL DEFERRABLE;

ALTER TABLE "index_values"
    ADD CONSTRAINT "index_values_animal_fkey" FOREIGN KEY ("animal") REFERENCES "animals" ("id") ON DELETE CASCADE DEFERRABLE,
    ADD CONSTRAINT "index_values_organization_fkey" FOREIGN KEY ("organization") REFERENCES "organizations" ("id") ON DELETE CASCADE DEFERRABLE,
    ADD CONSTRAINT "index_values_evaluation_fkey" FOREIGN KEY ("evaluation") REFERENCES "animal_evaluations" ("id") ON DELETE SET NULL DEFERRABLE,
    ADD CONSTRAINT "index_values_owner_fkey" FOREIGN KEY ("owner") REFERENCES "organizations" ("id") ON DELETE SET NULL DEFERRABLE;

ALTER TABLE "index_runs"
    ADD CONSTRAINT "index_runs_organization_fkey" FOREIGN KEY ("organization") REFERENCES "organizations" ("id") ON DELETE CASCADE DEFERRABLE;

ALTER TABLE "lactation_averages"
    ADD CONSTRAINT "lactation_averages_organization_fkey" FOREIGN KEY ("organization") REFERENCES "organizations" ("id") ON DELETE CASCADE DEFERRABLE;

ALTER TABLE "data_submissions"
    ADD CONSTRAINT "data_submissions_organization_fkey" FOREIGN KEY ("organization") REFERENCES "organizations" ("id") ON DELETE NO ACTION DEFERRABLE,
    ADD CONSTRAINT "data_submissions_submitted_by_fkey" FOREIGN KEY ("submitted_by") REFERENCES "users" ("id") ON DELETE SET NULL DEFERRABLE,
    ADD CONSTRAINT "data_submissions_source_file_fkey" FOREIGN KEY ("source_file") REFERENCES "media" ("id") ON DELETE SET NULL DEFERRABLE,
    ADD CONSTRAINT "data_submissions_replaces_fkey" FOREIGN KEY ("replaces") REFERENCES "data_submissions" ("id") ON DELETE SET NULL DEFERRABLE,
    ADD CONSTRAINT "data_submissions_assignment_fkey" FOREIGN KEY ("assignment") REFERENCES "upload_assignments" ("id") ON DELETE SET NULL DEFERRABLE,
    ADD CONSTRAINT "data_submissions_review_checked_by_fkey" FOREIGN KEY ("review_checked_by") REFERENCES "users" ("id") ON DELETE SET NULL DEFERRABLE,
    ADD CONSTRAINT "data_submissions_review_assignee_fkey" FOREIGN KEY ("review_assignee") REFERENCES "users" ("id") ON DELETE SET NULL DEFERRABLE,
    ADD CONSTRAINT "data_submissions_review_error_protocol_fkey" FOREIGN KEY ("review_error_protocol") REFERENCES "media" ("id") ON DELETE SET NULL DEFERRABLE,
    ADD CONSTRAINT "data_submissions_signature_by_fkey" FOREIGN KEY ("signature_by") REFERENCES "users" ("id") ON DELETE SET NULL DEFERRABLE;

ALTER TABLE "data_submissions__animals"
    ADD CONSTRAINT "data_submissions__animals_owner_fkey" FOREIGN KEY ("owner") REFERENCES "data_submissions" ("id") ON DELETE CASCADE DEFERRABLE,
    ADD CONSTRAINT "data_submissions__animals_target_fkey" FOREIGN KEY ("target") REFERENCES "animals" ("id") ON DELETE CASCADE DEFERRABLE;

ALTER TABLE "submission_rows"
    ADD CONSTRAINT "submission_rows_submission_fkey" FOREIGN KEY ("submission") REFERENCES "data_submissions" ("id") ON DELETE CASCADE DEFERRABLE,
    ADD CONSTRAINT "submission_rows_organization_fkey" FOREIGN KEY ("organization") REFERENCES "organizations" ("id") ON DELETE NO ACTION DEFERRABLE,
    ADD CONSTRAINT "submission_rows_animal_fkey" FOREIGN KEY ("animal") REFERENCES "animals" ("id") ON DELETE SET NULL DEFERRABLE;

ALTER TABLE "upload_assignments"
    ADD CONSTRAINT "upload_assignments_organization_fkey" FOREIGN KEY ("organization") REFERENCES "organizations" ("id") ON DELETE NO ACTION DEFERRABLE,
    ADD CONSTRAINT "upload_assignments_assignee_fkey" FOREIGN KEY ("assignee") REFERENCES "users" ("id") ON DELETE SET NULL DEFERRABLE,
    ADD CONSTRAINT "upload_assignments_submission_fkey" FOREIGN KEY ("submission") REFERENCES "data_submissions" ("id") ON DELETE SET NULL DEFERRABLE;

ALTER TABLE "verification_requests"
    ADD CONSTRAINT "verification_requests_organization_fkey" FOREIGN KEY ("organization") REFERENCES "organizations" ("id") ON DELETE NO ACTION DEFERRABLE,
    ADD CONSTRAINT "verification_requests_requested_by_fkey" FOREIGN KEY ("requested_by") REFERENCES "users" ("id") ON DELETE SET NULL DEFERRABLE,
    ADD CONSTRAINT "verification_requests_review_assignee_fkey" FOREIGN KEY ("review_assignee") REFERENCES "users" ("id") ON DELETE SET NULL DEFERRABLE,
    ADD CONSTRAINT "verification_requests_review_decided_by_fkey" FOREIGN KEY ("review_decided_by") REFERENCES "users" ("id") ON DELETE SET NULL DEFERRABLE;

ALTER TABLE "verification_requests__animals"
    ADD CONSTRAINT "verification_requests__animals_owner_fkey" FOREIGN KEY ("owner") REFERENCES "verification_requests" ("id") ON DELETE CASCADE DEFERRABLE,
    ADD CONSTRAINT "verification_requests__animals_target_fkey" FOREIGN KEY ("target") REFERENCES "animals" ("id") ON DELETE CASCADE DEFERRABLE;

ALTER TABLE "check_settings"
    ADD CONSTRAINT "check_settings_updated_by_fkey" FOREIGN KEY ("updated_by") REFERENCES "users" ("id") ON DELETE SET NULL DEFERRABLE;

ALTER TABLE "check_thresholds"
    ADD CONSTRAINT "check_thresholds_updated_by_fkey" FOREIGN KEY ("updated_by") REFERENCES "users" ("id") ON DELETE SET NULL DEFERRABLE;

ALTER TABLE "check_findings"
    ADD CONSTRAINT "check_findings_animal_fkey" FOREIGN KEY ("animal") REFERENCES "animals" ("id") ON DELETE CASCADE DEFERRABLE,
    ADD CONSTRAINT "check_findings_herd_fkey" FOREIGN KEY ("herd") REFERENCES "herds" ("id") ON DELETE CASCADE DEFERRABLE,
    ADD CONSTRAINT "check_findings_submission_fkey" FOREIGN KEY ("submission") REFERENCES "data_submissions" ("id") ON DELETE CASCADE DEFERRABLE,
    ADD CONSTRAINT "check_findings_organization_fkey" FOREIGN KEY ("organization") REFERENCES "organizations" ("id") ON DELETE SET NULL DEFERRABLE,
    ADD CONSTRAINT "check_findings_dismissed_by_fkey" FOREIGN KEY ("dismissed_by") REFERENCES "users" ("id") ON DELETE SET NULL DEFERRABLE,
    ADD CONSTRAINT "check_findings_source_fkey" FOREIGN KEY ("source") REFERENCES "animals" ("id") ON DELETE CASCADE DEFERRABLE;

ALTER TABLE "pending_columns"
    ADD CONSTRAINT "pending_columns_owner_org_fkey" FOREIGN KEY ("owner_org") REFERENCES "organizations" ("id") ON DELETE SET NULL DEFERRABLE,
    ADD CONSTRAINT "pending_columns_decision_decided_by_fkey" FOREIGN KEY ("decision_decided_by") REFERENCES "users" ("id") ON DELETE SET NULL DEFERRABLE;

ALTER TABLE "pending_columns__organizations"
    ADD CONSTRAINT "pending_columns__organizations_owner_fkey" FOREIGN KEY ("owner") REFERENCES "pending_columns" ("id") ON DELETE CASCADE DEFERRABLE,
    ADD CONSTRAINT "pending_columns__organizations_target_fkey" FOREIGN KEY ("target") REFERENCES "organizations" ("id") ON DELETE CASCADE DEFERRABLE;

ALTER TABLE "pending_columns__submissions"
    ADD CONSTRAINT "pending_columns__submissions_owner_fkey" FOREIGN KEY ("owner") REFERENCES "pending_columns" ("id") ON DELETE CASCADE DEFERRABLE,
    ADD CONSTRAINT "pending_columns__submissions_target_fkey" FOREIGN KEY ("target") REFERENCES "data_submissions" ("id") ON DELETE CASCADE DEFERRABLE;

ALTER TABLE "pending_values"
    ADD CONSTRAINT "pending_values_owner_org_fkey" FOREIGN KEY ("owner_org") REFERENCES "organizations" ("id") ON DELETE SET NULL DEFERRABLE,
    ADD CONSTRAINT "pending_values_decision_decided_by_fkey" FOREIGN KEY ("decision_decided_by") REFERENCES "users" ("id") ON DELETE SET NULL DEFERRABLE;

ALTER TABLE "pending_values__organizations"
    ADD CONSTRAINT "pending_values__organizations_owner_fkey" FOREIGN KEY ("owner") REFERENCES "pending_values" ("id") ON DELETE CASCADE DEFERRABLE,
    ADD CONSTRAINT "pending_values__organizations_target_fkey" FOREIGN KEY ("target") REFERENCES "organizations" ("id") ON DELETE CASCADE DEFERRABLE;

ALTER TABLE "pending_values__submissions"
    ADD CONSTRAINT "pending_values__submissions_owner_fkey" FOREIGN KEY ("owner") REFERENCES "pending_values" ("id") ON DELETE CASCADE DEFERRABLE,
    ADD CONSTRAINT "pending_values__submissions_target_fkey" FOREIGN KEY ("target") REFERENCES "data_submissions" ("id") ON DELETE CASCADE DEFERRABLE;

ALTER TABLE "documents"
    ADD CONSTRAINT "documents_animal_fkey" FOREIGN KEY ("animal") REFERENCES "animals" ("id") ON DELETE SET NULL DEFERRABLE,
    ADD CONSTRAINT "documents_organization_fkey" FOREIGN KEY ("organization") REFERENCES "organizations" ("id") ON DELETE SET NULL DEFERRABLE,
    ADD CONSTRAINT "documents_file_fkey" FOREIGN KEY ("file") REFERENCES "media" ("id") ON DELETE SET NULL DEFERRABLE,
    ADD CONSTRAINT "documents_issued_by_fkey" FOREIGN KEY ("issued_by") REFERENCES "users" ("id") ON DELETE SET NULL DEFERRABLE,
    ADD CONSTRAINT "documents_revoked_by_fkey" FOREIGN KEY ("revoked_by") REFERENCES "users" ("id") ON DELETE SET NULL DEFERRABLE;

ALTER TABLE "media"
    ADD CONSTRAINT "media_owner_fkey" FOREIGN KEY ("owner") REFERENCES "organizations" ("id") ON DELETE SET NULL DEFERRABLE;

ALTER TABLE "animal_gallery"
    ADD CONSTRAINT "animal_gallery_animal_fkey" FOREIGN KEY ("animal") REFERENCES "animals" ("id") ON DELETE CASCADE DEFERRABLE,
    ADD CONSTRAINT "animal_gallery_media_fkey" FOREIGN KEY ("media") REFERENCES "media" ("id") ON DELETE NO ACTION DEFERRABLE;

ALTER TABLE "users"
    ADD CONSTRAINT "users_organization_fkey" FOREIGN KEY ("organization") REFERENCES "organizations" ("id") ON DELETE SET NULL DEFERRABLE,
    ADD CONSTRAINT "users_blocked_by_fkey" FOREIGN KEY ("blocked_by") REFERENCES "users" ("id") ON DELETE SET NULL DEFERRABLE;

ALTER TABLE "organizations"
    ADD CONSTRAINT "organizations_referenced_by_fkey" FOREIGN KEY ("referenced_by") REFERENCES "organizations" ("id") ON DELETE SET NULL DEFERRABLE,
    ADD CONSTRAINT "organizations_merged_into_fkey" FOREIGN KEY ("merged_into") REFERENCES "organizations" ("id") ON DELETE SET NULL DEFERRABLE,
    ADD CONSTRAINT "organizations_membership_review_decided_by_fkey" FOREIGN KEY ("membership_review_decided_by") REFERENCES "users" ("id") ON DELETE SET NULL DEFERRABLE;

ALTER TABLE "invitations"
    ADD CONSTRAINT "invitations_organization_fkey" FOREIGN KEY ("organization") REFERENCES "organizations" ("id") ON DELETE NO ACTION DEFERRABLE,
    ADD CONSTRAINT "invitations_invited_by_fkey" FOREIGN KEY ("invited_by") REFERENCES "users" ("id") ON DELETE SET NULL DEFERRABLE,
    ADD CONSTRAINT "invitations_accepted_by_fkey" FOREIGN KEY ("accepted_by") REFERENCES "users" ("id") ON DELETE SET NULL DEFERRABLE;

ALTER TABLE "access_requests"
    ADD CONSTRAINT "access_requests_animal_fkey" FOREIGN KEY ("animal") REFERENCES "animals" ("id") ON DELETE CASCADE DEFERRABLE,
    ADD CONSTRAINT "access_requests_owner_fkey" FOREIGN KEY ("owner") REFERENCES "organizations" ("id") ON DELETE SET NULL DEFERRABLE,
    ADD CONSTRAINT "access_requests_requester_fkey" FOREIGN KEY ("requester") REFERENCES "users" ("id") ON DELETE SET NULL DEFERRABLE,
    ADD CONSTRAINT "access_requests_requester_org_fkey" FOREIGN KEY ("requester_org") REFERENCES "organizations" ("id") ON DELETE SET NULL DEFERRABLE,
    ADD CONSTRAINT "access_requests_decided_by_fkey" FOREIGN KEY ("decided_by") REFERENCES "users" ("id") ON DELETE SET NULL DEFERRABLE;

ALTER TABLE "access_grants"
    ADD CONSTRAINT "access_grants_owner_fkey" FOREIGN KEY ("owner") REFERENCES "organizations" ("id") ON DELETE SET NULL DEFERRABLE,
    ADD CONSTRAINT "access_grants_grantee_fkey" FOREIGN KEY ("grantee") REFERENCES "organizations" ("id") ON DELETE NO ACTION DEFERRABLE,
    ADD CONSTRAINT "access_grants_animal_fkey" FOREIGN KEY ("animal") REFERENCES "animals" ("id") ON DELETE CASCADE DEFERRABLE,
    ADD CONSTRAINT "access_grants_issued_by_fkey" FOREIGN KEY ("issued_by") REFERENCES "users" ("id") ON DELETE SET NULL DEFERRABLE,
    ADD CONSTRAINT "access_grants_revoked_by_fkey" FOREIGN KEY ("revoked_by") REFERENCES "users" ("id") ON DELETE SET NULL DEFERRABLE,
    ADD CONSTRAINT "access_grants_request_fkey" FOREIGN KEY ("request") REFERENCES "access_requests" ("id") ON DELETE SET NULL DEFERRABLE;

ALTER TABLE "genotype_consents"
    ADD CONSTRAINT "genotype_consents_owner_fkey" FOREIGN KEY ("owner") REFERENCES "organizations" ("id") ON DELETE SET NULL DEFERRABLE,
    ADD CONSTRAINT "genotype_consents_animal_fkey" FOREIGN KEY ("animal") REFERENCES "animals" ("id") ON DELETE CASCADE DEFERRABLE,
    ADD CONSTRAINT "genotype_consents_grantee_fkey" FOREIGN KEY ("grantee") REFERENCES "organizations" ("id") ON DELETE CASCADE DEFERRABLE,
    ADD CONSTRAINT "genotype_consents_document_fkey" FOREIGN KEY ("document") REFERENCES "documents" ("id") ON DELETE SET NULL DEFERRABLE,
    ADD CONSTRAINT "genotype_consents_issued_by_fkey" FOREIGN KEY ("issued_by") REFERENCES "users" ("id") ON DELETE SET NULL DEFERRABLE;

ALTER TABLE "share_links"
    ADD CONSTRAINT "share_links_owner_fkey" FOREIGN KEY ("owner") REFERENCES "organizations" ("id") ON DELETE SET NULL DEFERRABLE,
    ADD CONSTRAINT "share_links_created_by_fkey" FOREIGN KEY ("created_by") REFERENCES "users" ("id") ON DELETE SET NULL DEFERRABLE;

ALTER TABLE "share_links__animals"
    ADD CONSTRAINT "share_links__animals_owner_fkey" FOREIGN KEY ("owner") REFERENCES "share_links" ("id") ON DELETE CASCADE DEFERRABLE,
    ADD CONSTRAINT "share_links__animals_target_fkey" FOREIGN KEY ("target") REFERENCES "animals" ("id") ON DELETE CASCADE DEFERRABLE;

ALTER TABLE "mandates"
    ADD CONSTRAINT "mandates_grantor_fkey" FOREIGN KEY ("grantor") REFERENCES "organizations" ("id") ON DELETE CASCADE DEFERRABLE,
    ADD CONSTRAINT "mandates_receiver_fkey" FOREIGN KEY ("receiver") REFERENCES "organizations" ("id") ON DELETE CASCADE DEFERRABLE,
    ADD CONSTRAINT "mandates_issued_by_fkey" FOREIGN KEY ("issued_by") REFERENCES "users" ("id") ON DELETE SET NULL DEFERRABLE,
    ADD CONSTRAINT "mandates_revoked_by_fkey" FOREIGN KEY ("revoked_by") REFERENCES "users" ("id") ON DELETE SET NULL DEFERRABLE;

ALTER TABLE "animal_revisions"
    ADD CONSTRAINT "animal_revisions_owner_org_fkey" FOREIGN KEY ("owner_org") REFERENCES "organizations" ("id") ON DELETE SET NULL DEFERRABLE,
    ADD CONSTRAINT "animal_revisions_animal_fkey" FOREIGN KEY ("animal") REFERENCES "animals" ("id") ON DELETE CASCADE DEFERRABLE,
    ADD CONSTRAINT "animal_revisions_user_fkey" FOREIGN KEY ("user") REFERENCES "users" ("id") ON DELETE SET NULL DEFERRABLE;

ALTER TABLE "operations"
    ADD CONSTRAINT "operations_actor_fkey" FOREIGN KEY ("actor") REFERENCES "users" ("id") ON DELETE SET NULL DEFERRABLE,
    ADD CONSTRAINT "operations_organization_fkey" FOREIGN KEY ("organization") REFERENCES "organizations" ("id") ON DELETE SET NULL DEFERRABLE;

ALTER TABLE "access_views"
    ADD CONSTRAINT "access_views_animal_fkey" FOREIGN KEY ("animal") REFERENCES "animals" ("id") ON DELETE CASCADE DEFERRABLE,
    ADD CONSTRAINT "access_views_viewer_org_fkey" FOREIGN KEY ("viewer_org") REFERENCES "organizations" ("id") ON DELETE NO ACTION DEFERRABLE,
    ADD CONSTRAINT "access_views_owner_fkey" FOREIGN KEY ("owner") REFERENCES "organizations" ("id") ON DELETE NO ACTION DEFERRABLE,
    ADD CONSTRAINT "access_views_grant_fkey" FOREIGN KEY ("grant") REFERENCES "access_grants" ("id") ON DELETE SET NULL DEFERRABLE,
    ADD CONSTRAINT "access_views_viewer_fkey" FOREIGN KEY ("viewer") REFERENCES "users" ("id") ON DELETE SET NULL DEFERRABLE;

ALTER TABLE "animal_removals"
    ADD CONSTRAINT "animal_removals_owner_fkey" FOREIGN KEY ("owner") REFERENCES "organizations" ("id") ON DELETE SET NULL DEFERRABLE,
    ADD CONSTRAINT "animal_removals_archived_by_fkey" FOREIGN KEY ("archived_by") REFERENCES "users" ("id") ON DELETE SET NULL DEFERRABLE;

ALTER TABLE "lines"
    ADD CONSTRAINT "lines_parent_line_fkey" FOREIGN KEY ("parent_line") REFERENCES "lines" ("id") ON DELETE SET NULL DEFERRABLE,
    ADD CONSTRAINT "lines_founder_fkey" FOREIGN KEY ("founder") REFERENCES "animals" ("id") ON DELETE SET NULL DEFERRABLE;

ALTER TABLE "technicians"
    ADD CONSTRAINT "technicians_organization_fkey" FOREIGN KEY ("organization") REFERENCES "organizations" ("id") ON DELETE SET NULL DEFERRABLE;

ALTER TABLE "breed_types"
    ADD CONSTRAINT "breed_types_breed_fkey" FOREIGN KEY ("breed") REFERENCES "breeds" ("id") ON DELETE SET NULL DEFERRABLE;

ALTER TABLE "regions"
    ADD CONSTRAINT "regions_country_fkey" FOREIGN KEY ("country") REFERENCES "countries" ("id") ON DELETE SET NULL DEFERRABLE;

ALTER TABLE "districts"
    ADD CONSTRAINT "districts_region_fkey" FOREIGN KEY ("region") REFERENCES "regions" ("id") ON DELETE SET NULL DEFERRABLE;

ALTER TABLE "webhooks"
    ADD CONSTRAINT "webhooks_organization_fkey" FOREIGN KEY ("organization") REFERENCES "organizations" ("id") ON DELETE CASCADE DEFERRABLE,
    ADD CONSTRAINT "webhooks_created_by_fkey" FOREIGN KEY ("created_by") REFERENCES "users" ("id") ON DELETE SET NULL DEFERRABLE;

ALTER TABLE "webhook_deliveries"
    ADD CONSTRAINT "webhook_deliveries_webhook_fkey" FOREIGN KEY ("webhook") REFERENCES "webhooks" ("id") ON DELETE CASCADE DEFERRABLE,
    ADD CONSTRAINT "webhook_deliveries_organization_fkey" FOREIGN KEY ("organization") REFERENCES "organizations" ("id") ON DELETE SET NULL DEFERRABLE;

ALTER TABLE "quotas"
    ADD CONSTRAINT "quotas_organization_fkey" FOREIGN KEY ("organization") REFERENCES "organizations" ("id") ON DELETE CASCADE DEFERRABLE;

ALTER TABLE "api_keys"
    ADD CONSTRAINT "api_keys_user_fkey" FOREIGN KEY ("user") REFERENCES "users" ("id") ON DELETE CASCADE DEFERRABLE;

ALTER TABLE "clarifications"
    ADD CONSTRAINT "clarifications_animal_fkey" FOREIGN KEY ("animal") REFERENCES "animals" ("id") ON DELETE SET NULL DEFERRABLE,
    ADD CONSTRAINT "clarifications_owner_fkey" FOREIGN KEY ("owner") REFERENCES "organizations" ("id") ON DELETE SET NULL DEFERRABLE,
    ADD CONSTRAINT "clarifications_organization_fkey" FOREIGN KEY ("organization") REFERENCES "organizations" ("id") ON DELETE SET NULL DEFERRABLE,
    ADD CONSTRAINT "clarifications_decided_by_fkey" FOREIGN KEY ("decided_by") REFERENCES "users" ("id") ON DELETE SET NULL DEFERRABLE;

ALTER TABLE "ade_tombstones"
    ADD CONSTRAINT "ade_tombstones_location_fkey" FOREIGN KEY ("location") REFERENCES "organizations" ("id") ON DELETE SET NULL DEFERRABLE;
