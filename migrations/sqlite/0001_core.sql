-- All tables of the book, printed from the registry by `herdbook schema --dialect sqlite`.

CREATE TABLE "book_sequence" (
    "id" INTEGER PRIMARY KEY,
    "seq" INTEGER NOT NULL,
    "modified" INTEGER NOT NULL,
    "commits" INTEGER NOT NULL,
    "touched" TEXT NOT NULL
);

INSERT INTO "book_sequence" ("id", "seq", "modified", "commits", "touched") VALUES (1, 0, 0, 0, '{}');

CREATE TABLE "book_ids" (
    "name" TEXT NOT NULL PRIMARY KEY,
    "next" INTEGER NOT NULL
);

CREATE TABLE "book_settings" (
    "name" TEXT NOT NULL PRIMARY KEY,
    "value" TEXT NOT NULL
);

CREATE TABLE "exchange_names" (
    "id" INTEGER PRIMARY KEY,
    "name" TEXT NOT NULL
);
CREATE UNIQUE INDEX "exchange_names_name_key" ON "exchange_names" ("name");

CREATE TABLE "exchange_documents" (
    "id" INTEGER PRIMARY KEY,
    "seq" INTEGER NOT NULL,
    "dataset" INTEGER NOT NULL,
    "collection" INTEGER NOT NULL,
    "resource_type" INTEGER NOT NULL,
    "source" INTEGER NOT NULL,
    "source_id" TEXT NOT NULL,
    "location" INTEGER NOT NULL,
    "modified" INTEGER NOT NULL,
    "created" INTEGER NOT NULL,
    "event_at" INTEGER,
    "animal" INTEGER,
    "record" INTEGER NOT NULL,
    "deleted" INTEGER NOT NULL,
    "reason" TEXT,
    "body" BLOB NOT NULL,
    "wording" TEXT
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
    "document" INTEGER NOT NULL,
    "location" INTEGER NOT NULL,
    "dataset" INTEGER NOT NULL,
    "name" TEXT NOT NULL,
    "value" TEXT NOT NULL,
    "at" INTEGER,
    PRIMARY KEY ("document", "name", "value")
);
CREATE INDEX "exchange_keys_location_dataset_name_value_idx" ON "exchange_keys" ("location", "dataset", "name", "value");
CREATE INDEX "exchange_keys_location_dataset_name_at_idx" ON "exchange_keys" ("location", "dataset", "name", "at");

CREATE TABLE "exchange_kept" (
    "id" INTEGER PRIMARY KEY,
    "dataset" TEXT NOT NULL,
    "organization" INTEGER NOT NULL,
    "source" TEXT NOT NULL,
    "source_id" TEXT NOT NULL,
    "animal" INTEGER,
    "created" INTEGER NOT NULL,
    "parts" TEXT,
    "body" BLOB NOT NULL
);
CREATE UNIQUE INDEX "exchange_kept_dataset_source_id_source_organization_key" ON "exchange_kept" ("dataset", "source_id", "source", "organization");
CREATE INDEX "exchange_kept_animal_id_idx" ON "exchange_kept" ("animal", "id");

CREATE TABLE "exchange_queue" (
    "id" INTEGER PRIMARY KEY,
    "dataset" TEXT NOT NULL,
    "relation" TEXT NOT NULL,
    "target" INTEGER NOT NULL,
    "after" INTEGER NOT NULL,
    "queued_at" INTEGER NOT NULL
);

CREATE TABLE "row_counts" (
    "table_name" TEXT NOT NULL,
    "visible" INTEGER NOT NULL,
    "details" INTEGER NOT NULL,
    "owner" INTEGER NOT NULL,
    "total" INTEGER NOT NULL,
    PRIMARY KEY ("table_name", "visible", "details", "owner")
);

CREATE TABLE "exchange_counts" (
    "location" INTEGER NOT NULL,
    "dataset" TEXT NOT NULL,
    "live" INTEGER NOT NULL,
    PRIMARY KEY ("location", "dataset")
);

CREATE TABLE "exchange_members" (
    "animal_set" INTEGER NOT NULL,
    "animal" INTEGER NOT NULL,
    "seq" INTEGER NOT NULL,
    "member" INTEGER NOT NULL,
    PRIMARY KEY ("animal_set", "animal")
);
CREATE INDEX "exchange_members_animal_set_seq_idx" ON "exchange_members" ("animal_set", "seq");

CREATE TABLE "exchange_sent" (
    "location" INTEGER NOT NULL,
    "source" TEXT NOT NULL,
    "source_id" TEXT NOT NULL,
    "dataset" TEXT NOT NULL,
    "modified" INTEGER,
    "seq" INTEGER NOT NULL,
    "batch" TEXT,
    "live" INTEGER NOT NULL,
    "organization" INTEGER,
    "named" INTEGER NOT NULL,
    "named_above" INTEGER NOT NULL,
    PRIMARY KEY ("location", "source", "source_id", "dataset")
);

CREATE TABLE "exchange_said" (
    "location" INTEGER NOT NULL,
    "source" TEXT NOT NULL,
    "source_id" TEXT NOT NULL,
    "dataset" TEXT NOT NULL,
    "members" TEXT NOT NULL,
    PRIMARY KEY ("location", "source", "source_id", "dataset")
);

CREATE TABLE "exchange_batches" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "location" INTEGER NOT NULL,
    "dataset" TEXT NOT NULL,
    "sender" INTEGER,
    "organization" INTEGER,
    "strict" INTEGER NOT NULL,
    "stage" TEXT NOT NULL,
    "items" INTEGER NOT NULL,
    "done" INTEGER NOT NULL,
    "rejected" INTEGER NOT NULL,
    "created_at" INTEGER NOT NULL,
    "ended_at" INTEGER
);
CREATE INDEX "exchange_batches_created_at_idx" ON "exchange_batches" ("created_at");

CREATE TABLE "exchange_batch_parts" (
    "batch" TEXT NOT NULL,
    "part" INTEGER NOT NULL,
    "items" INTEGER NOT NULL,
    "sent" BLOB,
    "results" BLOB,
    PRIMARY KEY ("batch", "part")
);

CREATE TABLE "exchange_full_syncs" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "dataset" TEXT,
    "locations" TEXT NOT NULL,
    "sources" TEXT NOT NULL,
    "organization" INTEGER,
    "stage" TEXT NOT NULL,
    "began" INTEGER NOT NULL,
    "pushes" INTEGER NOT NULL,
    "resources" INTEGER NOT NULL,
    "created_at" INTEGER NOT NULL,
    "due" INTEGER NOT NULL,
    "ended_at" INTEGER,
    "outcome" TEXT
);
CREATE INDEX "exchange_full_syncs_stage_due_idx" ON "exchange_full_syncs" ("stage", "due");
CREATE INDEX "exchange_full_syncs_created_at_idx" ON "exchange_full_syncs" ("created_at");

CREATE TABLE "mail_outbox" (
    "id" INTEGER PRIMARY KEY,
    "body" TEXT NOT NULL
);

CREATE TABLE "jobs" (
    "kind" TEXT NOT NULL,
    "key" TEXT NOT NULL,
    "due" INTEGER NOT NULL,
    "attempts" INTEGER NOT NULL,
    "lease" TEXT,
    "created" INTEGER NOT NULL,
    PRIMARY KEY ("kind", "key")
);
CREATE INDEX "jobs_kind_due_idx" ON "jobs" ("kind", "due");

CREATE TABLE "exchange_state" (
    "name" TEXT NOT NULL PRIMARY KEY,
    "value" TEXT NOT NULL
);

CREATE TABLE "rest_answers" (
    "user" INTEGER NOT NULL,
    "key" TEXT NOT NULL,
    "digest" TEXT NOT NULL,
    "outcomes" TEXT NOT NULL,
    "status" INTEGER,
    "answer" TEXT,
    "created_at" INTEGER NOT NULL,
    PRIMARY KEY ("user", "key")
);
CREATE INDEX "rest_answers_created_at_idx" ON "rest_answers" ("created_at");

CREATE TABLE "signed_rows" (
    "collection" TEXT NOT NULL,
    "package" INTEGER NOT NULL,
    "part" INTEGER NOT NULL,
    "body" BLOB NOT NULL,
    PRIMARY KEY ("collection", "package", "part")
);

CREATE TABLE "exchange_intakes" (
    "location" INTEGER NOT NULL,
    "source" TEXT NOT NULL,
    "taken_at" INTEGER NOT NULL,
    PRIMARY KEY ("location", "source")
);
CREATE INDEX "exchange_intakes_location_taken_at_idx" ON "exchange_intakes" ("location", "taken_at");

CREATE TABLE "exchange_traffic" (
    "account" INTEGER NOT NULL,
    "organization" INTEGER NOT NULL,
    "by_key" INTEGER NOT NULL,
    "face" TEXT NOT NULL,
    "hour" INTEGER NOT NULL,
    "class" TEXT NOT NULL,
    "requests" INTEGER NOT NULL,
    "polls" INTEGER NOT NULL,
    "not_modified" INTEGER NOT NULL,
    "errors" INTEGER NOT NULL,
    "limited" INTEGER NOT NULL,
    "last_at" INTEGER NOT NULL,
    "last_error" TEXT,
    "agent" TEXT,
    PRIMARY KEY ("account", "organization", "by_key", "face", "hour", "class")
);
CREATE INDEX "exchange_traffic_hour_idx" ON "exchange_traffic" ("hour");

CREATE TABLE "exchange_readers" (
    "account" INTEGER NOT NULL,
    "organization" INTEGER NOT NULL,
    "dataset" TEXT NOT NULL,
    "seq" INTEGER NOT NULL,
    "told_at" INTEGER NOT NULL,
    PRIMARY KEY ("account", "organization", "dataset")
);
CREATE INDEX "exchange_readers_told_at_idx" ON "exchange_readers" ("told_at");

CREATE TABLE "sign_in_delays" (
    "whose" TEXT NOT NULL PRIMARY KEY,
    "failures" INTEGER NOT NULL,
    "last_at" INTEGER NOT NULL,
    "until" INTEGER NOT NULL
);
CREATE INDEX "sign_in_delays_last_at_idx" ON "sign_in_delays" ("last_at");

CREATE TABLE "sign_in_uses" (
    "sid" TEXT NOT NULL PRIMARY KEY,
    "account" INTEGER NOT NULL,
    "used_at" INTEGER NOT NULL
);
CREATE INDEX "sign_in_uses_account_idx" ON "sign_in_uses" ("account");
CREATE INDEX "sign_in_uses_used_at_idx" ON "sign_in_uses" ("used_at");

CREATE TABLE "sign_in_challenges" (
    "challenge" TEXT NOT NULL PRIMARY KEY,
    "whose" TEXT NOT NULL,
    "state" TEXT NOT NULL,
    "until" INTEGER NOT NULL
);
CREATE INDEX "sign_in_challenges_until_idx" ON "sign_in_challenges" ("until");

CREATE TABLE "animals" (
    "id" INTEGER PRIMARY KEY,
    "uuid" TEXT,
    "ident_number" TEXT NOT NULL,
    "id_format" TEXT,
    "name" TEXT,
    "name_latin" TEXT,
    "sex" TEXT NOT NULL,
    "sex_status" TEXT,
    "birth_date" INTEGER,
    "breed" INTEGER REFERENCES "breeds" ("id") ON DELETE SET NULL,
    "age_group" TEXT,
    "age_group_computed" INTEGER,
    "age_group_date" INTEGER,
    "owner" INTEGER NOT NULL REFERENCES "organizations" ("id") ON DELETE NO ACTION,
    "herd" INTEGER REFERENCES "herds" ("id") ON DELETE SET NULL,
    "photo" INTEGER REFERENCES "media" ("id") ON DELETE SET NULL,
    "public_visible" INTEGER,
    "public_details" INTEGER,
    "for_sale" INTEGER,
    "archived" INTEGER,
    "category" INTEGER REFERENCES "breeding_categories" ("id") ON DELETE SET NULL,
    "semen_stock_code" TEXT,
    "semen_stock_available" INTEGER,
    "semen_stock_updated_at" INTEGER,
    "semen_stock_owner" INTEGER REFERENCES "organizations" ("id") ON DELETE SET NULL,
    "semen_conception_forecast" REAL,
    "semen_conception_r" REAL,
    "semen_inseminations" INTEGER,
    "fgias_base_uuid" TEXT,
    "fgias_registration_uuid" TEXT,
    "fgias_unsm" TEXT,
    "fgias_synced_at" INTEGER,
    "alt_ids_iso_id" TEXT,
    "alt_ids_international_id" TEXT,
    "alt_ids_ear_tag" TEXT,
    "alt_ids_inventory_number" TEXT,
    "alt_ids_chip_number" TEXT,
    "alt_ids_chip_date" INTEGER,
    "alt_ids_gpk_mark" TEXT,
    "alt_ids_gpk_number" TEXT,
    "alt_ids_origin_country" TEXT,
    "alt_ids_origin_number" TEXT,
    "breed_type" INTEGER REFERENCES "breed_types" ("id") ON DELETE SET NULL,
    "blood_percent" REAL,
    "improvers_breed1" INTEGER REFERENCES "breeds" ("id") ON DELETE SET NULL,
    "improvers_share1" REAL,
    "improvers_breed2" INTEGER REFERENCES "breeds" ("id") ON DELETE SET NULL,
    "improvers_share2" REAL,
    "coat_color" INTEGER REFERENCES "coat_colors" ("id") ON DELETE SET NULL,
    "blood_group" INTEGER REFERENCES "blood_groups" ("id") ON DELETE SET NULL,
    "purpose" INTEGER REFERENCES "animal_purposes" ("id") ON DELETE SET NULL,
    "breed_date" INTEGER,
    "purpose_date" INTEGER,
    "birth_place_country" INTEGER REFERENCES "countries" ("id") ON DELETE SET NULL,
    "birth_place_region" INTEGER REFERENCES "regions" ("id") ON DELETE SET NULL,
    "birth_place_district" INTEGER REFERENCES "districts" ("id") ON DELETE SET NULL,
    "birth_place_farm" INTEGER REFERENCES "organizations" ("id") ON DELETE SET NULL,
    "birth_place_farm_name" TEXT,
    "registration_basis" TEXT,
    "breeding_class" INTEGER REFERENCES "breeding_classes" ("id") ON DELETE SET NULL,
    "receipt_method" INTEGER REFERENCES "reproduction_methods" ("id") ON DELETE SET NULL,
    "father" INTEGER REFERENCES "animals" ("id") ON DELETE SET NULL,
    "mother" INTEGER REFERENCES "animals" ("id") ON DELETE SET NULL,
    "line" INTEGER REFERENCES "lines" ("id") ON DELETE SET NULL,
    "family" INTEGER REFERENCES "lines" ("id") ON DELETE SET NULL,
    "pedigree_text_father_id" TEXT,
    "pedigree_text_father_name" TEXT,
    "pedigree_text_mother_id" TEXT,
    "pedigree_text_mother_name" TEXT,
    "pedigree_text_father_father_id" TEXT,
    "pedigree_text_mother_father_id" TEXT,
    "genetics_cvm" TEXT,
    "genetics_blad" TEXT,
    "genetics_dumps" TEXT,
    "genetics_kappa_casein" TEXT,
    "genetics_beta_casein" TEXT,
    "genetics_beta_lactoglobulin" TEXT,
    "haplotypes" TEXT,
    "shows" TEXT,
    "dna_tests" TEXT,
    "arrival_date" INTEGER,
    "previous_organization" INTEGER REFERENCES "organizations" ("id") ON DELETE SET NULL,
    "notes" TEXT,
    "archive_reason" TEXT,
    "trust_level" INTEGER,
    "trust_checked_at" INTEGER,
    "registration_status" TEXT,
    "registration_number" TEXT,
    "registration_registered_at" INTEGER,
    "state" TEXT,
    "disposal_date" INTEGER,
    "disposal_reason" INTEGER REFERENCES "disposal_reasons" ("id") ON DELETE SET NULL,
    "disposal_organization" INTEGER REFERENCES "organizations" ("id") ON DELETE SET NULL,
    "inbreeding" REAL,
    "inbreeding_needs_approval" INTEGER,
    "pedigree_depth" REAL,
    "parent_status_father" TEXT,
    "parent_status_mother" TEXT,
    "author" INTEGER REFERENCES "users" ("id") ON DELETE SET NULL,
    "current_parity" INTEGER,
    "current_days_in_milk" INTEGER,
    "current_age_at_first_calving" INTEGER,
    "current_last_calving_date" INTEGER,
    "current_last_insemination_date" INTEGER,
    "current_last_dry_off_date" INTEGER,
    "current_expected_calving_date" INTEGER,
    "current_lactation_status" TEXT,
    "current_reproduction_status" TEXT,
    "current_health_status" TEXT,
    "current_services" INTEGER,
    "current_last_test_date" INTEGER,
    "current_last_cells" REAL,
    "current_last_cells_date" INTEGER,
    "current_milk_withdrawal_until" INTEGER,
    "current_meat_withdrawal_until" INTEGER,
    "lactations" TEXT,
    "summary_milk_yield" REAL,
    "summary_fat_percent" REAL,
    "summary_protein_percent" REAL,
    "summary_fat_kg" REAL,
    "summary_protein_kg" REAL,
    "summary_fat_protein_sum" REAL,
    "summary_milk_rank" REAL,
    "reported_lactations" TEXT,
    "test_sums" TEXT,
    "dry_test" INTEGER,
    "grade" TEXT,
    "grade_date" INTEGER,
    "ipc" REAL,
    "ipc_rank" REAL,
    "evaluation_date" INTEGER,
    "ipc_details_forecast" REAL,
    "ipc_details_r" REAL,
    "ipc_details_percentile" REAL,
    "ipc_details_center" TEXT,
    "ipc_details_base" TEXT,
    "production_reliability_level" INTEGER,
    "production_milk_forecast" REAL,
    "production_milk_r" REAL,
    "production_fat_percent_forecast" REAL,
    "production_fat_percent_r" REAL,
    "production_protein_percent_forecast" REAL,
    "production_protein_percent_r" REAL,
    "production_fat_kg_forecast" REAL,
    "production_fat_kg_r" REAL,
    "production_protein_kg_forecast" REAL,
    "production_protein_kg_r" REAL,
    "production_production_index_forecast" REAL,
    "production_production_index_r" REAL,
    "reproduction_fertility_forecast" REAL,
    "reproduction_fertility_r" REAL,
    "health_reliability_level" INTEGER,
    "health_productive_longevity_forecast" REAL,
    "health_productive_longevity_r" REAL,
    "health_udder_health_forecast" REAL,
    "health_udder_health_r" REAL,
    "health_calf_mortality_forecast" REAL,
    "health_calf_mortality_r" REAL,
    "health_calving_ease_forecast" REAL,
    "health_calving_ease_r" REAL,
    "calving_roles_ease_sire_forecast" REAL,
    "calving_roles_ease_sire_r" REAL,
    "calving_roles_ease_mgs_forecast" REAL,
    "calving_roles_ease_mgs_r" REAL,
    "calving_roles_stillbirth_sire_forecast" REAL,
    "calving_roles_stillbirth_sire_r" REAL,
    "calving_roles_stillbirth_mgs_forecast" REAL,
    "calving_roles_stillbirth_mgs_r" REAL,
    "exterior_height" REAL,
    "exterior_chest_width" REAL,
    "exterior_body_depth" REAL,
    "exterior_body_type" REAL,
    "exterior_rump_angle" REAL,
    "exterior_rump_width" REAL,
    "exterior_rear_legs_rear" REAL,
    "exterior_rear_legs_side" REAL,
    "exterior_hoof_angle" REAL,
    "exterior_front_legs" REAL,
    "exterior_movement" REAL,
    "exterior_fore_udder" REAL,
    "exterior_front_teat_placement" REAL,
    "exterior_teat_length" REAL,
    "exterior_udder_depth" REAL,
    "exterior_rear_udder" REAL,
    "exterior_central_ligament" REAL,
    "exterior_rear_teat_placement" REAL,
    "exterior_body_composite" REAL,
    "exterior_udder_composite" REAL,
    "exterior_legs_composite" REAL,
    "linear_score_assessed_at" INTEGER,
    "linear_score_height" INTEGER,
    "linear_score_chest_width" INTEGER,
    "linear_score_body_depth" INTEGER,
    "linear_score_body_type" INTEGER,
    "linear_score_rump_angle" INTEGER,
    "linear_score_rump_width" INTEGER,
    "linear_score_rear_legs_rear" INTEGER,
    "linear_score_rear_legs_side" INTEGER,
    "linear_score_hoof_angle" INTEGER,
    "linear_score_front_legs" INTEGER,
    "linear_score_movement" INTEGER,
    "linear_score_fore_udder" INTEGER,
    "linear_score_front_teat_placement" INTEGER,
    "linear_score_teat_length" INTEGER,
    "linear_score_udder_depth" INTEGER,
    "linear_score_rear_udder" INTEGER,
    "linear_score_central_ligament" INTEGER,
    "linear_score_rear_teat_placement" INTEGER,
    "archived_at" INTEGER,
    "archived_by" INTEGER REFERENCES "users" ("id") ON DELETE SET NULL,
    "last_edit_user" INTEGER REFERENCES "users" ("id") ON DELETE SET NULL,
    "last_edit_time" INTEGER,
    "check_status" TEXT,
    "merged_into" INTEGER REFERENCES "animals" ("id") ON DELETE SET NULL,
    "disputed" INTEGER NOT NULL,
    "merger_kept" TEXT,
    "entry_owner" INTEGER REFERENCES "organizations" ("id") ON DELETE SET NULL,
    "entry_herd" INTEGER REFERENCES "herds" ("id") ON DELETE SET NULL,
    "entry_arrival_date" INTEGER,
    "entry_previous_organization" INTEGER REFERENCES "organizations" ("id") ON DELETE SET NULL,
    "birth_ade_source" TEXT,
    "birth_ade_source_id" TEXT,
    "birth_ade_extra" TEXT,
    "birth_org" INTEGER REFERENCES "organizations" ("id") ON DELETE SET NULL,
    "seq" INTEGER NOT NULL,
    "updated_at" INTEGER NOT NULL,
    "created_at" INTEGER NOT NULL
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

CREATE TRIGGER "animals_count_insert" AFTER INSERT ON "animals" BEGIN
    INSERT INTO row_counts ("table_name", "owner", "visible", "details", "total") SELECT 'animals', coalesce(new."owner", 0), coalesce(new."public_visible", 0), coalesce(new."public_details", 0), 1 WHERE TRUE ON CONFLICT ("table_name", "visible", "details", "owner") DO UPDATE SET "total" = row_counts."total" + excluded."total";
END;

CREATE TRIGGER "animals_count_delete" AFTER DELETE ON "animals" BEGIN
    INSERT INTO row_counts ("table_name", "owner", "visible", "details", "total") SELECT 'animals', coalesce(old."owner", 0), coalesce(old."public_visible", 0), coalesce(old."public_details", 0), -1 WHERE TRUE ON CONFLICT ("table_name", "visible", "details", "owner") DO UPDATE SET "total" = row_counts."total" + excluded."total";
END;

CREATE TRIGGER "animals_count_update" AFTER UPDATE OF "owner", "public_visible", "public_details" ON "animals" WHEN old."owner" IS NOT new."owner" OR old."public_visible" IS NOT new."public_visible" OR old."public_details" IS NOT new."public_details" BEGIN
    INSERT INTO row_counts ("table_name", "owner", "visible", "details", "total") SELECT 'animals', coalesce(old."owner", 0), coalesce(old."public_visible", 0), coalesce(old."public_details", 0), -1 WHERE TRUE ON CONFLICT ("table_name", "visible", "details", "owner") DO UPDATE SET "total" = row_counts."total" + excluded."total";
    INSERT INTO row_counts ("table_name", "owner", "visible", "details", "total") SELECT 'animals', coalesce(new."owner", 0), coalesce(new."public_visible", 0), coalesce(new."public_details", 0), 1 WHERE TRUE ON CONFLICT ("table_name", "visible", "details", "owner") DO UPDATE SET "total" = row_counts."total" + excluded."total";
END;

CREATE TABLE "animals__past_owners" (
    "owner" INTEGER NOT NULL REFERENCES "animals" ("id") ON DELETE CASCADE,
    "position" INTEGER NOT NULL,
    "target" INTEGER NOT NULL REFERENCES "organizations" ("id") ON DELETE CASCADE,
    PRIMARY KEY ("owner", "position")
);
CREATE INDEX "animals__past_owners_target_owner_idx" ON "animals__past_owners" ("target", "owner");

CREATE TABLE "herds" (
    "id" INTEGER PRIMARY KEY,
    "name" TEXT NOT NULL,
    "code" TEXT,
    "organization" INTEGER NOT NULL REFERENCES "organizations" ("id") ON DELETE CASCADE,
    "address" TEXT,
    "holding_number" TEXT,
    "time_zone" TEXT,
    "milkings_per_day" TEXT,
    "recording_interval" INTEGER,
    "recording_protocol" TEXT,
    "recording_scheme" TEXT,
    "sampling_scheme" TEXT,
    "work_lists_dry_off" INTEGER,
    "work_lists_calving" INTEGER,
    "work_lists_pregnancy_check" INTEGER,
    "work_lists_open" INTEGER,
    "work_lists_services" INTEGER,
    "work_lists_cells" INTEGER,
    "work_lists_no_test" INTEGER,
    "seq" INTEGER NOT NULL,
    "updated_at" INTEGER NOT NULL,
    "created_at" INTEGER NOT NULL
);
CREATE UNIQUE INDEX "herds_organization_code_key" ON "herds" ("organization", "code");
CREATE INDEX "herds_code_idx" ON "herds" ("code");
CREATE INDEX "herds_updated_at_idx" ON "herds" ("updated_at");
CREATE INDEX "herds_created_at_idx" ON "herds" ("created_at");

CREATE TABLE "movements" (
    "id" INTEGER PRIMARY KEY,
    "animal" INTEGER NOT NULL REFERENCES "animals" ("id") ON DELETE CASCADE,
    "date" INTEGER NOT NULL,
    "kind" TEXT NOT NULL,
    "from" INTEGER REFERENCES "organizations" ("id") ON DELETE SET NULL,
    "to" INTEGER REFERENCES "organizations" ("id") ON DELETE SET NULL,
    "from_herd" INTEGER REFERENCES "herds" ("id") ON DELETE SET NULL,
    "to_herd" INTEGER REFERENCES "herds" ("id") ON DELETE SET NULL,
    "reason" INTEGER REFERENCES "disposal_reasons" ("id") ON DELETE SET NULL,
    "death_method" TEXT,
    "disposal_method" TEXT,
    "consignment_number" TEXT,
    "consignment_vehicle" TEXT,
    "consignment_operator" TEXT,
    "consignment_declaration" TEXT,
    "weight" REAL,
    "basis" TEXT,
    "note" TEXT,
    "applied" INTEGER,
    "confirmation" TEXT,
    "objection" TEXT,
    "confirmed_by" INTEGER REFERENCES "users" ("id") ON DELETE SET NULL,
    "confirmed_role" TEXT,
    "released" INTEGER,
    "outside" INTEGER,
    "recorded_by" INTEGER REFERENCES "users" ("id") ON DELETE SET NULL,
    "recorded_role" TEXT,
    "ade_source" TEXT,
    "ade_source_id" TEXT,
    "ade_dataset" TEXT,
    "ade_extra" TEXT,
    "ade_to_source" TEXT,
    "ade_to_source_id" TEXT,
    "ade_to_extra" TEXT,
    "joined_from" INTEGER,
    "joined_to" INTEGER,
    "seq" INTEGER NOT NULL,
    "updated_at" INTEGER NOT NULL,
    "created_at" INTEGER NOT NULL
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
    "id" INTEGER PRIMARY KEY,
    "name" TEXT NOT NULL,
    "list" TEXT,
    "place" TEXT NOT NULL,
    "query" TEXT NOT NULL,
    "where" TEXT,
    "scope" TEXT,
    "author" INTEGER REFERENCES "users" ("id") ON DELETE SET NULL,
    "organization" INTEGER REFERENCES "organizations" ("id") ON DELETE SET NULL,
    "ade_set" INTEGER,
    "ade_purpose" TEXT,
    "joins" TEXT,
    "leaves" TEXT,
    "ade_source" TEXT,
    "ade_source_id" TEXT,
    "ade_extra" TEXT,
    "seq" INTEGER NOT NULL,
    "updated_at" INTEGER NOT NULL,
    "created_at" INTEGER NOT NULL
);
CREATE UNIQUE INDEX "saved_searches_organization_ade_source_ade_source_id_key" ON "saved_searches" ("organization", "ade_source", "ade_source_id");
CREATE INDEX "saved_searches_author_idx" ON "saved_searches" ("author") WHERE "author" IS NOT NULL;
CREATE INDEX "saved_searches_updated_at_idx" ON "saved_searches" ("updated_at");
CREATE INDEX "saved_searches_created_at_idx" ON "saved_searches" ("created_at");

CREATE TABLE "saved_searches__members" (
    "owner" INTEGER NOT NULL REFERENCES "saved_searches" ("id") ON DELETE CASCADE,
    "position" INTEGER NOT NULL,
    "target" INTEGER NOT NULL REFERENCES "animals" ("id") ON DELETE CASCADE,
    PRIMARY KEY ("owner", "position")
);
CREATE INDEX "saved_searches__members_target_owner_idx" ON "saved_searches__members" ("target", "owner");

CREATE TABLE "calvings" (
    "id" INTEGER PRIMARY KEY,
    "animal" INTEGER NOT NULL REFERENCES "animals" ("id") ON DELETE CASCADE,
    "owner_org" INTEGER REFERENCES "organizations" ("id") ON DELETE SET NULL,
    "animal_owner" INTEGER REFERENCES "organizations" ("id") ON DELETE SET NULL,
    "animal_visible" INTEGER,
    "animal_details" INTEGER,
    "number" INTEGER NOT NULL,
    "number_computed" INTEGER,
    "date" INTEGER NOT NULL,
    "event_type" TEXT,
    "opens_lactation" INTEGER,
    "result" TEXT,
    "milking_days" INTEGER,
    "dry_off_date" INTEGER,
    "ease" TEXT,
    "calf_weight" REAL,
    "live_heifers" INTEGER,
    "live_bulls" INTEGER,
    "stillborn" INTEGER,
    "progeny" TEXT,
    "insemination" INTEGER REFERENCES "inseminations" ("id") ON DELETE SET NULL,
    "gestation_days" INTEGER,
    "embryo_transfer" INTEGER,
    "comment" TEXT,
    "submission" INTEGER REFERENCES "data_submissions" ("id") ON DELETE SET NULL,
    "verification" TEXT,
    "check_status" TEXT,
    "ade_source" TEXT,
    "ade_source_id" TEXT,
    "ade_dataset" TEXT,
    "ade_extra" TEXT,
    "seq" INTEGER NOT NULL,
    "updated_at" INTEGER NOT NULL,
    "created_at" INTEGER NOT NULL
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

CREATE TRIGGER "calvings_count_insert" AFTER INSERT ON "calvings" BEGIN
    INSERT INTO row_counts ("table_name", "owner", "visible", "details", "total") SELECT 'calvings', coalesce(new."animal_owner", 0), coalesce(new."animal_visible", 0), coalesce(new."animal_details", 0), 1 WHERE TRUE ON CONFLICT ("table_name", "visible", "details", "owner") DO UPDATE SET "total" = row_counts."total" + excluded."total";
END;

CREATE TRIGGER "calvings_count_delete" AFTER DELETE ON "calvings" BEGIN
    INSERT INTO row_counts ("table_name", "owner", "visible", "details", "total") SELECT 'calvings', coalesce(old."animal_owner", 0), coalesce(old."animal_visible", 0), coalesce(old."animal_details", 0), -1 WHERE TRUE ON CONFLICT ("table_name", "visible", "details", "owner") DO UPDATE SET "total" = row_counts."total" + excluded."total";
END;

CREATE TRIGGER "calvings_count_update" AFTER UPDATE OF "animal_owner", "animal_visible", "animal_details" ON "calvings" WHEN old."animal_owner" IS NOT new."animal_owner" OR old."animal_visible" IS NOT new."animal_visible" OR old."animal_details" IS NOT new."animal_details" BEGIN
    INSERT INTO row_counts ("table_name", "owner", "visible", "details", "total") SELECT 'calvings', coalesce(old."animal_owner", 0), coalesce(old."animal_visible", 0), coalesce(old."animal_details", 0), -1 WHERE TRUE ON CONFLICT ("table_name", "visible", "details", "owner") DO UPDATE SET "total" = row_counts."total" + excluded."total";
    INSERT INTO row_counts ("table_name", "owner", "visible", "details", "total") SELECT 'calvings', coalesce(new."animal_owner", 0), coalesce(new."animal_visible", 0), coalesce(new."animal_details", 0), 1 WHERE TRUE ON CONFLICT ("table_name", "visible", "details", "owner") DO UPDATE SET "total" = row_counts."total" + excluded."total";
END;

CREATE TABLE "calvings__calves" (
    "owner" INTEGER NOT NULL REFERENCES "calvings" ("id") ON DELETE CASCADE,
    "position" INTEGER NOT NULL,
    "target" INTEGER NOT NULL REFERENCES "animals" ("id") ON DELETE CASCADE,
    PRIMARY KEY ("owner", "position")
);
CREATE INDEX "calvings__calves_target_owner_idx" ON "calvings__calves" ("target", "owner");

CREATE TABLE "inseminations" (
    "id" INTEGER PRIMARY KEY,
    "animal" INTEGER NOT NULL REFERENCES "animals" ("id") ON DELETE CASCADE,
    "owner_org" INTEGER REFERENCES "organizations" ("id") ON DELETE SET NULL,
    "animal_owner" INTEGER REFERENCES "organizations" ("id") ON DELETE SET NULL,
    "animal_visible" INTEGER,
    "animal_details" INTEGER,
    "lactation_number" INTEGER,
    "lactation_number_computed" INTEGER,
    "date" INTEGER NOT NULL,
    "end_date" INTEGER,
    "bull" INTEGER REFERENCES "animals" ("id") ON DELETE SET NULL,
    "bull_text" TEXT,
    "semen_type" INTEGER REFERENCES "semen_types" ("id") ON DELETE SET NULL,
    "method" INTEGER REFERENCES "reproduction_methods" ("id") ON DELETE SET NULL,
    "doses" REAL,
    "attempt_number" INTEGER,
    "technician" INTEGER REFERENCES "technicians" ("id") ON DELETE SET NULL,
    "farm_stock" INTEGER,
    "straw_number" TEXT,
    "straw_batch" TEXT,
    "straw_centre" TEXT,
    "straw_collected_on" INTEGER,
    "straw_sexed" TEXT,
    "straw_sexed_percent" INTEGER,
    "embryo_number" TEXT,
    "embryo_donor" INTEGER REFERENCES "animals" ("id") ON DELETE SET NULL,
    "embryo_sire" INTEGER REFERENCES "animals" ("id") ON DELETE SET NULL,
    "embryo_centre" TEXT,
    "embryo_collected_on" INTEGER,
    "result" INTEGER REFERENCES "insemination_results" ("id") ON DELETE SET NULL,
    "pregnancy_check_date" INTEGER,
    "pregnancy_check_method" TEXT,
    "foetus_count" INTEGER,
    "check" INTEGER REFERENCES "events" ("id") ON DELETE SET NULL,
    "stated_check_result" INTEGER REFERENCES "insemination_results" ("id") ON DELETE SET NULL,
    "stated_check_date" INTEGER,
    "stated_check_method" TEXT,
    "stated_check_foetus_count" INTEGER,
    "expected_calving" INTEGER,
    "days_open" INTEGER,
    "source" TEXT,
    "comment" TEXT,
    "check_ade_source" TEXT,
    "check_ade_source_id" TEXT,
    "check_ade_extra" TEXT,
    "submission" INTEGER REFERENCES "data_submissions" ("id") ON DELETE SET NULL,
    "verification" TEXT,
    "check_status" TEXT,
    "ade_source" TEXT,
    "ade_source_id" TEXT,
    "ade_extra" TEXT,
    "seq" INTEGER NOT NULL,
    "updated_at" INTEGER NOT NULL,
    "created_at" INTEGER NOT NULL
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

CREATE TRIGGER "inseminations_count_insert" AFTER INSERT ON "inseminations" BEGIN
    INSERT INTO row_counts ("table_name", "owner", "visible", "details", "total") SELECT 'inseminations', coalesce(new."animal_owner", 0), coalesce(new."animal_visible", 0), coalesce(new."animal_details", 0), 1 WHERE TRUE ON CONFLICT ("table_name", "visible", "details", "owner") DO UPDATE SET "total" = row_counts."total" + excluded."total";
END;

CREATE TRIGGER "inseminations_count_delete" AFTER DELETE ON "inseminations" BEGIN
    INSERT INTO row_counts ("table_name", "owner", "visible", "details", "total") SELECT 'inseminations', coalesce(old."animal_owner", 0), coalesce(old."animal_visible", 0), coalesce(old."animal_details", 0), -1 WHERE TRUE ON CONFLICT ("table_name", "visible", "details", "owner") DO UPDATE SET "total" = row_counts."total" + excluded."total";
END;

CREATE TRIGGER "inseminations_count_update" AFTER UPDATE OF "animal_owner", "animal_visible", "animal_details" ON "inseminations" WHEN old."animal_owner" IS NOT new."animal_owner" OR old."animal_visible" IS NOT new."animal_visible" OR old."animal_details" IS NOT new."animal_details" BEGIN
    INSERT INTO row_counts ("table_name", "owner", "visible", "details", "total") SELECT 'inseminations', coalesce(old."animal_owner", 0), coalesce(old."animal_visible", 0), coalesce(old."animal_details", 0), -1 WHERE TRUE ON CONFLICT ("table_name", "visible", "details", "owner") DO UPDATE SET "total" = row_counts."total" + excluded."total";
    INSERT INTO row_counts ("table_name", "owner", "visible", "details", "total") SELECT 'inseminations', coalesce(new."animal_owner", 0), coalesce(new."animal_visible", 0), coalesce(new."animal_details", 0), 1 WHERE TRUE ON CONFLICT ("table_name", "visible", "details", "owner") DO UPDATE SET "total" = row_counts."total" + excluded."total";
END;

CREATE TABLE "milk_tests" (
    "id" INTEGER PRIMARY KEY,
    "animal" INTEGER NOT NULL REFERENCES "animals" ("id") ON DELETE CASCADE,
    "owner_org" INTEGER REFERENCES "organizations" ("id") ON DELETE SET NULL,
    "animal_owner" INTEGER REFERENCES "organizations" ("id") ON DELETE SET NULL,
    "animal_visible" INTEGER,
    "animal_details" INTEGER,
    "date" INTEGER NOT NULL,
    "milk_yield" REAL,
    "yields_morning" REAL,
    "yields_noon" REAL,
    "yields_evening" REAL,
    "milk_yield_computed" INTEGER,
    "test_code" TEXT,
    "lactation_number" INTEGER,
    "lactation_number_computed" INTEGER,
    "fat_percent" REAL,
    "protein_percent" REAL,
    "lactose_percent" REAL,
    "casein_percent" REAL,
    "dry_matter_percent" REAL,
    "somatic_cells" REAL,
    "urea" REAL,
    "bhb" REAL,
    "acetone" REAL,
    "official" INTEGER,
    "sample_number" TEXT,
    "laboratory" INTEGER REFERENCES "organizations" ("id") ON DELETE SET NULL,
    "source" TEXT,
    "recording_protocol" TEXT,
    "recording_per_year" INTEGER,
    "recording_scheme" TEXT,
    "sampling_moment" TEXT,
    "sampling_scheme" TEXT,
    "days_in_milk" INTEGER,
    "submission" INTEGER REFERENCES "data_submissions" ("id") ON DELETE SET NULL,
    "verification" TEXT,
    "check_status" TEXT,
    "ade_source" TEXT,
    "ade_source_id" TEXT,
    "ade_extra" TEXT,
    "seq" INTEGER NOT NULL,
    "updated_at" INTEGER NOT NULL,
    "created_at" INTEGER NOT NULL
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

CREATE TRIGGER "milk_tests_count_insert" AFTER INSERT ON "milk_tests" BEGIN
    INSERT INTO row_counts ("table_name", "owner", "visible", "details", "total") SELECT 'milk_tests', coalesce(new."animal_owner", 0), coalesce(new."animal_visible", 0), coalesce(new."animal_details", 0), 1 WHERE TRUE ON CONFLICT ("table_name", "visible", "details", "owner") DO UPDATE SET "total" = row_counts."total" + excluded."total";
END;

CREATE TRIGGER "milk_tests_count_delete" AFTER DELETE ON "milk_tests" BEGIN
    INSERT INTO row_counts ("table_name", "owner", "visible", "details", "total") SELECT 'milk_tests', coalesce(old."animal_owner", 0), coalesce(old."animal_visible", 0), coalesce(old."animal_details", 0), -1 WHERE TRUE ON CONFLICT ("table_name", "visible", "details", "owner") DO UPDATE SET "total" = row_counts."total" + excluded."total";
END;

CREATE TRIGGER "milk_tests_count_update" AFTER UPDATE OF "animal_owner", "animal_visible", "animal_details" ON "milk_tests" WHEN old."animal_owner" IS NOT new."animal_owner" OR old."animal_visible" IS NOT new."animal_visible" OR old."animal_details" IS NOT new."animal_details" BEGIN
    INSERT INTO row_counts ("table_name", "owner", "visible", "details", "total") SELECT 'milk_tests', coalesce(old."animal_owner", 0), coalesce(old."animal_visible", 0), coalesce(old."animal_details", 0), -1 WHERE TRUE ON CONFLICT ("table_name", "visible", "details", "owner") DO UPDATE SET "total" = row_counts."total" + excluded."total";
    INSERT INTO row_counts ("table_name", "owner", "visible", "details", "total") SELECT 'milk_tests', coalesce(new."animal_owner", 0), coalesce(new."animal_visible", 0), coalesce(new."animal_details", 0), 1 WHERE TRUE ON CONFLICT ("table_name", "visible", "details", "owner") DO UPDATE SET "total" = row_counts."total" + excluded."total";
END;

CREATE TABLE "weighings" (
    "id" INTEGER PRIMARY KEY,
    "animal" INTEGER NOT NULL REFERENCES "animals" ("id") ON DELETE CASCADE,
    "owner_org" INTEGER REFERENCES "organizations" ("id") ON DELETE SET NULL,
    "animal_owner" INTEGER REFERENCES "organizations" ("id") ON DELETE SET NULL,
    "animal_visible" INTEGER,
    "animal_details" INTEGER,
    "date" INTEGER NOT NULL,
    "weight" REAL NOT NULL,
    "sign" TEXT,
    "lactation_number" INTEGER,
    "lactation_number_computed" INTEGER,
    "method" TEXT,
    "hip_height" REAL,
    "chest_girth" REAL,
    "bcs" REAL,
    "age_days" INTEGER,
    "daily_gain" REAL,
    "note" TEXT,
    "submission" INTEGER REFERENCES "data_submissions" ("id") ON DELETE SET NULL,
    "verification" TEXT,
    "check_status" TEXT,
    "ade_source" TEXT,
    "ade_source_id" TEXT,
    "ade_extra" TEXT,
    "seq" INTEGER NOT NULL,
    "updated_at" INTEGER NOT NULL,
    "created_at" INTEGER NOT NULL
);
CREATE UNIQUE INDEX "weighings_owner_org_ade_source_ade_source_id_key" ON "weighings" ("owner_org", "ade_source", "ade_source_id");
CREATE INDEX "weighings_animal_date_idx" ON "weighings" ("animal", "date");
CREATE INDEX "weighings_owner_org_date_idx" ON "weighings" ("owner_org", "date");
CREATE INDEX "weighings_animal_owner_date_idx" ON "weighings" ("animal_owner", "date");
CREATE INDEX "weighings_date_idx" ON "weighings" ("date");
CREATE INDEX "weighings_submission_idx" ON "weighings" ("submission") WHERE "submission" IS NOT NULL;
CREATE INDEX "weighings_updated_at_idx" ON "weighings" ("updated_at");
CREATE INDEX "weighings_created_at_idx" ON "weighings" ("created_at");

CREATE TRIGGER "weighings_count_insert" AFTER INSERT ON "weighings" BEGIN
    INSERT INTO row_counts ("table_name", "owner", "visible", "details", "total") SELECT 'weighings', coalesce(new."animal_owner", 0), coalesce(new."animal_visible", 0), coalesce(new."animal_details", 0), 1 WHERE TRUE ON CONFLICT ("table_name", "visible", "details", "owner") DO UPDATE SET "total" = row_counts."total" + excluded."total";
END;

CREATE TRIGGER "weighings_count_delete" AFTER DELETE ON "weighings" BEGIN
    INSERT INTO row_counts ("table_name", "owner", "visible", "details", "total") SELECT 'weighings', coalesce(old."animal_owner", 0), coalesce(old."animal_visible", 0), coalesce(old."animal_details", 0), -1 WHERE TRUE ON CONFLICT ("table_name", "visible", "details", "owner") DO UPDATE SET "total" = row_counts."total" + excluded."total";
END;

CREATE TRIGGER "weighings_count_update" AFTER UPDATE OF "animal_owner", "animal_visible", "animal_details" ON "weighings" WHEN old."animal_owner" IS NOT new."animal_owner" OR old."animal_visible" IS NOT new."animal_visible" OR old."animal_details" IS NOT new."animal_details" BEGIN
    INSERT INTO row_counts ("table_name", "owner", "visible", "details", "total") SELECT 'weighings', coalesce(old."animal_owner", 0), coalesce(old."animal_visible", 0), coalesce(old."animal_details", 0), -1 WHERE TRUE ON CONFLICT ("table_name", "visible", "details", "owner") DO UPDATE SET "total" = row_counts."total" + excluded."total";
    INSERT INTO row_counts ("table_name", "owner", "visible", "details", "total") SELECT 'weighings', coalesce(new."animal_owner", 0), coalesce(new."animal_visible", 0), coalesce(new."animal_details", 0), 1 WHERE TRUE ON CONFLICT ("table_name", "visible", "details", "owner") DO UPDATE SET "total" = row_counts."total" + excluded."total";
END;

CREATE TABLE "milking_visits" (
    "id" INTEGER PRIMARY KEY,
    "animal" INTEGER NOT NULL REFERENCES "animals" ("id") ON DELETE CASCADE,
    "owner_org" INTEGER REFERENCES "organizations" ("id") ON DELETE SET NULL,
    "animal_owner" INTEGER REFERENCES "organizations" ("id") ON DELETE SET NULL,
    "animal_visible" INTEGER,
    "animal_details" INTEGER,
    "started_at" INTEGER NOT NULL,
    "milk_yield" REAL NOT NULL,
    "duration" INTEGER,
    "visit_duration" INTEGER,
    "milking_type" TEXT,
    "complete" INTEGER,
    "box" TEXT,
    "device" TEXT,
    "shift_date" INTEGER,
    "shift_number" INTEGER,
    "quarters" TEXT,
    "characteristics" TEXT,
    "remarks" TEXT,
    "submission" INTEGER REFERENCES "data_submissions" ("id") ON DELETE SET NULL,
    "verification" TEXT,
    "check_status" TEXT,
    "ade_source" TEXT,
    "ade_source_id" TEXT,
    "ade_extra" TEXT,
    "seq" INTEGER NOT NULL,
    "updated_at" INTEGER NOT NULL,
    "created_at" INTEGER NOT NULL
);
CREATE UNIQUE INDEX "milking_visits_owner_org_ade_source_ade_source_id_key" ON "milking_visits" ("owner_org", "ade_source", "ade_source_id");
CREATE INDEX "milking_visits_animal_started_at_idx" ON "milking_visits" ("animal", "started_at");
CREATE INDEX "milking_visits_owner_org_started_at_idx" ON "milking_visits" ("owner_org", "started_at");
CREATE INDEX "milking_visits_animal_owner_started_at_idx" ON "milking_visits" ("animal_owner", "started_at");
CREATE INDEX "milking_visits_started_at_idx" ON "milking_visits" ("started_at");
CREATE INDEX "milking_visits_submission_idx" ON "milking_visits" ("submission") WHERE "submission" IS NOT NULL;
CREATE INDEX "milking_visits_updated_at_idx" ON "milking_visits" ("updated_at");
CREATE INDEX "milking_visits_created_at_idx" ON "milking_visits" ("created_at");

CREATE TRIGGER "milking_visits_count_insert" AFTER INSERT ON "milking_visits" BEGIN
    INSERT INTO row_counts ("table_name", "owner", "visible", "details", "total") SELECT 'milking_visits', coalesce(new."animal_owner", 0), coalesce(new."animal_visible", 0), coalesce(new."animal_details", 0), 1 WHERE TRUE ON CONFLICT ("table_name", "visible", "details", "owner") DO UPDATE SET "total" = row_counts."total" + excluded."total";
END;

CREATE TRIGGER "milking_visits_count_delete" AFTER DELETE ON "milking_visits" BEGIN
    INSERT INTO row_counts ("table_name", "owner", "visible", "details", "total") SELECT 'milking_visits', coalesce(old."animal_owner", 0), coalesce(old."animal_visible", 0), coalesce(old."animal_details", 0), -1 WHERE TRUE ON CONFLICT ("table_name", "visible", "details", "owner") DO UPDATE SET "total" = row_counts."total" + excluded."total";
END;

CREATE TRIGGER "milking_visits_count_update" AFTER UPDATE OF "animal_owner", "animal_visible", "animal_details" ON "milking_visits" WHEN old."animal_owner" IS NOT new."animal_owner" OR old."animal_visible" IS NOT new."animal_visible" OR old."animal_details" IS NOT new."animal_details" BEGIN
    INSERT INTO row_counts ("table_name", "owner", "visible", "details", "total") SELECT 'milking_visits', coalesce(old."animal_owner", 0), coalesce(old."animal_visible", 0), coalesce(old."animal_details", 0), -1 WHERE TRUE ON CONFLICT ("table_name", "visible", "details", "owner") DO UPDATE SET "total" = row_counts."total" + excluded."total";
    INSERT INTO row_counts ("table_name", "owner", "visible", "details", "total") SELECT 'milking_visits', coalesce(new."animal_owner", 0), coalesce(new."animal_visible", 0), coalesce(new."animal_details", 0), 1 WHERE TRUE ON CONFLICT ("table_name", "visible", "details", "owner") DO UPDATE SET "total" = row_counts."total" + excluded."total";
END;

CREATE TABLE "daily_milkings" (
    "id" INTEGER PRIMARY KEY,
    "animal" INTEGER NOT NULL REFERENCES "animals" ("id") ON DELETE CASCADE,
    "owner_org" INTEGER REFERENCES "organizations" ("id") ON DELETE SET NULL,
    "animal_owner" INTEGER REFERENCES "organizations" ("id") ON DELETE SET NULL,
    "animal_visible" INTEGER,
    "animal_details" INTEGER,
    "date" INTEGER NOT NULL,
    "milk_yield" REAL NOT NULL,
    "average7" REAL,
    "milkings" INTEGER,
    "conductivity_max" REAL,
    "origin" TEXT,
    "submission" INTEGER REFERENCES "data_submissions" ("id") ON DELETE SET NULL,
    "verification" TEXT,
    "check_status" TEXT,
    "ade_source" TEXT,
    "ade_source_id" TEXT,
    "ade_extra" TEXT,
    "seq" INTEGER NOT NULL,
    "updated_at" INTEGER NOT NULL,
    "created_at" INTEGER NOT NULL
);
CREATE UNIQUE INDEX "daily_milkings_owner_org_ade_source_ade_source_id_key" ON "daily_milkings" ("owner_org", "ade_source", "ade_source_id");
CREATE UNIQUE INDEX "daily_milkings_animal_date_origin_key" ON "daily_milkings" ("animal", "date", "origin");
CREATE INDEX "daily_milkings_owner_org_date_idx" ON "daily_milkings" ("owner_org", "date");
CREATE INDEX "daily_milkings_animal_owner_date_idx" ON "daily_milkings" ("animal_owner", "date");
CREATE INDEX "daily_milkings_date_idx" ON "daily_milkings" ("date");
CREATE INDEX "daily_milkings_submission_idx" ON "daily_milkings" ("submission") WHERE "submission" IS NOT NULL;
CREATE INDEX "daily_milkings_updated_at_idx" ON "daily_milkings" ("updated_at");
CREATE INDEX "daily_milkings_created_at_idx" ON "daily_milkings" ("created_at");

CREATE TRIGGER "daily_milkings_count_insert" AFTER INSERT ON "daily_milkings" BEGIN
    INSERT INTO row_counts ("table_name", "owner", "visible", "details", "total") SELECT 'daily_milkings', coalesce(new."animal_owner", 0), coalesce(new."animal_visible", 0), coalesce(new."animal_details", 0), 1 WHERE TRUE ON CONFLICT ("table_name", "visible", "details", "owner") DO UPDATE SET "total" = row_counts."total" + excluded."total";
END;

CREATE TRIGGER "daily_milkings_count_delete" AFTER DELETE ON "daily_milkings" BEGIN
    INSERT INTO row_counts ("table_name", "owner", "visible", "details", "total") SELECT 'daily_milkings', coalesce(old."animal_owner", 0), coalesce(old."animal_visible", 0), coalesce(old."animal_details", 0), -1 WHERE TRUE ON CONFLICT ("table_name", "visible", "details", "owner") DO UPDATE SET "total" = row_counts."total" + excluded."total";
END;

CREATE TRIGGER "daily_milkings_count_update" AFTER UPDATE OF "animal_owner", "animal_visible", "animal_details" ON "daily_milkings" WHEN old."animal_owner" IS NOT new."animal_owner" OR old."animal_visible" IS NOT new."animal_visible" OR old."animal_details" IS NOT new."animal_details" BEGIN
    INSERT INTO row_counts ("table_name", "owner", "visible", "details", "total") SELECT 'daily_milkings', coalesce(old."animal_owner", 0), coalesce(old."animal_visible", 0), coalesce(old."animal_details", 0), -1 WHERE TRUE ON CONFLICT ("table_name", "visible", "details", "owner") DO UPDATE SET "total" = row_counts."total" + excluded."total";
    INSERT INTO row_counts ("table_name", "owner", "visible", "details", "total") SELECT 'daily_milkings', coalesce(new."animal_owner", 0), coalesce(new."animal_visible", 0), coalesce(new."animal_details", 0), 1 WHERE TRUE ON CONFLICT ("table_name", "visible", "details", "owner") DO UPDATE SET "total" = row_counts."total" + excluded."total";
END;

CREATE TABLE "health_events" (
    "id" INTEGER PRIMARY KEY,
    "animal" INTEGER NOT NULL REFERENCES "animals" ("id") ON DELETE CASCADE,
    "owner_org" INTEGER REFERENCES "organizations" ("id") ON DELETE SET NULL,
    "animal_owner" INTEGER REFERENCES "organizations" ("id") ON DELETE SET NULL,
    "animal_visible" INTEGER,
    "animal_details" INTEGER,
    "type" INTEGER NOT NULL REFERENCES "health_event_types" ("id") ON DELETE NO ACTION,
    "date" INTEGER NOT NULL,
    "title" TEXT,
    "severity" TEXT,
    "start_date" INTEGER,
    "end_date" INTEGER,
    "exclude_from_analytics" INTEGER,
    "description" TEXT,
    "diagnosis_code_scheme" TEXT,
    "diagnosis_code_id" TEXT,
    "stage" TEXT,
    "positions" TEXT,
    "site" TEXT,
    "procedure" TEXT,
    "medicine_name" TEXT,
    "medicine_registered_id" TEXT,
    "medicine_gtin" TEXT,
    "medicine_batch" TEXT,
    "medicine_expiry_date" INTEGER,
    "dose" REAL,
    "dose_unit" TEXT,
    "milk_withdrawal_until" INTEGER,
    "meat_withdrawal_until" INTEGER,
    "observed_status" TEXT,
    "outcome" TEXT,
    "reported_by" INTEGER REFERENCES "users" ("id") ON DELETE SET NULL,
    "submission" INTEGER REFERENCES "data_submissions" ("id") ON DELETE SET NULL,
    "verification" TEXT,
    "check_status" TEXT,
    "ade_source" TEXT,
    "ade_source_id" TEXT,
    "ade_dataset" TEXT,
    "ade_part" INTEGER,
    "ade_extra" TEXT,
    "seq" INTEGER NOT NULL,
    "updated_at" INTEGER NOT NULL,
    "created_at" INTEGER NOT NULL
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

CREATE TRIGGER "health_events_count_insert" AFTER INSERT ON "health_events" BEGIN
    INSERT INTO row_counts ("table_name", "owner", "visible", "details", "total") SELECT 'health_events', coalesce(new."animal_owner", 0), coalesce(new."animal_visible", 0), coalesce(new."animal_details", 0), 1 WHERE TRUE ON CONFLICT ("table_name", "visible", "details", "owner") DO UPDATE SET "total" = row_counts."total" + excluded."total";
END;

CREATE TRIGGER "health_events_count_delete" AFTER DELETE ON "health_events" BEGIN
    INSERT INTO row_counts ("table_name", "owner", "visible", "details", "total") SELECT 'health_events', coalesce(old."animal_owner", 0), coalesce(old."animal_visible", 0), coalesce(old."animal_details", 0), -1 WHERE TRUE ON CONFLICT ("table_name", "visible", "details", "owner") DO UPDATE SET "total" = row_counts."total" + excluded."total";
END;

CREATE TRIGGER "health_events_count_update" AFTER UPDATE OF "animal_owner", "animal_visible", "animal_details" ON "health_events" WHEN old."animal_owner" IS NOT new."animal_owner" OR old."animal_visible" IS NOT new."animal_visible" OR old."animal_details" IS NOT new."animal_details" BEGIN
    INSERT INTO row_counts ("table_name", "owner", "visible", "details", "total") SELECT 'health_events', coalesce(old."animal_owner", 0), coalesce(old."animal_visible", 0), coalesce(old."animal_details", 0), -1 WHERE TRUE ON CONFLICT ("table_name", "visible", "details", "owner") DO UPDATE SET "total" = row_counts."total" + excluded."total";
    INSERT INTO row_counts ("table_name", "owner", "visible", "details", "total") SELECT 'health_events', coalesce(new."animal_owner", 0), coalesce(new."animal_visible", 0), coalesce(new."animal_details", 0), 1 WHERE TRUE ON CONFLICT ("table_name", "visible", "details", "owner") DO UPDATE SET "total" = row_counts."total" + excluded."total";
END;

CREATE TABLE "events" (
    "id" INTEGER PRIMARY KEY,
    "animal" INTEGER NOT NULL REFERENCES "animals" ("id") ON DELETE CASCADE,
    "owner_org" INTEGER REFERENCES "organizations" ("id") ON DELETE SET NULL,
    "animal_owner" INTEGER REFERENCES "organizations" ("id") ON DELETE SET NULL,
    "animal_visible" INTEGER,
    "animal_details" INTEGER,
    "type" TEXT NOT NULL,
    "date" INTEGER NOT NULL,
    "end_date" INTEGER,
    "title" TEXT,
    "result" TEXT,
    "value" REAL,
    "insemination" INTEGER REFERENCES "inseminations" ("id") ON DELETE SET NULL,
    "payload" TEXT,
    "comment" TEXT,
    "status" TEXT,
    "calving" INTEGER REFERENCES "calvings" ("id") ON DELETE SET NULL,
    "author" INTEGER REFERENCES "users" ("id") ON DELETE SET NULL,
    "submission" INTEGER REFERENCES "data_submissions" ("id") ON DELETE SET NULL,
    "verification" TEXT,
    "check_status" TEXT,
    "ade_source" TEXT,
    "ade_source_id" TEXT,
    "ade_dataset" TEXT,
    "ade_extra" TEXT,
    "seq" INTEGER NOT NULL,
    "updated_at" INTEGER NOT NULL,
    "created_at" INTEGER NOT NULL
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

CREATE TRIGGER "events_count_insert" AFTER INSERT ON "events" BEGIN
    INSERT INTO row_counts ("table_name", "owner", "visible", "details", "total") SELECT 'events', coalesce(new."animal_owner", 0), coalesce(new."animal_visible", 0), coalesce(new."animal_details", 0), 1 WHERE TRUE ON CONFLICT ("table_name", "visible", "details", "owner") DO UPDATE SET "total" = row_counts."total" + excluded."total";
END;

CREATE TRIGGER "events_count_delete" AFTER DELETE ON "events" BEGIN
    INSERT INTO row_counts ("table_name", "owner", "visible", "details", "total") SELECT 'events', coalesce(old."animal_owner", 0), coalesce(old."animal_visible", 0), coalesce(old."animal_details", 0), -1 WHERE TRUE ON CONFLICT ("table_name", "visible", "details", "owner") DO UPDATE SET "total" = row_counts."total" + excluded."total";
END;

CREATE TRIGGER "events_count_update" AFTER UPDATE OF "animal_owner", "animal_visible", "animal_details" ON "events" WHEN old."animal_owner" IS NOT new."animal_owner" OR old."animal_visible" IS NOT new."animal_visible" OR old."animal_details" IS NOT new."animal_details" BEGIN
    INSERT INTO row_counts ("table_name", "owner", "visible", "details", "total") SELECT 'events', coalesce(old."animal_owner", 0), coalesce(old."animal_visible", 0), coalesce(old."animal_details", 0), -1 WHERE TRUE ON CONFLICT ("table_name", "visible", "details", "owner") DO UPDATE SET "total" = row_counts."total" + excluded."total";
    INSERT INTO row_counts ("table_name", "owner", "visible", "details", "total") SELECT 'events', coalesce(new."animal_owner", 0), coalesce(new."animal_visible", 0), coalesce(new."animal_details", 0), 1 WHERE TRUE ON CONFLICT ("table_name", "visible", "details", "owner") DO UPDATE SET "total" = row_counts."total" + excluded."total";
END;

CREATE TABLE "animal_evaluations" (
    "id" INTEGER PRIMARY KEY,
    "animal" INTEGER NOT NULL REFERENCES "animals" ("id") ON DELETE CASCADE,
    "owner_org" INTEGER REFERENCES "organizations" ("id") ON DELETE SET NULL,
    "animal_owner" INTEGER REFERENCES "organizations" ("id") ON DELETE SET NULL,
    "animal_visible" INTEGER,
    "animal_details" INTEGER,
    "evaluated_at" INTEGER NOT NULL,
    "source" TEXT NOT NULL,
    "calculation" TEXT,
    "center" TEXT,
    "base_version" TEXT,
    "is_current" INTEGER,
    "ipc" REAL,
    "ipc_r" REAL,
    "ipc_percentile" REAL,
    "production_reliability_level" INTEGER,
    "health_reliability_level" INTEGER,
    "milk_forecast" REAL,
    "milk_r" REAL,
    "fat_percent_forecast" REAL,
    "fat_percent_r" REAL,
    "protein_percent_forecast" REAL,
    "protein_percent_r" REAL,
    "fat_kg_forecast" REAL,
    "fat_kg_r" REAL,
    "protein_kg_forecast" REAL,
    "protein_kg_r" REAL,
    "production_index_forecast" REAL,
    "production_index_r" REAL,
    "fertility_forecast" REAL,
    "fertility_r" REAL,
    "conception_forecast" REAL,
    "conception_r" REAL,
    "productive_longevity_forecast" REAL,
    "productive_longevity_r" REAL,
    "udder_health_forecast" REAL,
    "udder_health_r" REAL,
    "calf_mortality_forecast" REAL,
    "calf_mortality_r" REAL,
    "calving_ease_forecast" REAL,
    "calving_ease_r" REAL,
    "ease_sire_forecast" REAL,
    "ease_sire_r" REAL,
    "ease_mgs_forecast" REAL,
    "ease_mgs_r" REAL,
    "stillbirth_sire_forecast" REAL,
    "stillbirth_sire_r" REAL,
    "stillbirth_mgs_forecast" REAL,
    "stillbirth_mgs_r" REAL,
    "exterior_height" REAL,
    "exterior_chest_width" REAL,
    "exterior_body_depth" REAL,
    "exterior_body_type" REAL,
    "exterior_rump_angle" REAL,
    "exterior_rump_width" REAL,
    "exterior_rear_legs_rear" REAL,
    "exterior_rear_legs_side" REAL,
    "exterior_hoof_angle" REAL,
    "exterior_front_legs" REAL,
    "exterior_movement" REAL,
    "exterior_fore_udder" REAL,
    "exterior_front_teat_placement" REAL,
    "exterior_teat_length" REAL,
    "exterior_udder_depth" REAL,
    "exterior_rear_udder" REAL,
    "exterior_central_ligament" REAL,
    "exterior_rear_teat_placement" REAL,
    "exterior_body_composite" REAL,
    "exterior_udder_composite" REAL,
    "exterior_legs_composite" REAL,
    "note" TEXT,
    "run" INTEGER REFERENCES "evaluation_runs" ("id") ON DELETE SET NULL,
    "release" TEXT,
    "sent_by" INTEGER REFERENCES "organizations" ("id") ON DELETE SET NULL,
    "by_exchange" INTEGER,
    "submission" INTEGER REFERENCES "data_submissions" ("id") ON DELETE SET NULL,
    "verification" TEXT,
    "seq" INTEGER NOT NULL,
    "updated_at" INTEGER NOT NULL,
    "created_at" INTEGER NOT NULL
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

CREATE TRIGGER "animal_evaluations_count_insert" AFTER INSERT ON "animal_evaluations" BEGIN
    INSERT INTO row_counts ("table_name", "owner", "visible", "details", "total") SELECT 'animal_evaluations', coalesce(new."animal_owner", 0), coalesce(new."animal_visible", 0), coalesce(new."animal_details", 0), 1 WHERE TRUE ON CONFLICT ("table_name", "visible", "details", "owner") DO UPDATE SET "total" = row_counts."total" + excluded."total";
END;

CREATE TRIGGER "animal_evaluations_count_delete" AFTER DELETE ON "animal_evaluations" BEGIN
    INSERT INTO row_counts ("table_name", "owner", "visible", "details", "total") SELECT 'animal_evaluations', coalesce(old."animal_owner", 0), coalesce(old."animal_visible", 0), coalesce(old."animal_details", 0), -1 WHERE TRUE ON CONFLICT ("table_name", "visible", "details", "owner") DO UPDATE SET "total" = row_counts."total" + excluded."total";
END;

CREATE TRIGGER "animal_evaluations_count_update" AFTER UPDATE OF "animal_owner", "animal_visible", "animal_details" ON "animal_evaluations" WHEN old."animal_owner" IS NOT new."animal_owner" OR old."animal_visible" IS NOT new."animal_visible" OR old."animal_details" IS NOT new."animal_details" BEGIN
    INSERT INTO row_counts ("table_name", "owner", "visible", "details", "total") SELECT 'animal_evaluations', coalesce(old."animal_owner", 0), coalesce(old."animal_visible", 0), coalesce(old."animal_details", 0), -1 WHERE TRUE ON CONFLICT ("table_name", "visible", "details", "owner") DO UPDATE SET "total" = row_counts."total" + excluded."total";
    INSERT INTO row_counts ("table_name", "owner", "visible", "details", "total") SELECT 'animal_evaluations', coalesce(new."animal_owner", 0), coalesce(new."animal_visible", 0), coalesce(new."animal_details", 0), 1 WHERE TRUE ON CONFLICT ("table_name", "visible", "details", "owner") DO UPDATE SET "total" = row_counts."total" + excluded."total";
END;

CREATE TABLE "animal_exteriors" (
    "id" INTEGER PRIMARY KEY,
    "animal" INTEGER NOT NULL REFERENCES "animals" ("id") ON DELETE CASCADE,
    "owner_org" INTEGER REFERENCES "organizations" ("id") ON DELETE SET NULL,
    "animal_owner" INTEGER REFERENCES "organizations" ("id") ON DELETE SET NULL,
    "animal_visible" INTEGER,
    "animal_details" INTEGER,
    "assessed_at" INTEGER NOT NULL,
    "lactation" INTEGER,
    "assessor" INTEGER REFERENCES "technicians" ("id") ON DELETE SET NULL,
    "assessor_org" INTEGER REFERENCES "organizations" ("id") ON DELETE SET NULL,
    "is_current" INTEGER,
    "height" INTEGER,
    "chest_width" INTEGER,
    "body_depth" INTEGER,
    "body_type" INTEGER,
    "rump_angle" INTEGER,
    "rump_width" INTEGER,
    "rear_legs_rear" INTEGER,
    "rear_legs_side" INTEGER,
    "hoof_angle" INTEGER,
    "front_legs" INTEGER,
    "movement" INTEGER,
    "fore_udder" INTEGER,
    "front_teat_placement" INTEGER,
    "teat_length" INTEGER,
    "udder_depth" INTEGER,
    "rear_udder" INTEGER,
    "central_ligament" INTEGER,
    "rear_teat_placement" INTEGER,
    "body_composite" REAL,
    "udder_composite" REAL,
    "legs_composite" REAL,
    "general_view" REAL,
    "body_volume" REAL,
    "dairy_character" REAL,
    "leg_quality" REAL,
    "udder_quality" REAL,
    "rear_body" REAL,
    "final_score" REAL,
    "final_class" TEXT,
    "young_general" REAL,
    "young_body" REAL,
    "young_legs" REAL,
    "note" TEXT,
    "sent_by" INTEGER REFERENCES "organizations" ("id") ON DELETE SET NULL,
    "by_exchange" INTEGER,
    "submission" INTEGER REFERENCES "data_submissions" ("id") ON DELETE SET NULL,
    "verification" TEXT,
    "seq" INTEGER NOT NULL,
    "updated_at" INTEGER NOT NULL,
    "created_at" INTEGER NOT NULL
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

CREATE TRIGGER "animal_exteriors_count_insert" AFTER INSERT ON "animal_exteriors" BEGIN
    INSERT INTO row_counts ("table_name", "owner", "visible", "details", "total") SELECT 'animal_exteriors', coalesce(new."animal_owner", 0), coalesce(new."animal_visible", 0), coalesce(new."animal_details", 0), 1 WHERE TRUE ON CONFLICT ("table_name", "visible", "details", "owner") DO UPDATE SET "total" = row_counts."total" + excluded."total";
END;

CREATE TRIGGER "animal_exteriors_count_delete" AFTER DELETE ON "animal_exteriors" BEGIN
    INSERT INTO row_counts ("table_name", "owner", "visible", "details", "total") SELECT 'animal_exteriors', coalesce(old."animal_owner", 0), coalesce(old."animal_visible", 0), coalesce(old."animal_details", 0), -1 WHERE TRUE ON CONFLICT ("table_name", "visible", "details", "owner") DO UPDATE SET "total" = row_counts."total" + excluded."total";
END;

CREATE TRIGGER "animal_exteriors_count_update" AFTER UPDATE OF "animal_owner", "animal_visible", "animal_details" ON "animal_exteriors" WHEN old."animal_owner" IS NOT new."animal_owner" OR old."animal_visible" IS NOT new."animal_visible" OR old."animal_details" IS NOT new."animal_details" BEGIN
    INSERT INTO row_counts ("table_name", "owner", "visible", "details", "total") SELECT 'animal_exteriors', coalesce(old."animal_owner", 0), coalesce(old."animal_visible", 0), coalesce(old."animal_details", 0), -1 WHERE TRUE ON CONFLICT ("table_name", "visible", "details", "owner") DO UPDATE SET "total" = row_counts."total" + excluded."total";
    INSERT INTO row_counts ("table_name", "owner", "visible", "details", "total") SELECT 'animal_exteriors', coalesce(new."animal_owner", 0), coalesce(new."animal_visible", 0), coalesce(new."animal_details", 0), 1 WHERE TRUE ON CONFLICT ("table_name", "visible", "details", "owner") DO UPDATE SET "total" = row_counts."total" + excluded."total";
END;

CREATE TABLE "gradings" (
    "id" INTEGER PRIMARY KEY,
    "animal" INTEGER NOT NULL REFERENCES "animals" ("id") ON DELETE CASCADE,
    "owner_org" INTEGER REFERENCES "organizations" ("id") ON DELETE SET NULL,
    "animal_owner" INTEGER REFERENCES "organizations" ("id") ON DELETE SET NULL,
    "animal_visible" INTEGER,
    "animal_details" INTEGER,
    "date" INTEGER NOT NULL,
    "grade" TEXT NOT NULL,
    "score" REAL,
    "assessor_org" INTEGER REFERENCES "organizations" ("id") ON DELETE SET NULL,
    "note" TEXT,
    "submission" INTEGER REFERENCES "data_submissions" ("id") ON DELETE SET NULL,
    "verification" TEXT,
    "seq" INTEGER NOT NULL,
    "updated_at" INTEGER NOT NULL,
    "created_at" INTEGER NOT NULL
);
CREATE INDEX "gradings_animal_date_idx" ON "gradings" ("animal", "date");
CREATE INDEX "gradings_animal_owner_date_idx" ON "gradings" ("animal_owner", "date");
CREATE INDEX "gradings_owner_org_idx" ON "gradings" ("owner_org") WHERE "owner_org" IS NOT NULL;
CREATE INDEX "gradings_date_idx" ON "gradings" ("date");
CREATE INDEX "gradings_assessor_org_idx" ON "gradings" ("assessor_org") WHERE "assessor_org" IS NOT NULL;
CREATE INDEX "gradings_submission_idx" ON "gradings" ("submission") WHERE "submission" IS NOT NULL;
CREATE INDEX "gradings_updated_at_idx" ON "gradings" ("updated_at");
CREATE INDEX "gradings_created_at_idx" ON "gradings" ("created_at");

CREATE TRIGGER "gradings_count_insert" AFTER INSERT ON "gradings" BEGIN
    INSERT INTO row_counts ("table_name", "owner", "visible", "details", "total") SELECT 'gradings', coalesce(new."animal_owner", 0), coalesce(new."animal_visible", 0), coalesce(new."animal_details", 0), 1 WHERE TRUE ON CONFLICT ("table_name", "visible", "details", "owner") DO UPDATE SET "total" = row_counts."total" + excluded."total";
END;

CREATE TRIGGER "gradings_count_delete" AFTER DELETE ON "gradings" BEGIN
    INSERT INTO row_counts ("table_name", "owner", "visible", "details", "total") SELECT 'gradings', coalesce(old."animal_owner", 0), coalesce(old."animal_visible", 0), coalesce(old."animal_details", 0), -1 WHERE TRUE ON CONFLICT ("table_name", "visible", "details", "owner") DO UPDATE SET "total" = row_counts."total" + excluded."total";
END;

CREATE TRIGGER "gradings_count_update" AFTER UPDATE OF "animal_owner", "animal_visible", "animal_details" ON "gradings" WHEN old."animal_owner" IS NOT new."animal_owner" OR old."animal_visible" IS NOT new."animal_visible" OR old."animal_details" IS NOT new."animal_details" BEGIN
    INSERT INTO row_counts ("table_name", "owner", "visible", "details", "total") SELECT 'gradings', coalesce(old."animal_owner", 0), coalesce(old."animal_visible", 0), coalesce(old."animal_details", 0), -1 WHERE TRUE ON CONFLICT ("table_name", "visible", "details", "owner") DO UPDATE SET "total" = row_counts."total" + excluded."total";
    INSERT INTO row_counts ("table_name", "owner", "visible", "details", "total") SELECT 'gradings', coalesce(new."animal_owner", 0), coalesce(new."animal_visible", 0), coalesce(new."animal_details", 0), 1 WHERE TRUE ON CONFLICT ("table_name", "visible", "details", "owner") DO UPDATE SET "total" = row_counts."total" + excluded."total";
END;

CREATE TABLE "index_profiles" (
    "id" INTEGER PRIMARY KEY,
    "name" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "hint" TEXT,
    "organization" INTEGER REFERENCES "organizations" ("id") ON DELETE CASCADE,
    "is_default" INTEGER,
    "weights" TEXT,
    "author" INTEGER REFERENCES "users" ("id") ON DELETE SET NULL,
    "seq" INTEGER NOT NULL,
    "updated_at" INTEGER NOT NULL,
    "created_at" INTEGER NOT NULL
);
CREATE INDEX "index_profiles_organization_idx" ON "index_profiles" ("organization") WHERE "organization" IS NOT NULL;
CREATE INDEX "index_profiles_author_idx" ON "index_profiles" ("author") WHERE "author" IS NOT NULL;
CREATE INDEX "index_profiles_updated_at_idx" ON "index_profiles" ("updated_at");
CREATE INDEX "index_profiles_created_at_idx" ON "index_profiles" ("created_at");

CREATE TABLE "index_values" (
    "id" INTEGER PRIMARY KEY,
    "animal" INTEGER NOT NULL REFERENCES "animals" ("id") ON DELETE CASCADE,
    "profile_key" TEXT NOT NULL,
    "profile_name" TEXT,
    "organization" INTEGER REFERENCES "organizations" ("id") ON DELETE CASCADE,
    "kind" TEXT,
    "weights" TEXT,
    "base_version" TEXT,
    "evaluation" INTEGER REFERENCES "animal_evaluations" ("id") ON DELETE SET NULL,
    "value" REAL NOT NULL,
    "reliability" REAL,
    "percentile" INTEGER,
    "cohort" INTEGER,
    "cohort_same_year" INTEGER,
    "rank" INTEGER,
    "used" INTEGER,
    "computed_at" INTEGER,
    "owner" INTEGER REFERENCES "organizations" ("id") ON DELETE SET NULL,
    "public_visible" INTEGER,
    "public_details" INTEGER,
    "archived" INTEGER,
    "state" TEXT,
    "birth_year" INTEGER,
    "seq" INTEGER NOT NULL,
    "updated_at" INTEGER NOT NULL,
    "created_at" INTEGER NOT NULL
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

CREATE TRIGGER "index_values_count_insert" AFTER INSERT ON "index_values" BEGIN
    INSERT INTO row_counts ("table_name", "owner", "visible", "details", "total") SELECT 'index_values', coalesce(new."owner", 0), coalesce(new."public_visible", 0), coalesce(new."public_details", 0), 1 WHERE TRUE ON CONFLICT ("table_name", "visible", "details", "owner") DO UPDATE SET "total" = row_counts."total" + excluded."total";
END;

CREATE TRIGGER "index_values_count_delete" AFTER DELETE ON "index_values" BEGIN
    INSERT INTO row_counts ("table_name", "owner", "visible", "details", "total") SELECT 'index_values', coalesce(old."owner", 0), coalesce(old."public_visible", 0), coalesce(old."public_details", 0), -1 WHERE TRUE ON CONFLICT ("table_name", "visible", "details", "owner") DO UPDATE SET "total" = row_counts."total" + excluded."total";
END;

CREATE TRIGGER "index_values_count_update" AFTER UPDATE OF "owner", "public_visible", "public_details" ON "index_values" WHEN old."owner" IS NOT new."owner" OR old."public_visible" IS NOT new."public_visible" OR old."public_details" IS NOT new."public_details" BEGIN
    INSERT INTO row_counts ("table_name", "owner", "visible", "details", "total") SELECT 'index_values', coalesce(old."owner", 0), coalesce(old."public_visible", 0), coalesce(old."public_details", 0), -1 WHERE TRUE ON CONFLICT ("table_name", "visible", "details", "owner") DO UPDATE SET "total" = row_counts."total" + excluded."total";
    INSERT INTO row_counts ("table_name", "owner", "visible", "details", "total") SELECT 'index_values', coalesce(new."owner", 0), coalesce(new."public_visible", 0), coalesce(new."public_details", 0), 1 WHERE TRUE ON CONFLICT ("table_name", "visible", "details", "owner") DO UPDATE SET "total" = row_counts."total" + excluded."total";
END;

CREATE TABLE "index_bases" (
    "id" INTEGER PRIMARY KEY,
    "version" TEXT NOT NULL,
    "source" TEXT,
    "note" TEXT,
    "is_active" INTEGER,
    "animals_used" INTEGER,
    "computed_at" INTEGER,
    "compared_with" TEXT,
    "comparison" TEXT,
    "traits" TEXT,
    "seq" INTEGER NOT NULL,
    "updated_at" INTEGER NOT NULL,
    "created_at" INTEGER NOT NULL
);
CREATE UNIQUE INDEX "index_bases_version_key" ON "index_bases" ("version");
CREATE INDEX "index_bases_updated_at_idx" ON "index_bases" ("updated_at");
CREATE INDEX "index_bases_created_at_idx" ON "index_bases" ("created_at");

CREATE TABLE "evaluation_runs" (
    "id" INTEGER PRIMARY KEY,
    "title" TEXT NOT NULL,
    "state" TEXT,
    "queued_at" INTEGER,
    "started_at" INTEGER,
    "computed_at" INTEGER,
    "released_at" INTEGER,
    "evaluated_at" INTEGER,
    "commit" INTEGER,
    "digest" TEXT,
    "method" TEXT,
    "version" TEXT,
    "animals" INTEGER,
    "records" INTEGER,
    "step" TEXT,
    "done" INTEGER,
    "total" INTEGER,
    "skipped" INTEGER,
    "left_out" TEXT,
    "results" TEXT,
    "fault" TEXT,
    "seq" INTEGER NOT NULL,
    "updated_at" INTEGER NOT NULL,
    "created_at" INTEGER NOT NULL
);
CREATE INDEX "evaluation_runs_evaluated_at_idx" ON "evaluation_runs" ("evaluated_at");
CREATE INDEX "evaluation_runs_updated_at_idx" ON "evaluation_runs" ("updated_at");
CREATE INDEX "evaluation_runs_created_at_idx" ON "evaluation_runs" ("created_at");

CREATE TABLE "index_runs" (
    "id" INTEGER PRIMARY KEY,
    "subject" TEXT NOT NULL,
    "organization" INTEGER REFERENCES "organizations" ("id") ON DELETE CASCADE,
    "state" TEXT NOT NULL,
    "queued_at" INTEGER,
    "due_at" INTEGER,
    "ran_at" INTEGER,
    "animals" INTEGER,
    "done" INTEGER,
    "cursor" INTEGER,
    "again" INTEGER,
    "seq" INTEGER NOT NULL,
    "updated_at" INTEGER NOT NULL,
    "created_at" INTEGER NOT NULL
);
CREATE UNIQUE INDEX "index_runs_subject_key" ON "index_runs" ("subject");
CREATE INDEX "index_runs_organization_idx" ON "index_runs" ("organization") WHERE "organization" IS NOT NULL;
CREATE INDEX "index_runs_updated_at_idx" ON "index_runs" ("updated_at");
CREATE INDEX "index_runs_created_at_idx" ON "index_runs" ("created_at");

CREATE TABLE "lactation_averages" (
    "id" INTEGER PRIMARY KEY,
    "organization" INTEGER REFERENCES "organizations" ("id") ON DELETE CASCADE,
    "region" TEXT,
    "year" INTEGER NOT NULL,
    "parity" INTEGER NOT NULL,
    "trait" TEXT NOT NULL,
    "mean" REAL NOT NULL,
    "animals" INTEGER NOT NULL,
    "seq" INTEGER NOT NULL,
    "updated_at" INTEGER NOT NULL,
    "created_at" INTEGER NOT NULL
);
CREATE INDEX "lactation_averages_organization_year_idx" ON "lactation_averages" ("organization", "year");
CREATE INDEX "lactation_averages_region_idx" ON "lactation_averages" ("region");
CREATE INDEX "lactation_averages_year_idx" ON "lactation_averages" ("year");
CREATE INDEX "lactation_averages_updated_at_idx" ON "lactation_averages" ("updated_at");
CREATE INDEX "lactation_averages_created_at_idx" ON "lactation_averages" ("created_at");

CREATE TABLE "data_submissions" (
    "id" INTEGER PRIMARY KEY,
    "number" TEXT,
    "kind" TEXT NOT NULL,
    "dataset" TEXT,
    "status" TEXT,
    "organization" INTEGER NOT NULL REFERENCES "organizations" ("id") ON DELETE NO ACTION,
    "submitted_by" INTEGER REFERENCES "users" ("id") ON DELETE SET NULL,
    "submitted_at" INTEGER,
    "source_file" INTEGER REFERENCES "media" ("id") ON DELETE SET NULL,
    "sha256" TEXT,
    "period_from" INTEGER,
    "period_to" INTEGER,
    "mapping" TEXT,
    "replaces" INTEGER REFERENCES "data_submissions" ("id") ON DELETE SET NULL,
    "assignment" INTEGER REFERENCES "upload_assignments" ("id") ON DELETE SET NULL,
    "intake_state" TEXT,
    "intake_unchecked" INTEGER,
    "intake_read_at" INTEGER,
    "intake_fault" TEXT,
    "intake_message" TEXT,
    "intake_form" TEXT,
    "intake_encoding" TEXT,
    "intake_sheets" TEXT,
    "intake_rows" INTEGER,
    "intake_created" INTEGER,
    "intake_updated" INTEGER,
    "intake_unchanged" INTEGER,
    "intake_skipped" INTEGER,
    "intake_held" INTEGER,
    "intake_mended" INTEGER,
    "intake_removed" INTEGER,
    "intake_issues" TEXT,
    "intake_value_issues" TEXT,
    "intake_done" INTEGER,
    "intake_tried" INTEGER,
    "intake_period_computed" INTEGER,
    "intake_told" INTEGER,
    "review_checked_by" INTEGER REFERENCES "users" ("id") ON DELETE SET NULL,
    "review_checked_at" INTEGER,
    "review_assignee" INTEGER REFERENCES "users" ("id") ON DELETE SET NULL,
    "review_findings" TEXT,
    "review_comment" TEXT,
    "review_total_rows" INTEGER,
    "review_accepted_rows" INTEGER,
    "review_rejected_rows" INTEGER,
    "review_error_protocol" INTEGER REFERENCES "media" ("id") ON DELETE SET NULL,
    "signature_by" INTEGER REFERENCES "users" ("id") ON DELETE SET NULL,
    "signature_at" INTEGER,
    "signature_sha256" TEXT,
    "signature_rows" INTEGER,
    "signature_key" TEXT,
    "signature_algorithm" TEXT,
    "signature_value" TEXT,
    "signature_statement" TEXT,
    "consent_agreed" INTEGER,
    "consent_agreed_at" INTEGER,
    "consent_published_at" INTEGER,
    "history" TEXT,
    "comments" TEXT,
    "seq" INTEGER NOT NULL,
    "updated_at" INTEGER NOT NULL,
    "created_at" INTEGER NOT NULL
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
    "owner" INTEGER NOT NULL REFERENCES "data_submissions" ("id") ON DELETE CASCADE,
    "position" INTEGER NOT NULL,
    "target" INTEGER NOT NULL REFERENCES "animals" ("id") ON DELETE CASCADE,
    PRIMARY KEY ("owner", "position")
);
CREATE INDEX "data_submissions__animals_target_owner_idx" ON "data_submissions__animals" ("target", "owner");

CREATE TABLE "submission_rows" (
    "id" INTEGER PRIMARY KEY,
    "submission" INTEGER NOT NULL REFERENCES "data_submissions" ("id") ON DELETE CASCADE,
    "organization" INTEGER NOT NULL REFERENCES "organizations" ("id") ON DELETE NO ACTION,
    "position" INTEGER NOT NULL,
    "sheet" TEXT,
    "line" INTEGER,
    "ident" TEXT,
    "state" TEXT,
    "dataset" TEXT,
    "collection" TEXT,
    "record" INTEGER,
    "animal" INTEGER REFERENCES "animals" ("id") ON DELETE SET NULL,
    "date" INTEGER,
    "cells" TEXT,
    "faults" TEXT,
    "mended" TEXT,
    "waits" INTEGER,
    "before" TEXT,
    "seq" INTEGER NOT NULL,
    "updated_at" INTEGER NOT NULL,
    "created_at" INTEGER NOT NULL
);
CREATE UNIQUE INDEX "submission_rows_submission_position_key" ON "submission_rows" ("submission", "position");
CREATE INDEX "submission_rows_submission_state_position_idx" ON "submission_rows" ("submission", "state", "position");
CREATE INDEX "submission_rows_organization_waits_idx" ON "submission_rows" ("organization", "waits");
CREATE INDEX "submission_rows_animal_idx" ON "submission_rows" ("animal") WHERE "animal" IS NOT NULL;
CREATE INDEX "submission_rows_updated_at_idx" ON "submission_rows" ("updated_at");
CREATE INDEX "submission_rows_created_at_idx" ON "submission_rows" ("created_at");

CREATE TABLE "upload_assignments" (
    "id" INTEGER PRIMARY KEY,
    "organization" INTEGER NOT NULL REFERENCES "organizations" ("id") ON DELETE NO ACTION,
    "kind" TEXT NOT NULL,
    "dataset" TEXT,
    "period_from" INTEGER NOT NULL,
    "period_to" INTEGER NOT NULL,
    "due_date" INTEGER NOT NULL,
    "assignee" INTEGER REFERENCES "users" ("id") ON DELETE SET NULL,
    "submission" INTEGER REFERENCES "data_submissions" ("id") ON DELETE SET NULL,
    "status" TEXT,
    "comment" TEXT,
    "reminded" INTEGER,
    "seq" INTEGER NOT NULL,
    "updated_at" INTEGER NOT NULL,
    "created_at" INTEGER NOT NULL
);
CREATE INDEX "upload_assignments_organization_idx" ON "upload_assignments" ("organization");
CREATE INDEX "upload_assignments_due_date_idx" ON "upload_assignments" ("due_date");
CREATE INDEX "upload_assignments_assignee_idx" ON "upload_assignments" ("assignee") WHERE "assignee" IS NOT NULL;
CREATE INDEX "upload_assignments_submission_idx" ON "upload_assignments" ("submission") WHERE "submission" IS NOT NULL;
CREATE INDEX "upload_assignments_status_idx" ON "upload_assignments" ("status");
CREATE INDEX "upload_assignments_updated_at_idx" ON "upload_assignments" ("updated_at");
CREATE INDEX "upload_assignments_created_at_idx" ON "upload_assignments" ("created_at");

CREATE TABLE "verification_requests" (
    "id" INTEGER PRIMARY KEY,
    "number" TEXT,
    "status" TEXT,
    "purpose" TEXT,
    "organization" INTEGER NOT NULL REFERENCES "organizations" ("id") ON DELETE NO ACTION,
    "requested_by" INTEGER REFERENCES "users" ("id") ON DELETE SET NULL,
    "requested_at" INTEGER,
    "comment" TEXT,
    "proposed" TEXT,
    "withdrawn_at" INTEGER,
    "withdrawn_for" TEXT,
    "review_assignee" INTEGER REFERENCES "users" ("id") ON DELETE SET NULL,
    "review_decided_by" INTEGER REFERENCES "users" ("id") ON DELETE SET NULL,
    "review_decided_at" INTEGER,
    "review_comment" TEXT,
    "review_approved_count" INTEGER,
    "review_held_count" INTEGER,
    "review_held" TEXT,
    "review_findings" TEXT,
    "review_dismissed" TEXT,
    "comments" TEXT,
    "seq" INTEGER NOT NULL,
    "updated_at" INTEGER NOT NULL,
    "created_at" INTEGER NOT NULL
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
    "owner" INTEGER NOT NULL REFERENCES "verification_requests" ("id") ON DELETE CASCADE,
    "position" INTEGER NOT NULL,
    "target" INTEGER NOT NULL REFERENCES "animals" ("id") ON DELETE CASCADE,
    PRIMARY KEY ("owner", "position")
);
CREATE INDEX "verification_requests__animals_target_owner_idx" ON "verification_requests__animals" ("target", "owner");

CREATE TABLE "check_settings" (
    "id" INTEGER PRIMARY KEY,
    "code" TEXT NOT NULL,
    "enabled" INTEGER,
    "severity" TEXT,
    "note" TEXT,
    "updated_by" INTEGER REFERENCES "users" ("id") ON DELETE SET NULL,
    "seq" INTEGER NOT NULL,
    "updated_at" INTEGER NOT NULL,
    "created_at" INTEGER NOT NULL
);
CREATE UNIQUE INDEX "check_settings_code_key" ON "check_settings" ("code");
CREATE INDEX "check_settings_updated_by_idx" ON "check_settings" ("updated_by") WHERE "updated_by" IS NOT NULL;
CREATE INDEX "check_settings_updated_at_idx" ON "check_settings" ("updated_at");
CREATE INDEX "check_settings_created_at_idx" ON "check_settings" ("created_at");

CREATE TABLE "check_thresholds" (
    "id" INTEGER PRIMARY KEY,
    "key" TEXT NOT NULL,
    "value" REAL NOT NULL,
    "note" TEXT,
    "updated_by" INTEGER REFERENCES "users" ("id") ON DELETE SET NULL,
    "seq" INTEGER NOT NULL,
    "updated_at" INTEGER NOT NULL,
    "created_at" INTEGER NOT NULL
);
CREATE UNIQUE INDEX "check_thresholds_key_key" ON "check_thresholds" ("key");
CREATE INDEX "check_thresholds_updated_by_idx" ON "check_thresholds" ("updated_by") WHERE "updated_by" IS NOT NULL;
CREATE INDEX "check_thresholds_updated_at_idx" ON "check_thresholds" ("updated_at");
CREATE INDEX "check_thresholds_created_at_idx" ON "check_thresholds" ("created_at");

CREATE TABLE "check_findings" (
    "id" INTEGER PRIMARY KEY,
    "code" TEXT NOT NULL,
    "severity" TEXT NOT NULL,
    "state" TEXT,
    "collection" TEXT NOT NULL,
    "record_id" INTEGER NOT NULL,
    "path" TEXT NOT NULL,
    "animal" INTEGER REFERENCES "animals" ("id") ON DELETE CASCADE,
    "herd" INTEGER REFERENCES "herds" ("id") ON DELETE CASCADE,
    "submission" INTEGER REFERENCES "data_submissions" ("id") ON DELETE CASCADE,
    "organization" INTEGER REFERENCES "organizations" ("id") ON DELETE SET NULL,
    "message_en" TEXT,
    "message_ru" TEXT,
    "first_seen_at" INTEGER,
    "last_seen_at" INTEGER,
    "dismissed_by" INTEGER REFERENCES "users" ("id") ON DELETE SET NULL,
    "dismissed_at" INTEGER,
    "dismissed_reason" TEXT,
    "source" INTEGER REFERENCES "animals" ("id") ON DELETE CASCADE,
    "seq" INTEGER NOT NULL,
    "updated_at" INTEGER NOT NULL,
    "created_at" INTEGER NOT NULL
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
    "id" INTEGER PRIMARY KEY,
    "owner_org" INTEGER REFERENCES "organizations" ("id") ON DELETE SET NULL,
    "title" TEXT NOT NULL,
    "normalized" TEXT NOT NULL,
    "dataset" TEXT,
    "status" TEXT,
    "maps_to" TEXT,
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
CREATE INDEX "pending_columns_owner_org_idx" ON "pending_columns" ("owner_org") WHERE "owner_org" IS NOT NULL;
CREATE UNIQUE INDEX "pending_columns_normalized_key" ON "pending_columns" ("normalized");
CREATE INDEX "pending_columns_status_idx" ON "pending_columns" ("status");
CREATE INDEX "pending_columns_decision_decided_by_idx" ON "pending_columns" ("decision_decided_by") WHERE "decision_decided_by" IS NOT NULL;
CREATE INDEX "pending_columns_last_seen_at_idx" ON "pending_columns" ("last_seen_at");
CREATE INDEX "pending_columns_updated_at_idx" ON "pending_columns" ("updated_at");
CREATE INDEX "pending_columns_created_at_idx" ON "pending_columns" ("created_at");

CREATE TABLE "pending_columns__organizations" (
    "owner" INTEGER NOT NULL REFERENCES "pending_columns" ("id") ON DELETE CASCADE,
    "position" INTEGER NOT NULL,
    "target" INTEGER NOT NULL REFERENCES "organizations" ("id") ON DELETE CASCADE,
    PRIMARY KEY ("owner", "position")
);
CREATE INDEX "pending_columns__organizations_target_owner_idx" ON "pending_columns__organizations" ("target", "owner");

CREATE TABLE "pending_columns__submissions" (
    "owner" INTEGER NOT NULL REFERENCES "pending_columns" ("id") ON DELETE CASCADE,
    "position" INTEGER NOT NULL,
    "target" INTEGER NOT NULL REFERENCES "data_submissions" ("id") ON DELETE CASCADE,
    PRIMARY KEY ("owner", "position")
);
CREATE INDEX "pending_columns__submissions_target_owner_idx" ON "pending_columns__submissions" ("target", "owner");

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
CREATE UNIQUE INDEX "pending_values_target_normalized_key" ON "pending_values" ("target", "normalized");
CREATE INDEX "pending_values_owner_org_idx" ON "pending_values" ("owner_org") WHERE "owner_org" IS NOT NULL;
CREATE INDEX "pending_values_status_idx" ON "pending_values" ("status");
CREATE INDEX "pending_values_decision_decided_by_idx" ON "pending_values" ("decision_decided_by") WHERE "decision_decided_by" IS NOT NULL;
CREATE INDEX "pending_values_last_seen_at_idx" ON "pending_values" ("last_seen_at");
CREATE INDEX "pending_values_updated_at_idx" ON "pending_values" ("updated_at");
CREATE INDEX "pending_values_created_at_idx" ON "pending_values" ("created_at");

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

CREATE TABLE "documents" (
    "id" INTEGER PRIMARY KEY,
    "title" TEXT NOT NULL,
    "type" TEXT,
    "number" TEXT,
    "issued_at" INTEGER,
    "public_code" TEXT,
    "animal" INTEGER REFERENCES "animals" ("id") ON DELETE SET NULL,
    "organization" INTEGER REFERENCES "organizations" ("id") ON DELETE SET NULL,
    "file" INTEGER REFERENCES "media" ("id") ON DELETE SET NULL,
    "snapshot" TEXT,
    "issued_by" INTEGER REFERENCES "users" ("id") ON DELETE SET NULL,
    "lab_name" TEXT,
    "disputed" INTEGER NOT NULL,
    "revoked_at" INTEGER,
    "revoked_by" INTEGER REFERENCES "users" ("id") ON DELETE SET NULL,
    "revoked_reason" TEXT,
    "seq" INTEGER NOT NULL,
    "updated_at" INTEGER NOT NULL,
    "created_at" INTEGER NOT NULL
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
    "id" INTEGER PRIMARY KEY,
    "alt" TEXT,
    "owner" INTEGER REFERENCES "organizations" ("id") ON DELETE SET NULL,
    "visibility" TEXT,
    "url" TEXT,
    "thumbnail_url" TEXT,
    "filename" TEXT,
    "mime_type" TEXT,
    "filesize" INTEGER,
    "width" INTEGER,
    "height" INTEGER,
    "focal_x" REAL,
    "focal_y" REAL,
    "file_key" TEXT,
    "sha256" TEXT,
    "sizes_thumbnail_url" TEXT,
    "sizes_thumbnail_width" INTEGER,
    "sizes_thumbnail_height" INTEGER,
    "sizes_thumbnail_mime_type" TEXT,
    "sizes_thumbnail_filesize" INTEGER,
    "sizes_thumbnail_filename" TEXT,
    "sizes_card_url" TEXT,
    "sizes_card_width" INTEGER,
    "sizes_card_height" INTEGER,
    "sizes_card_mime_type" TEXT,
    "sizes_card_filesize" INTEGER,
    "sizes_card_filename" TEXT,
    "seq" INTEGER NOT NULL,
    "updated_at" INTEGER NOT NULL,
    "created_at" INTEGER NOT NULL
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
    "id" INTEGER PRIMARY KEY,
    "animal" INTEGER NOT NULL REFERENCES "animals" ("id") ON DELETE CASCADE,
    "media" INTEGER NOT NULL REFERENCES "media" ("id") ON DELETE NO ACTION,
    "kind" TEXT,
    "view" TEXT,
    "taken_on" INTEGER,
    "credit" TEXT,
    "caption" TEXT,
    "sort_order" INTEGER,
    "is_main" INTEGER,
    "moderation" TEXT,
    "seq" INTEGER NOT NULL,
    "updated_at" INTEGER NOT NULL,
    "created_at" INTEGER NOT NULL
);
CREATE INDEX "animal_gallery_animal_sort_order_idx" ON "animal_gallery" ("animal", "sort_order");
CREATE INDEX "animal_gallery_media_idx" ON "animal_gallery" ("media");
CREATE INDEX "animal_gallery_moderation_idx" ON "animal_gallery" ("moderation");
CREATE INDEX "animal_gallery_updated_at_idx" ON "animal_gallery" ("updated_at");
CREATE INDEX "animal_gallery_created_at_idx" ON "animal_gallery" ("created_at");

CREATE TABLE "users" (
    "id" INTEGER PRIMARY KEY,
    "email" TEXT NOT NULL,
    "last_name" TEXT NOT NULL,
    "first_name" TEXT NOT NULL,
    "middle_name" TEXT,
    "role" TEXT NOT NULL,
    "phone" TEXT,
    "organization" INTEGER REFERENCES "organizations" ("id") ON DELETE SET NULL,
    "position" TEXT,
    "org_role" TEXT,
    "blocked_at" INTEGER,
    "blocked_by" INTEGER REFERENCES "users" ("id") ON DELETE SET NULL,
    "block_reason" TEXT,
    "confirmed" INTEGER,
    "accepted_policy" INTEGER,
    "notify_submissions" INTEGER,
    "notify_trust" INTEGER,
    "notify_work" INTEGER,
    "notify_news" INTEGER,
    "language" TEXT,
    "notify_seen_at" INTEGER,
    "enable_api_key" INTEGER,
    "api_key_index" TEXT,
    "verifier" TEXT,
    "sessions" TEXT,
    "reset_token" TEXT,
    "reset_until" INTEGER,
    "new_email" TEXT,
    "new_email_token" TEXT,
    "new_email_until" INTEGER,
    "second_factor" TEXT,
    "passkey_handle" TEXT,
    "seq" INTEGER NOT NULL,
    "updated_at" INTEGER NOT NULL,
    "created_at" INTEGER NOT NULL
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
    "id" INTEGER PRIMARY KEY,
    "name" TEXT NOT NULL,
    "short_name" TEXT,
    "name_key" TEXT,
    "presence" TEXT,
    "referenced_by" INTEGER REFERENCES "organizations" ("id") ON DELETE SET NULL,
    "merged_into" INTEGER REFERENCES "organizations" ("id") ON DELETE SET NULL,
    "type" TEXT,
    "activities" TEXT,
    "inn" TEXT,
    "kpp" TEXT,
    "ogrn" TEXT,
    "region" TEXT,
    "time_zone" TEXT,
    "phone" TEXT,
    "email" TEXT,
    "address" TEXT,
    "membership" TEXT,
    "work_letter_week" INTEGER,
    "membership_review_decided_by" INTEGER REFERENCES "users" ("id") ON DELETE SET NULL,
    "membership_review_decided_at" INTEGER,
    "membership_review_since" INTEGER,
    "membership_review_comment" TEXT,
    "seq" INTEGER NOT NULL,
    "updated_at" INTEGER NOT NULL,
    "created_at" INTEGER NOT NULL
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
    "id" INTEGER PRIMARY KEY,
    "email" TEXT NOT NULL,
    "org_role" TEXT NOT NULL,
    "organization" INTEGER NOT NULL REFERENCES "organizations" ("id") ON DELETE NO ACTION,
    "token_digest" TEXT,
    "expires_at" INTEGER,
    "accepted_at" INTEGER,
    "revoked_at" INTEGER,
    "letter_failed_at" INTEGER,
    "invited_by" INTEGER REFERENCES "users" ("id") ON DELETE SET NULL,
    "accepted_by" INTEGER REFERENCES "users" ("id") ON DELETE SET NULL,
    "note" TEXT,
    "seq" INTEGER NOT NULL,
    "updated_at" INTEGER NOT NULL,
    "created_at" INTEGER NOT NULL
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
    "id" INTEGER PRIMARY KEY,
    "animal" INTEGER NOT NULL REFERENCES "animals" ("id") ON DELETE CASCADE,
    "owner" INTEGER REFERENCES "organizations" ("id") ON DELETE SET NULL,
    "requester" INTEGER REFERENCES "users" ("id") ON DELETE SET NULL,
    "requester_org" INTEGER REFERENCES "organizations" ("id") ON DELETE SET NULL,
    "purpose" TEXT NOT NULL,
    "status" TEXT,
    "scopes" TEXT,
    "comment" TEXT,
    "response" TEXT,
    "decided_at" INTEGER,
    "decided_by" INTEGER REFERENCES "users" ("id") ON DELETE SET NULL,
    "seq" INTEGER NOT NULL,
    "updated_at" INTEGER NOT NULL,
    "created_at" INTEGER NOT NULL
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
    "id" INTEGER PRIMARY KEY,
    "owner" INTEGER REFERENCES "organizations" ("id") ON DELETE SET NULL,
    "grantee" INTEGER NOT NULL REFERENCES "organizations" ("id") ON DELETE NO ACTION,
    "animal" INTEGER REFERENCES "animals" ("id") ON DELETE CASCADE,
    "scopes" TEXT NOT NULL,
    "expires_at" INTEGER,
    "issued_by" INTEGER REFERENCES "users" ("id") ON DELETE SET NULL,
    "revoked_at" INTEGER,
    "revoked_by" INTEGER REFERENCES "users" ("id") ON DELETE SET NULL,
    "request" INTEGER REFERENCES "access_requests" ("id") ON DELETE SET NULL,
    "note" TEXT,
    "last_seen_at" INTEGER,
    "opened_with" TEXT,
    "seq" INTEGER NOT NULL,
    "updated_at" INTEGER NOT NULL,
    "created_at" INTEGER NOT NULL
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
    "id" INTEGER PRIMARY KEY,
    "owner" INTEGER REFERENCES "organizations" ("id") ON DELETE SET NULL,
    "animal" INTEGER REFERENCES "animals" ("id") ON DELETE CASCADE,
    "grantee" INTEGER REFERENCES "organizations" ("id") ON DELETE CASCADE,
    "purposes" TEXT NOT NULL,
    "granted_at" INTEGER,
    "expires_at" INTEGER,
    "revoked_at" INTEGER,
    "document" INTEGER REFERENCES "documents" ("id") ON DELETE SET NULL,
    "issued_by" INTEGER REFERENCES "users" ("id") ON DELETE SET NULL,
    "note" TEXT,
    "opened_with" TEXT,
    "seq" INTEGER NOT NULL,
    "updated_at" INTEGER NOT NULL,
    "created_at" INTEGER NOT NULL
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
    "id" INTEGER PRIMARY KEY,
    "token_digest" TEXT,
    "owner" INTEGER REFERENCES "organizations" ("id") ON DELETE SET NULL,
    "created_by" INTEGER REFERENCES "users" ("id") ON DELETE SET NULL,
    "scopes" TEXT NOT NULL,
    "expires_at" INTEGER NOT NULL,
    "revoked_at" INTEGER,
    "note" TEXT,
    "opens" INTEGER,
    "last_opened_at" INTEGER,
    "opened_with" TEXT,
    "seq" INTEGER NOT NULL,
    "updated_at" INTEGER NOT NULL,
    "created_at" INTEGER NOT NULL
);
CREATE UNIQUE INDEX "share_links_token_digest_key" ON "share_links" ("token_digest");
CREATE INDEX "share_links_owner_idx" ON "share_links" ("owner") WHERE "owner" IS NOT NULL;
CREATE INDEX "share_links_created_by_idx" ON "share_links" ("created_by") WHERE "created_by" IS NOT NULL;
CREATE INDEX "share_links_expires_at_idx" ON "share_links" ("expires_at");
CREATE INDEX "share_links_opened_with_idx" ON "share_links" ("opened_with");
CREATE INDEX "share_links_updated_at_idx" ON "share_links" ("updated_at");
CREATE INDEX "share_links_created_at_idx" ON "share_links" ("created_at");

CREATE TABLE "share_links__animals" (
    "owner" INTEGER NOT NULL REFERENCES "share_links" ("id") ON DELETE CASCADE,
    "position" INTEGER NOT NULL,
    "target" INTEGER NOT NULL REFERENCES "animals" ("id") ON DELETE CASCADE,
    PRIMARY KEY ("owner", "position")
);
CREATE INDEX "share_links__animals_target_owner_idx" ON "share_links__animals" ("target", "owner");

CREATE TABLE "mandates" (
    "id" INTEGER PRIMARY KEY,
    "grantor" INTEGER NOT NULL REFERENCES "organizations" ("id") ON DELETE CASCADE,
    "receiver" INTEGER NOT NULL REFERENCES "organizations" ("id") ON DELETE CASCADE,
    "datasets" TEXT NOT NULL,
    "valid_from" INTEGER,
    "valid_until" INTEGER,
    "revoked_at" INTEGER,
    "issued_by" INTEGER REFERENCES "users" ("id") ON DELETE SET NULL,
    "revoked_by" INTEGER REFERENCES "users" ("id") ON DELETE SET NULL,
    "note" TEXT,
    "opened_with" TEXT,
    "seq" INTEGER NOT NULL,
    "updated_at" INTEGER NOT NULL,
    "created_at" INTEGER NOT NULL
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
    "id" INTEGER PRIMARY KEY,
    "owner_org" INTEGER REFERENCES "organizations" ("id") ON DELETE SET NULL,
    "collection" TEXT,
    "record_id" INTEGER,
    "animal" INTEGER REFERENCES "animals" ("id") ON DELETE CASCADE,
    "at" INTEGER NOT NULL,
    "user" INTEGER REFERENCES "users" ("id") ON DELETE SET NULL,
    "path" TEXT NOT NULL,
    "label" TEXT,
    "before" TEXT,
    "after" TEXT,
    "source" TEXT,
    "class" TEXT,
    "seq" INTEGER NOT NULL,
    "updated_at" INTEGER NOT NULL,
    "created_at" INTEGER NOT NULL
);
CREATE INDEX "animal_revisions_animal_at_idx" ON "animal_revisions" ("animal", "at");
CREATE INDEX "animal_revisions_collection_record_id_idx" ON "animal_revisions" ("collection", "record_id");
CREATE INDEX "animal_revisions_owner_org_idx" ON "animal_revisions" ("owner_org") WHERE "owner_org" IS NOT NULL;
CREATE INDEX "animal_revisions_at_idx" ON "animal_revisions" ("at");
CREATE INDEX "animal_revisions_user_idx" ON "animal_revisions" ("user") WHERE "user" IS NOT NULL;
CREATE INDEX "animal_revisions_updated_at_idx" ON "animal_revisions" ("updated_at");
CREATE INDEX "animal_revisions_created_at_idx" ON "animal_revisions" ("created_at");

CREATE TABLE "operations" (
    "id" INTEGER PRIMARY KEY,
    "at" INTEGER NOT NULL,
    "action" TEXT NOT NULL,
    "actor" INTEGER REFERENCES "users" ("id") ON DELETE SET NULL,
    "actor_name" TEXT,
    "organization" INTEGER REFERENCES "organizations" ("id") ON DELETE SET NULL,
    "subject_type" TEXT,
    "subject_id" INTEGER,
    "subject" TEXT,
    "summary" TEXT,
    "ip" TEXT,
    "seq" INTEGER NOT NULL,
    "updated_at" INTEGER NOT NULL,
    "created_at" INTEGER NOT NULL
);
CREATE INDEX "operations_organization_at_idx" ON "operations" ("organization", "at");
CREATE INDEX "operations_action_at_idx" ON "operations" ("action", "at");
CREATE INDEX "operations_at_idx" ON "operations" ("at");
CREATE INDEX "operations_actor_idx" ON "operations" ("actor") WHERE "actor" IS NOT NULL;
CREATE INDEX "operations_updated_at_idx" ON "operations" ("updated_at");
CREATE INDEX "operations_created_at_idx" ON "operations" ("created_at");

CREATE TABLE "access_views" (
    "id" INTEGER PRIMARY KEY,
    "animal" INTEGER NOT NULL REFERENCES "animals" ("id") ON DELETE CASCADE,
    "viewer_org" INTEGER NOT NULL REFERENCES "organizations" ("id") ON DELETE NO ACTION,
    "owner" INTEGER NOT NULL REFERENCES "organizations" ("id") ON DELETE NO ACTION,
    "grant" INTEGER REFERENCES "access_grants" ("id") ON DELETE SET NULL,
    "viewer" INTEGER REFERENCES "users" ("id") ON DELETE SET NULL,
    "scopes" TEXT,
    "first_at" INTEGER,
    "at" INTEGER NOT NULL,
    "sessions" INTEGER,
    "seq" INTEGER NOT NULL,
    "updated_at" INTEGER NOT NULL,
    "created_at" INTEGER NOT NULL
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
    "id" INTEGER PRIMARY KEY,
    "ident_number" TEXT NOT NULL,
    "uuid" TEXT,
    "name" TEXT,
    "owner" INTEGER REFERENCES "organizations" ("id") ON DELETE SET NULL,
    "birth_date" INTEGER,
    "archived_at" INTEGER,
    "removed_at" INTEGER,
    "archived_by" INTEGER REFERENCES "users" ("id") ON DELETE SET NULL,
    "archive_reason" TEXT,
    "removed_records" INTEGER,
    "snapshot" TEXT,
    "seq" INTEGER NOT NULL,
    "updated_at" INTEGER NOT NULL,
    "created_at" INTEGER NOT NULL
);
CREATE INDEX "animal_removals_ident_number_idx" ON "animal_removals" ("ident_number");
CREATE INDEX "animal_removals_owner_idx" ON "animal_removals" ("owner") WHERE "owner" IS NOT NULL;
CREATE INDEX "animal_removals_removed_at_idx" ON "animal_removals" ("removed_at");
CREATE INDEX "animal_removals_archived_by_idx" ON "animal_removals" ("archived_by") WHERE "archived_by" IS NOT NULL;
CREATE INDEX "animal_removals_updated_at_idx" ON "animal_removals" ("updated_at");
CREATE INDEX "animal_removals_created_at_idx" ON "animal_removals" ("created_at");

CREATE TABLE "breeds" (
    "id" INTEGER PRIMARY KEY,
    "code" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "name_english" TEXT,
    "sort_order" INTEGER,
    "description" TEXT,
    "aliases" TEXT,
    "fgias_uuid" TEXT,
    "is_active" INTEGER,
    "whff_code" TEXT,
    "icar2" TEXT,
    "is_improver" INTEGER,
    "direction" TEXT,
    "seq" INTEGER NOT NULL,
    "updated_at" INTEGER NOT NULL,
    "created_at" INTEGER NOT NULL
);
CREATE UNIQUE INDEX "breeds_code_key" ON "breeds" ("code");
CREATE INDEX "breeds_fgias_uuid_idx" ON "breeds" ("fgias_uuid");
CREATE INDEX "breeds_whff_code_idx" ON "breeds" ("whff_code");
CREATE INDEX "breeds_updated_at_idx" ON "breeds" ("updated_at");
CREATE INDEX "breeds_created_at_idx" ON "breeds" ("created_at");

CREATE TABLE "lines" (
    "id" INTEGER PRIMARY KEY,
    "code" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "name_english" TEXT,
    "sort_order" INTEGER,
    "description" TEXT,
    "aliases" TEXT,
    "fgias_uuid" TEXT,
    "is_active" INTEGER,
    "kind" TEXT,
    "parent_line" INTEGER REFERENCES "lines" ("id") ON DELETE SET NULL,
    "founder" INTEGER REFERENCES "animals" ("id") ON DELETE SET NULL,
    "seq" INTEGER NOT NULL,
    "updated_at" INTEGER NOT NULL,
    "created_at" INTEGER NOT NULL
);
CREATE UNIQUE INDEX "lines_code_key" ON "lines" ("code");
CREATE INDEX "lines_fgias_uuid_idx" ON "lines" ("fgias_uuid");
CREATE INDEX "lines_kind_idx" ON "lines" ("kind");
CREATE INDEX "lines_parent_line_idx" ON "lines" ("parent_line") WHERE "parent_line" IS NOT NULL;
CREATE INDEX "lines_founder_idx" ON "lines" ("founder") WHERE "founder" IS NOT NULL;
CREATE INDEX "lines_updated_at_idx" ON "lines" ("updated_at");
CREATE INDEX "lines_created_at_idx" ON "lines" ("created_at");

CREATE TABLE "breeding_categories" (
    "id" INTEGER PRIMARY KEY,
    "code" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "name_english" TEXT,
    "sort_order" INTEGER,
    "description" TEXT,
    "aliases" TEXT,
    "fgias_uuid" TEXT,
    "is_active" INTEGER,
    "allows_incomplete_pedigree" INTEGER,
    "seq" INTEGER NOT NULL,
    "updated_at" INTEGER NOT NULL,
    "created_at" INTEGER NOT NULL
);
CREATE UNIQUE INDEX "breeding_categories_code_key" ON "breeding_categories" ("code");
CREATE INDEX "breeding_categories_fgias_uuid_idx" ON "breeding_categories" ("fgias_uuid");
CREATE INDEX "breeding_categories_updated_at_idx" ON "breeding_categories" ("updated_at");
CREATE INDEX "breeding_categories_created_at_idx" ON "breeding_categories" ("created_at");

CREATE TABLE "breeding_classes" (
    "id" INTEGER PRIMARY KEY,
    "code" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "name_english" TEXT,
    "sort_order" INTEGER,
    "description" TEXT,
    "aliases" TEXT,
    "fgias_uuid" TEXT,
    "is_active" INTEGER,
    "seq" INTEGER NOT NULL,
    "updated_at" INTEGER NOT NULL,
    "created_at" INTEGER NOT NULL
);
CREATE UNIQUE INDEX "breeding_classes_code_key" ON "breeding_classes" ("code");
CREATE INDEX "breeding_classes_fgias_uuid_idx" ON "breeding_classes" ("fgias_uuid");
CREATE INDEX "breeding_classes_updated_at_idx" ON "breeding_classes" ("updated_at");
CREATE INDEX "breeding_classes_created_at_idx" ON "breeding_classes" ("created_at");

CREATE TABLE "animal_purposes" (
    "id" INTEGER PRIMARY KEY,
    "code" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "name_english" TEXT,
    "sort_order" INTEGER,
    "description" TEXT,
    "aliases" TEXT,
    "fgias_uuid" TEXT,
    "is_active" INTEGER,
    "seq" INTEGER NOT NULL,
    "updated_at" INTEGER NOT NULL,
    "created_at" INTEGER NOT NULL
);
CREATE UNIQUE INDEX "animal_purposes_code_key" ON "animal_purposes" ("code");
CREATE INDEX "animal_purposes_fgias_uuid_idx" ON "animal_purposes" ("fgias_uuid");
CREATE INDEX "animal_purposes_updated_at_idx" ON "animal_purposes" ("updated_at");
CREATE INDEX "animal_purposes_created_at_idx" ON "animal_purposes" ("created_at");

CREATE TABLE "disposal_reasons" (
    "id" INTEGER PRIMARY KEY,
    "code" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "name_english" TEXT,
    "sort_order" INTEGER,
    "description" TEXT,
    "aliases" TEXT,
    "fgias_uuid" TEXT,
    "is_active" INTEGER,
    "state" TEXT,
    "ade_reason" TEXT,
    "ade_death_reason" TEXT,
    "ade_death_method" TEXT,
    "seq" INTEGER NOT NULL,
    "updated_at" INTEGER NOT NULL,
    "created_at" INTEGER NOT NULL
);
CREATE UNIQUE INDEX "disposal_reasons_code_key" ON "disposal_reasons" ("code");
CREATE INDEX "disposal_reasons_fgias_uuid_idx" ON "disposal_reasons" ("fgias_uuid");
CREATE INDEX "disposal_reasons_updated_at_idx" ON "disposal_reasons" ("updated_at");
CREATE INDEX "disposal_reasons_created_at_idx" ON "disposal_reasons" ("created_at");

CREATE TABLE "coat_colors" (
    "id" INTEGER PRIMARY KEY,
    "code" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "name_english" TEXT,
    "sort_order" INTEGER,
    "description" TEXT,
    "aliases" TEXT,
    "fgias_uuid" TEXT,
    "is_active" INTEGER,
    "whff_code" TEXT,
    "seq" INTEGER NOT NULL,
    "updated_at" INTEGER NOT NULL,
    "created_at" INTEGER NOT NULL
);
CREATE UNIQUE INDEX "coat_colors_code_key" ON "coat_colors" ("code");
CREATE INDEX "coat_colors_fgias_uuid_idx" ON "coat_colors" ("fgias_uuid");
CREATE INDEX "coat_colors_updated_at_idx" ON "coat_colors" ("updated_at");
CREATE INDEX "coat_colors_created_at_idx" ON "coat_colors" ("created_at");

CREATE TABLE "blood_groups" (
    "id" INTEGER PRIMARY KEY,
    "code" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "name_english" TEXT,
    "sort_order" INTEGER,
    "description" TEXT,
    "aliases" TEXT,
    "fgias_uuid" TEXT,
    "is_active" INTEGER,
    "seq" INTEGER NOT NULL,
    "updated_at" INTEGER NOT NULL,
    "created_at" INTEGER NOT NULL
);
CREATE UNIQUE INDEX "blood_groups_code_key" ON "blood_groups" ("code");
CREATE INDEX "blood_groups_fgias_uuid_idx" ON "blood_groups" ("fgias_uuid");
CREATE INDEX "blood_groups_updated_at_idx" ON "blood_groups" ("updated_at");
CREATE INDEX "blood_groups_created_at_idx" ON "blood_groups" ("created_at");

CREATE TABLE "reproduction_methods" (
    "id" INTEGER PRIMARY KEY,
    "code" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "name_english" TEXT,
    "sort_order" INTEGER,
    "description" TEXT,
    "aliases" TEXT,
    "fgias_uuid" TEXT,
    "is_active" INTEGER,
    "ade_type" TEXT,
    "seq" INTEGER NOT NULL,
    "updated_at" INTEGER NOT NULL,
    "created_at" INTEGER NOT NULL
);
CREATE UNIQUE INDEX "reproduction_methods_code_key" ON "reproduction_methods" ("code");
CREATE INDEX "reproduction_methods_fgias_uuid_idx" ON "reproduction_methods" ("fgias_uuid");
CREATE INDEX "reproduction_methods_updated_at_idx" ON "reproduction_methods" ("updated_at");
CREATE INDEX "reproduction_methods_created_at_idx" ON "reproduction_methods" ("created_at");

CREATE TABLE "semen_types" (
    "id" INTEGER PRIMARY KEY,
    "code" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "name_english" TEXT,
    "sort_order" INTEGER,
    "description" TEXT,
    "aliases" TEXT,
    "fgias_uuid" TEXT,
    "is_active" INTEGER,
    "preservation" TEXT,
    "sexed" TEXT,
    "seq" INTEGER NOT NULL,
    "updated_at" INTEGER NOT NULL,
    "created_at" INTEGER NOT NULL
);
CREATE UNIQUE INDEX "semen_types_code_key" ON "semen_types" ("code");
CREATE INDEX "semen_types_fgias_uuid_idx" ON "semen_types" ("fgias_uuid");
CREATE INDEX "semen_types_updated_at_idx" ON "semen_types" ("updated_at");
CREATE INDEX "semen_types_created_at_idx" ON "semen_types" ("created_at");

CREATE TABLE "insemination_results" (
    "id" INTEGER PRIMARY KEY,
    "code" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "name_english" TEXT,
    "sort_order" INTEGER,
    "description" TEXT,
    "aliases" TEXT,
    "fgias_uuid" TEXT,
    "is_active" INTEGER,
    "ade_result" TEXT,
    "seq" INTEGER NOT NULL,
    "updated_at" INTEGER NOT NULL,
    "created_at" INTEGER NOT NULL
);
CREATE UNIQUE INDEX "insemination_results_code_key" ON "insemination_results" ("code");
CREATE INDEX "insemination_results_fgias_uuid_idx" ON "insemination_results" ("fgias_uuid");
CREATE INDEX "insemination_results_updated_at_idx" ON "insemination_results" ("updated_at");
CREATE INDEX "insemination_results_created_at_idx" ON "insemination_results" ("created_at");

CREATE TABLE "dna_test_types" (
    "id" INTEGER PRIMARY KEY,
    "code" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "name_english" TEXT,
    "sort_order" INTEGER,
    "description" TEXT,
    "aliases" TEXT,
    "fgias_uuid" TEXT,
    "is_active" INTEGER,
    "marker_kind" TEXT,
    "seq" INTEGER NOT NULL,
    "updated_at" INTEGER NOT NULL,
    "created_at" INTEGER NOT NULL
);
CREATE UNIQUE INDEX "dna_test_types_code_key" ON "dna_test_types" ("code");
CREATE INDEX "dna_test_types_fgias_uuid_idx" ON "dna_test_types" ("fgias_uuid");
CREATE INDEX "dna_test_types_updated_at_idx" ON "dna_test_types" ("updated_at");
CREATE INDEX "dna_test_types_created_at_idx" ON "dna_test_types" ("created_at");

CREATE TABLE "haplotype_types" (
    "id" INTEGER PRIMARY KEY,
    "code" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "name_english" TEXT,
    "sort_order" INTEGER,
    "description" TEXT,
    "aliases" TEXT,
    "fgias_uuid" TEXT,
    "is_active" INTEGER,
    "gene" TEXT,
    "chromosome" INTEGER,
    "whff_label" TEXT,
    "lethal" INTEGER,
    "seq" INTEGER NOT NULL,
    "updated_at" INTEGER NOT NULL,
    "created_at" INTEGER NOT NULL
);
CREATE UNIQUE INDEX "haplotype_types_code_key" ON "haplotype_types" ("code");
CREATE INDEX "haplotype_types_fgias_uuid_idx" ON "haplotype_types" ("fgias_uuid");
CREATE INDEX "haplotype_types_updated_at_idx" ON "haplotype_types" ("updated_at");
CREATE INDEX "haplotype_types_created_at_idx" ON "haplotype_types" ("created_at");

CREATE TABLE "health_event_types" (
    "id" INTEGER PRIMARY KEY,
    "code" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "name_english" TEXT,
    "sort_order" INTEGER,
    "description" TEXT,
    "aliases" TEXT,
    "fgias_uuid" TEXT,
    "is_active" INTEGER,
    "affects_productivity" INTEGER,
    "kind" TEXT,
    "diagnosis_code_scheme" TEXT,
    "diagnosis_code_id" TEXT,
    "seq" INTEGER NOT NULL,
    "updated_at" INTEGER NOT NULL,
    "created_at" INTEGER NOT NULL
);
CREATE UNIQUE INDEX "health_event_types_code_key" ON "health_event_types" ("code");
CREATE INDEX "health_event_types_fgias_uuid_idx" ON "health_event_types" ("fgias_uuid");
CREATE INDEX "health_event_types_updated_at_idx" ON "health_event_types" ("updated_at");
CREATE INDEX "health_event_types_created_at_idx" ON "health_event_types" ("created_at");

CREATE TABLE "technicians" (
    "id" INTEGER PRIMARY KEY,
    "full_name" TEXT NOT NULL,
    "certificate_number" TEXT,
    "organization" INTEGER REFERENCES "organizations" ("id") ON DELETE SET NULL,
    "is_active" INTEGER,
    "seq" INTEGER NOT NULL,
    "updated_at" INTEGER NOT NULL,
    "created_at" INTEGER NOT NULL
);
CREATE INDEX "technicians_organization_idx" ON "technicians" ("organization") WHERE "organization" IS NOT NULL;
CREATE INDEX "technicians_updated_at_idx" ON "technicians" ("updated_at");
CREATE INDEX "technicians_created_at_idx" ON "technicians" ("created_at");

CREATE TABLE "breed_types" (
    "id" INTEGER PRIMARY KEY,
    "code" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "name_english" TEXT,
    "sort_order" INTEGER,
    "description" TEXT,
    "aliases" TEXT,
    "fgias_uuid" TEXT,
    "is_active" INTEGER,
    "breed" INTEGER REFERENCES "breeds" ("id") ON DELETE SET NULL,
    "seq" INTEGER NOT NULL,
    "updated_at" INTEGER NOT NULL,
    "created_at" INTEGER NOT NULL
);
CREATE UNIQUE INDEX "breed_types_code_key" ON "breed_types" ("code");
CREATE INDEX "breed_types_fgias_uuid_idx" ON "breed_types" ("fgias_uuid");
CREATE INDEX "breed_types_breed_idx" ON "breed_types" ("breed") WHERE "breed" IS NOT NULL;
CREATE INDEX "breed_types_updated_at_idx" ON "breed_types" ("updated_at");
CREATE INDEX "breed_types_created_at_idx" ON "breed_types" ("created_at");

CREATE TABLE "countries" (
    "id" INTEGER PRIMARY KEY,
    "code" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "name_english" TEXT,
    "sort_order" INTEGER,
    "description" TEXT,
    "aliases" TEXT,
    "fgias_uuid" TEXT,
    "is_active" INTEGER,
    "alpha2" TEXT,
    "alpha3" TEXT,
    "numeric" TEXT,
    "seq" INTEGER NOT NULL,
    "updated_at" INTEGER NOT NULL,
    "created_at" INTEGER NOT NULL
);
CREATE UNIQUE INDEX "countries_code_key" ON "countries" ("code");
CREATE INDEX "countries_fgias_uuid_idx" ON "countries" ("fgias_uuid");
CREATE UNIQUE INDEX "countries_alpha2_key" ON "countries" ("alpha2");
CREATE UNIQUE INDEX "countries_alpha3_key" ON "countries" ("alpha3");
CREATE UNIQUE INDEX "countries_numeric_key" ON "countries" ("numeric");
CREATE INDEX "countries_updated_at_idx" ON "countries" ("updated_at");
CREATE INDEX "countries_created_at_idx" ON "countries" ("created_at");

CREATE TABLE "regions" (
    "id" INTEGER PRIMARY KEY,
    "code" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "name_english" TEXT,
    "sort_order" INTEGER,
    "description" TEXT,
    "aliases" TEXT,
    "fgias_uuid" TEXT,
    "is_active" INTEGER,
    "country" INTEGER REFERENCES "countries" ("id") ON DELETE SET NULL,
    "iso_code" TEXT,
    "seq" INTEGER NOT NULL,
    "updated_at" INTEGER NOT NULL,
    "created_at" INTEGER NOT NULL
);
CREATE UNIQUE INDEX "regions_code_key" ON "regions" ("code");
CREATE INDEX "regions_fgias_uuid_idx" ON "regions" ("fgias_uuid");
CREATE INDEX "regions_country_idx" ON "regions" ("country") WHERE "country" IS NOT NULL;
CREATE INDEX "regions_updated_at_idx" ON "regions" ("updated_at");
CREATE INDEX "regions_created_at_idx" ON "regions" ("created_at");

CREATE TABLE "districts" (
    "id" INTEGER PRIMARY KEY,
    "code" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "name_english" TEXT,
    "sort_order" INTEGER,
    "description" TEXT,
    "aliases" TEXT,
    "fgias_uuid" TEXT,
    "is_active" INTEGER,
    "region" INTEGER REFERENCES "regions" ("id") ON DELETE SET NULL,
    "seq" INTEGER NOT NULL,
    "updated_at" INTEGER NOT NULL,
    "created_at" INTEGER NOT NULL
);
CREATE UNIQUE INDEX "districts_code_key" ON "districts" ("code");
CREATE INDEX "districts_fgias_uuid_idx" ON "districts" ("fgias_uuid");
CREATE INDEX "districts_region_idx" ON "districts" ("region") WHERE "region" IS NOT NULL;
CREATE INDEX "districts_updated_at_idx" ON "districts" ("updated_at");
CREATE INDEX "districts_created_at_idx" ON "districts" ("created_at");

CREATE TABLE "bench_runs" (
    "id" INTEGER PRIMARY KEY,
    "label" TEXT NOT NULL,
    "measured_at" INTEGER,
    "animals" INTEGER NOT NULL,
    "runs" INTEGER NOT NULL,
    "server" TEXT,
    "rows" TEXT NOT NULL,
    "notes" TEXT,
    "seq" INTEGER NOT NULL,
    "updated_at" INTEGER NOT NULL,
    "created_at" INTEGER NOT NULL
);
CREATE INDEX "bench_runs_measured_at_idx" ON "bench_runs" ("measured_at");
CREATE INDEX "bench_runs_updated_at_idx" ON "bench_runs" ("updated_at");
CREATE INDEX "bench_runs_created_at_idx" ON "bench_runs" ("created_at");

CREATE TABLE "check_runs" (
    "id" INTEGER PRIMARY KEY,
    "label" TEXT NOT NULL,
    "state" TEXT,
    "queued_at" INTEGER,
    "ran_at" INTEGER,
    "ok" INTEGER,
    "failed" INTEGER,
    "total" INTEGER,
    "ms" REAL,
    "version" TEXT,
    "results" TEXT NOT NULL,
    "animals" INTEGER,
    "checked" INTEGER,
    "seq" INTEGER NOT NULL,
    "updated_at" INTEGER NOT NULL,
    "created_at" INTEGER NOT NULL
);
CREATE UNIQUE INDEX "check_runs_label_key" ON "check_runs" ("label");
CREATE INDEX "check_runs_updated_at_idx" ON "check_runs" ("updated_at");
CREATE INDEX "check_runs_created_at_idx" ON "check_runs" ("created_at");

CREATE TABLE "webhooks" (
    "id" INTEGER PRIMARY KEY,
    "organization" INTEGER REFERENCES "organizations" ("id") ON DELETE CASCADE,
    "url" TEXT NOT NULL,
    "dataset" TEXT NOT NULL,
    "enabled" INTEGER,
    "description" TEXT,
    "created_by" INTEGER REFERENCES "users" ("id") ON DELETE SET NULL,
    "secret_rotated_at" INTEGER,
    "delivered_seq" INTEGER,
    "delivered_at" INTEGER,
    "failures" INTEGER,
    "disabled_at" INTEGER,
    "disabled_reason" TEXT,
    "secret_closed" TEXT,
    "former_secret_closed" TEXT,
    "host" TEXT,
    "pending_seq" INTEGER,
    "changed_at" INTEGER,
    "due" INTEGER,
    "failing_since" INTEGER,
    "worker" TEXT,
    "leased_until" INTEGER,
    "again" INTEGER,
    "pings" INTEGER,
    "pinged" INTEGER,
    "opened_with" TEXT,
    "seq" INTEGER NOT NULL,
    "updated_at" INTEGER NOT NULL,
    "created_at" INTEGER NOT NULL
);
CREATE INDEX "webhooks_organization_idx" ON "webhooks" ("organization") WHERE "organization" IS NOT NULL;
CREATE INDEX "webhooks_created_by_idx" ON "webhooks" ("created_by") WHERE "created_by" IS NOT NULL;
CREATE INDEX "webhooks_opened_with_idx" ON "webhooks" ("opened_with");
CREATE INDEX "webhooks_updated_at_idx" ON "webhooks" ("updated_at");
CREATE INDEX "webhooks_created_at_idx" ON "webhooks" ("created_at");

CREATE TABLE "webhook_deliveries" (
    "id" INTEGER PRIMARY KEY,
    "webhook" INTEGER NOT NULL REFERENCES "webhooks" ("id") ON DELETE CASCADE,
    "organization" INTEGER REFERENCES "organizations" ("id") ON DELETE SET NULL,
    "at" INTEGER NOT NULL,
    "event" TEXT,
    "message" TEXT,
    "sequence" INTEGER,
    "attempt" INTEGER,
    "outcome" TEXT,
    "status" INTEGER,
    "duration" INTEGER,
    "error" TEXT,
    "seq" INTEGER NOT NULL,
    "updated_at" INTEGER NOT NULL,
    "created_at" INTEGER NOT NULL
);
CREATE INDEX "webhook_deliveries_webhook_at_idx" ON "webhook_deliveries" ("webhook", "at");
CREATE INDEX "webhook_deliveries_organization_idx" ON "webhook_deliveries" ("organization") WHERE "organization" IS NOT NULL;
CREATE INDEX "webhook_deliveries_at_idx" ON "webhook_deliveries" ("at");
CREATE INDEX "webhook_deliveries_updated_at_idx" ON "webhook_deliveries" ("updated_at");
CREATE INDEX "webhook_deliveries_created_at_idx" ON "webhook_deliveries" ("created_at");

CREATE TABLE "quotas" (
    "id" INTEGER PRIMARY KEY,
    "organization" INTEGER NOT NULL REFERENCES "organizations" ("id") ON DELETE CASCADE,
    "read" INTEGER,
    "write" INTEGER,
    "bulk" INTEGER,
    "concurrent" INTEGER,
    "storage" INTEGER,
    "files" INTEGER,
    "records" INTEGER,
    "note" TEXT,
    "seq" INTEGER NOT NULL,
    "updated_at" INTEGER NOT NULL,
    "created_at" INTEGER NOT NULL
);
CREATE UNIQUE INDEX "quotas_organization_key" ON "quotas" ("organization");
CREATE INDEX "quotas_updated_at_idx" ON "quotas" ("updated_at");
CREATE INDEX "quotas_created_at_idx" ON "quotas" ("created_at");

CREATE TABLE "api_keys" (
    "id" INTEGER PRIMARY KEY,
    "user" INTEGER NOT NULL REFERENCES "users" ("id") ON DELETE CASCADE,
    "name" TEXT NOT NULL,
    "scope" TEXT NOT NULL,
    "datasets" TEXT,
    "expires_at" INTEGER,
    "revoked_at" INTEGER,
    "last_used_at" INTEGER,
    "key_index" TEXT,
    "note" TEXT,
    "seq" INTEGER NOT NULL,
    "updated_at" INTEGER NOT NULL,
    "created_at" INTEGER NOT NULL
);
CREATE INDEX "api_keys_user_idx" ON "api_keys" ("user");
CREATE INDEX "api_keys_revoked_at_idx" ON "api_keys" ("revoked_at");
CREATE INDEX "api_keys_key_index_idx" ON "api_keys" ("key_index");
CREATE INDEX "api_keys_updated_at_idx" ON "api_keys" ("updated_at");
CREATE INDEX "api_keys_created_at_idx" ON "api_keys" ("created_at");

CREATE TABLE "clarifications" (
    "id" INTEGER PRIMARY KEY,
    "kind" TEXT NOT NULL,
    "status" TEXT,
    "animal" INTEGER REFERENCES "animals" ("id") ON DELETE SET NULL,
    "owner" INTEGER REFERENCES "organizations" ("id") ON DELETE SET NULL,
    "organization" INTEGER REFERENCES "organizations" ("id") ON DELETE SET NULL,
    "collection" TEXT NOT NULL,
    "record_id" INTEGER NOT NULL,
    "path" TEXT NOT NULL,
    "number" TEXT,
    "stated_by" TEXT,
    "message" TEXT,
    "response" TEXT,
    "decided_at" INTEGER,
    "decided_by" INTEGER REFERENCES "users" ("id") ON DELETE SET NULL,
    "seq" INTEGER NOT NULL,
    "updated_at" INTEGER NOT NULL,
    "created_at" INTEGER NOT NULL
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
    "id" INTEGER PRIMARY KEY,
    "key_id" TEXT,
    "algorithm" TEXT,
    "public_key" TEXT,
    "retired_at" INTEGER,
    "private_key" TEXT,
    "seq" INTEGER NOT NULL,
    "updated_at" INTEGER NOT NULL,
    "created_at" INTEGER NOT NULL
);
CREATE UNIQUE INDEX "signing_keys_key_id_key" ON "signing_keys" ("key_id");
CREATE INDEX "signing_keys_retired_at_idx" ON "signing_keys" ("retired_at");
CREATE INDEX "signing_keys_updated_at_idx" ON "signing_keys" ("updated_at");
CREATE INDEX "signing_keys_created_at_idx" ON "signing_keys" ("created_at");

CREATE TABLE "ade_tombstones" (
    "id" INTEGER PRIMARY KEY,
    "dataset" TEXT NOT NULL,
    "source_id" TEXT NOT NULL,
    "resource_type" TEXT,
    "location" INTEGER REFERENCES "organizations" ("id") ON DELETE SET NULL,
    "deleted_at" INTEGER,
    "reason" TEXT,
    "seq" INTEGER NOT NULL,
    "updated_at" INTEGER NOT NULL,
    "created_at" INTEGER NOT NULL
);
CREATE INDEX "ade_tombstones_dataset_deleted_at_idx" ON "ade_tombstones" ("dataset", "deleted_at");
CREATE INDEX "ade_tombstones_location_idx" ON "ade_tombstones" ("location") WHERE "location" IS NOT NULL;
CREATE INDEX "ade_tombstones_deleted_at_idx" ON "ade_tombstones" ("deleted_at");
CREATE INDEX "ade_tombstones_updated_at_idx" ON "ade_tombstones" ("updated_at");
CREATE INDEX "ade_tombstones_created_at_idx" ON "ade_tombstones" ("created_at");
