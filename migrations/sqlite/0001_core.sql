-- All tables of the book, printed from the registry by `herdbook schema --dialect sqlite`.

CREATE TABLE "book_sequence" (
    "id" INTEGER PRIMARY KEY,
    "seq" INTEGER NOT NULL,
    "modified" INTEGER NOT NULL
);

INSERT INTO "book_sequence" ("id", "seq", "modified") VALUES (1, 0, 0);

CREATE TABLE "book_ids" (
    "name" TEXT NOT NULL PRIMARY KEY,
    "next" INTEGER NOT NULL
);

CREATE TABLE "book_settings" (
    "name" TEXT NOT NULL PRIMARY KEY,
    "value" TEXT NOT NULL
);

CREATE TABLE "exchange_documents" (
    "id" INTEGER PRIMARY KEY,
    "seq" INTEGER NOT NULL,
    "dataset" TEXT NOT NULL,
    "resource_type" TEXT NOT NULL,
    "source" TEXT NOT NULL,
    "source_id" TEXT NOT NULL,
    "location" INTEGER NOT NULL,
    "modified" INTEGER NOT NULL,
    "created" INTEGER NOT NULL,
    "event_at" INTEGER,
    "animal" INTEGER,
    "record" INTEGER NOT NULL,
    "deleted" INTEGER NOT NULL,
    "reason" TEXT,
    "body" TEXT NOT NULL
);
CREATE UNIQUE INDEX "exchange_documents_seq_key" ON "exchange_documents" ("seq");
CREATE UNIQUE INDEX "exchange_documents_dataset_source_source_id_location_key" ON "exchange_documents" ("dataset", "source", "source_id", "location");
CREATE INDEX "exchange_documents_dataset_seq_idx" ON "exchange_documents" ("dataset", "seq");
CREATE INDEX "exchange_documents_location_seq_idx" ON "exchange_documents" ("location", "seq");
CREATE INDEX "exchange_documents_location_dataset_id_idx" ON "exchange_documents" ("location", "dataset", "id");
CREATE INDEX "exchange_documents_location_dataset_modified_idx" ON "exchange_documents" ("location", "dataset", "modified");
CREATE INDEX "exchange_documents_animal_dataset_idx" ON "exchange_documents" ("animal", "dataset");
CREATE INDEX "exchange_documents_dataset_record_idx" ON "exchange_documents" ("dataset", "record");

CREATE TABLE "exchange_queue" (
    "id" INTEGER PRIMARY KEY,
    "dataset" TEXT NOT NULL,
    "relation" TEXT NOT NULL,
    "target" INTEGER NOT NULL,
    "after" INTEGER NOT NULL,
    "queued_at" INTEGER NOT NULL
);

CREATE TABLE "exchange_counts" (
    "location" INTEGER NOT NULL,
    "dataset" TEXT NOT NULL,
    "live" INTEGER NOT NULL,
    PRIMARY KEY ("location", "dataset")
);

CREATE TABLE "exchange_state" (
    "name" TEXT NOT NULL PRIMARY KEY,
    "value" TEXT NOT NULL
);

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
    "age_group_date" INTEGER,
    "owner" INTEGER NOT NULL REFERENCES "organizations" ("id") ON DELETE NO ACTION,
    "herd" INTEGER REFERENCES "herds" ("id") ON DELETE SET NULL,
    "public_visible" INTEGER,
    "public_details" INTEGER,
    "for_sale" INTEGER,
    "archived" INTEGER,
    "category" INTEGER REFERENCES "breeding_categories" ("id") ON DELETE SET NULL,
    "semen_stock_code" TEXT,
    "semen_stock_available" INTEGER,
    "semen_stock_updated_at" INTEGER,
    "semen_stock_owner" INTEGER REFERENCES "organizations" ("id") ON DELETE SET NULL,
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
    "current_last_calving_date" INTEGER,
    "current_last_insemination_date" INTEGER,
    "current_last_dry_off_date" INTEGER,
    "current_expected_calving_date" INTEGER,
    "current_lactation_status" TEXT,
    "current_reproduction_status" TEXT,
    "current_health_status" TEXT,
    "lactations" TEXT,
    "summary_milk_yield" REAL,
    "summary_fat_percent" REAL,
    "summary_protein_percent" REAL,
    "summary_fat_kg" REAL,
    "summary_protein_kg" REAL,
    "summary_fat_protein_sum" REAL,
    "reported_lactations" TEXT,
    "archived_at" INTEGER,
    "archived_by" INTEGER REFERENCES "users" ("id") ON DELETE SET NULL,
    "last_edit_user" INTEGER REFERENCES "users" ("id") ON DELETE SET NULL,
    "last_edit_time" INTEGER,
    "entry_owner" INTEGER REFERENCES "organizations" ("id") ON DELETE SET NULL,
    "entry_herd" INTEGER REFERENCES "herds" ("id") ON DELETE SET NULL,
    "entry_arrival_date" INTEGER,
    "entry_previous_organization" INTEGER REFERENCES "organizations" ("id") ON DELETE SET NULL,
    "seq" INTEGER NOT NULL,
    "updated_at" INTEGER NOT NULL,
    "created_at" INTEGER NOT NULL
);
CREATE INDEX "animals_owner_state_archived_idx" ON "animals" ("owner", "state", "archived");
CREATE INDEX "animals_father_birth_date_idx" ON "animals" ("father", "birth_date");
CREATE INDEX "animals_mother_birth_date_idx" ON "animals" ("mother", "birth_date");
CREATE UNIQUE INDEX "animals_uuid_key" ON "animals" ("uuid");
CREATE UNIQUE INDEX "animals_ident_number_key" ON "animals" ("ident_number");
CREATE INDEX "animals_name_idx" ON "animals" ("name");
CREATE INDEX "animals_birth_date_idx" ON "animals" ("birth_date");
CREATE INDEX "animals_breed_idx" ON "animals" ("breed");
CREATE INDEX "animals_herd_idx" ON "animals" ("herd");
CREATE INDEX "animals_public_visible_idx" ON "animals" ("public_visible");
CREATE INDEX "animals_for_sale_idx" ON "animals" ("for_sale");
CREATE INDEX "animals_archived_idx" ON "animals" ("archived");
CREATE INDEX "animals_category_idx" ON "animals" ("category");
CREATE INDEX "animals_semen_stock_code_idx" ON "animals" ("semen_stock_code");
CREATE INDEX "animals_semen_stock_owner_idx" ON "animals" ("semen_stock_owner");
CREATE INDEX "animals_fgias_base_uuid_idx" ON "animals" ("fgias_base_uuid");
CREATE INDEX "animals_fgias_unsm_idx" ON "animals" ("fgias_unsm");
CREATE INDEX "animals_alt_ids_international_id_idx" ON "animals" ("alt_ids_international_id");
CREATE INDEX "animals_alt_ids_ear_tag_idx" ON "animals" ("alt_ids_ear_tag");
CREATE INDEX "animals_alt_ids_inventory_number_idx" ON "animals" ("alt_ids_inventory_number");
CREATE INDEX "animals_alt_ids_chip_number_idx" ON "animals" ("alt_ids_chip_number");
CREATE INDEX "animals_breed_type_idx" ON "animals" ("breed_type");
CREATE INDEX "animals_improvers_breed1_idx" ON "animals" ("improvers_breed1");
CREATE INDEX "animals_improvers_breed2_idx" ON "animals" ("improvers_breed2");
CREATE INDEX "animals_coat_color_idx" ON "animals" ("coat_color");
CREATE INDEX "animals_blood_group_idx" ON "animals" ("blood_group");
CREATE INDEX "animals_purpose_idx" ON "animals" ("purpose");
CREATE INDEX "animals_birth_place_country_idx" ON "animals" ("birth_place_country");
CREATE INDEX "animals_birth_place_region_idx" ON "animals" ("birth_place_region");
CREATE INDEX "animals_birth_place_district_idx" ON "animals" ("birth_place_district");
CREATE INDEX "animals_birth_place_farm_idx" ON "animals" ("birth_place_farm");
CREATE INDEX "animals_breeding_class_idx" ON "animals" ("breeding_class");
CREATE INDEX "animals_receipt_method_idx" ON "animals" ("receipt_method");
CREATE INDEX "animals_line_idx" ON "animals" ("line");
CREATE INDEX "animals_family_idx" ON "animals" ("family");
CREATE INDEX "animals_previous_organization_idx" ON "animals" ("previous_organization");
CREATE INDEX "animals_trust_level_idx" ON "animals" ("trust_level");
CREATE UNIQUE INDEX "animals_registration_number_key" ON "animals" ("registration_number");
CREATE INDEX "animals_state_idx" ON "animals" ("state");
CREATE INDEX "animals_disposal_reason_idx" ON "animals" ("disposal_reason");
CREATE INDEX "animals_disposal_organization_idx" ON "animals" ("disposal_organization");
CREATE INDEX "animals_author_idx" ON "animals" ("author");
CREATE INDEX "animals_archived_at_idx" ON "animals" ("archived_at");
CREATE INDEX "animals_archived_by_idx" ON "animals" ("archived_by");
CREATE INDEX "animals_last_edit_user_idx" ON "animals" ("last_edit_user");
CREATE INDEX "animals_entry_owner_idx" ON "animals" ("entry_owner");
CREATE INDEX "animals_entry_herd_idx" ON "animals" ("entry_herd");
CREATE INDEX "animals_entry_previous_organization_idx" ON "animals" ("entry_previous_organization");
CREATE INDEX "animals_updated_at_idx" ON "animals" ("updated_at");
CREATE INDEX "animals_created_at_idx" ON "animals" ("created_at");

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
    "confirmed_by" INTEGER REFERENCES "users" ("id") ON DELETE SET NULL,
    "outside" INTEGER,
    "recorded_by" INTEGER REFERENCES "users" ("id") ON DELETE SET NULL,
    "ade_source" TEXT,
    "ade_source_id" TEXT,
    "ade_extra" TEXT,
    "seq" INTEGER NOT NULL,
    "updated_at" INTEGER NOT NULL,
    "created_at" INTEGER NOT NULL
);
CREATE UNIQUE INDEX "movements_from_ade_source_ade_source_id_key" ON "movements" ("from", "ade_source", "ade_source_id");
CREATE INDEX "movements_animal_date_idx" ON "movements" ("animal", "date");
CREATE INDEX "movements_date_idx" ON "movements" ("date");
CREATE INDEX "movements_kind_idx" ON "movements" ("kind");
CREATE INDEX "movements_to_idx" ON "movements" ("to");
CREATE INDEX "movements_from_herd_idx" ON "movements" ("from_herd");
CREATE INDEX "movements_to_herd_idx" ON "movements" ("to_herd");
CREATE INDEX "movements_reason_idx" ON "movements" ("reason");
CREATE INDEX "movements_confirmed_by_idx" ON "movements" ("confirmed_by");
CREATE INDEX "movements_recorded_by_idx" ON "movements" ("recorded_by");
CREATE INDEX "movements_updated_at_idx" ON "movements" ("updated_at");
CREATE INDEX "movements_created_at_idx" ON "movements" ("created_at");

CREATE TABLE "calvings" (
    "id" INTEGER PRIMARY KEY,
    "animal" INTEGER NOT NULL REFERENCES "animals" ("id") ON DELETE CASCADE,
    "owner_org" INTEGER REFERENCES "organizations" ("id") ON DELETE SET NULL,
    "number" INTEGER NOT NULL,
    "date" INTEGER NOT NULL,
    "event_type" TEXT,
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
    "verification" TEXT,
    "check_status" TEXT,
    "ade_source" TEXT,
    "ade_source_id" TEXT,
    "ade_extra" TEXT,
    "seq" INTEGER NOT NULL,
    "updated_at" INTEGER NOT NULL,
    "created_at" INTEGER NOT NULL
);
CREATE UNIQUE INDEX "calvings_owner_org_ade_source_ade_source_id_key" ON "calvings" ("owner_org", "ade_source", "ade_source_id");
CREATE INDEX "calvings_animal_date_idx" ON "calvings" ("animal", "date");
CREATE INDEX "calvings_owner_org_date_idx" ON "calvings" ("owner_org", "date");
CREATE INDEX "calvings_animal_number_idx" ON "calvings" ("animal", "number");
CREATE INDEX "calvings_date_idx" ON "calvings" ("date");
CREATE INDEX "calvings_event_type_idx" ON "calvings" ("event_type");
CREATE INDEX "calvings_insemination_idx" ON "calvings" ("insemination");
CREATE INDEX "calvings_verification_idx" ON "calvings" ("verification");
CREATE INDEX "calvings_updated_at_idx" ON "calvings" ("updated_at");
CREATE INDEX "calvings_created_at_idx" ON "calvings" ("created_at");

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
    "lactation_number" INTEGER,
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
    "expected_calving" INTEGER,
    "days_open" INTEGER,
    "source" TEXT,
    "comment" TEXT,
    "check_ade_source" TEXT,
    "check_ade_source_id" TEXT,
    "check_ade_extra" TEXT,
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
CREATE INDEX "inseminations_animal_lactation_number_idx" ON "inseminations" ("animal", "lactation_number");
CREATE INDEX "inseminations_bull_date_idx" ON "inseminations" ("bull", "date");
CREATE INDEX "inseminations_date_idx" ON "inseminations" ("date");
CREATE INDEX "inseminations_semen_type_idx" ON "inseminations" ("semen_type");
CREATE INDEX "inseminations_method_idx" ON "inseminations" ("method");
CREATE INDEX "inseminations_technician_idx" ON "inseminations" ("technician");
CREATE INDEX "inseminations_embryo_donor_idx" ON "inseminations" ("embryo_donor");
CREATE INDEX "inseminations_embryo_sire_idx" ON "inseminations" ("embryo_sire");
CREATE INDEX "inseminations_result_idx" ON "inseminations" ("result");
CREATE INDEX "inseminations_pregnancy_check_date_idx" ON "inseminations" ("pregnancy_check_date");
CREATE INDEX "inseminations_verification_idx" ON "inseminations" ("verification");
CREATE INDEX "inseminations_updated_at_idx" ON "inseminations" ("updated_at");
CREATE INDEX "inseminations_created_at_idx" ON "inseminations" ("created_at");

CREATE TABLE "milk_tests" (
    "id" INTEGER PRIMARY KEY,
    "animal" INTEGER NOT NULL REFERENCES "animals" ("id") ON DELETE CASCADE,
    "owner_org" INTEGER REFERENCES "organizations" ("id") ON DELETE SET NULL,
    "date" INTEGER NOT NULL,
    "milk_yield" REAL,
    "yields_morning" REAL,
    "yields_noon" REAL,
    "yields_evening" REAL,
    "test_code" TEXT,
    "lactation_number" INTEGER,
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
CREATE INDEX "milk_tests_animal_date_idx" ON "milk_tests" ("animal", "date");
CREATE INDEX "milk_tests_owner_org_date_idx" ON "milk_tests" ("owner_org", "date");
CREATE INDEX "milk_tests_date_idx" ON "milk_tests" ("date");
CREATE INDEX "milk_tests_laboratory_idx" ON "milk_tests" ("laboratory");
CREATE INDEX "milk_tests_verification_idx" ON "milk_tests" ("verification");
CREATE INDEX "milk_tests_updated_at_idx" ON "milk_tests" ("updated_at");
CREATE INDEX "milk_tests_created_at_idx" ON "milk_tests" ("created_at");

CREATE TABLE "weighings" (
    "id" INTEGER PRIMARY KEY,
    "animal" INTEGER NOT NULL REFERENCES "animals" ("id") ON DELETE CASCADE,
    "owner_org" INTEGER REFERENCES "organizations" ("id") ON DELETE SET NULL,
    "date" INTEGER NOT NULL,
    "weight" REAL NOT NULL,
    "sign" TEXT,
    "lactation_number" INTEGER,
    "method" TEXT,
    "hip_height" REAL,
    "chest_girth" REAL,
    "bcs" REAL,
    "age_days" INTEGER,
    "daily_gain" REAL,
    "note" TEXT,
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
CREATE INDEX "weighings_date_idx" ON "weighings" ("date");
CREATE INDEX "weighings_verification_idx" ON "weighings" ("verification");
CREATE INDEX "weighings_updated_at_idx" ON "weighings" ("updated_at");
CREATE INDEX "weighings_created_at_idx" ON "weighings" ("created_at");

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
    "notify_news" INTEGER,
    "notify_seen_at" INTEGER,
    "verifier" TEXT,
    "sessions" TEXT,
    "failures" INTEGER,
    "locked_until" INTEGER,
    "seq" INTEGER NOT NULL,
    "updated_at" INTEGER NOT NULL,
    "created_at" INTEGER NOT NULL
);
CREATE UNIQUE INDEX "users_email_key" ON "users" ("email");
CREATE INDEX "users_organization_idx" ON "users" ("organization");
CREATE INDEX "users_org_role_idx" ON "users" ("org_role");
CREATE INDEX "users_blocked_at_idx" ON "users" ("blocked_at");
CREATE INDEX "users_blocked_by_idx" ON "users" ("blocked_by");
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
    "phone" TEXT,
    "email" TEXT,
    "address" TEXT,
    "membership" TEXT,
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
CREATE INDEX "organizations_referenced_by_idx" ON "organizations" ("referenced_by");
CREATE INDEX "organizations_merged_into_idx" ON "organizations" ("merged_into");
CREATE INDEX "organizations_membership_idx" ON "organizations" ("membership");
CREATE INDEX "organizations_membership_review_decided_by_idx" ON "organizations" ("membership_review_decided_by");
CREATE INDEX "organizations_updated_at_idx" ON "organizations" ("updated_at");
CREATE INDEX "organizations_created_at_idx" ON "organizations" ("created_at");

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
    "note" TEXT,
    "last_seen_at" INTEGER,
    "seq" INTEGER NOT NULL,
    "updated_at" INTEGER NOT NULL,
    "created_at" INTEGER NOT NULL
);
CREATE INDEX "access_grants_grantee_revoked_at_idx" ON "access_grants" ("grantee", "revoked_at");
CREATE INDEX "access_grants_owner_revoked_at_idx" ON "access_grants" ("owner", "revoked_at");
CREATE INDEX "access_grants_grantee_animal_idx" ON "access_grants" ("grantee", "animal");
CREATE INDEX "access_grants_animal_idx" ON "access_grants" ("animal");
CREATE INDEX "access_grants_issued_by_idx" ON "access_grants" ("issued_by");
CREATE INDEX "access_grants_revoked_at_idx" ON "access_grants" ("revoked_at");
CREATE INDEX "access_grants_revoked_by_idx" ON "access_grants" ("revoked_by");
CREATE INDEX "access_grants_updated_at_idx" ON "access_grants" ("updated_at");
CREATE INDEX "access_grants_created_at_idx" ON "access_grants" ("created_at");

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
CREATE INDEX "animal_removals_owner_idx" ON "animal_removals" ("owner");
CREATE INDEX "animal_removals_removed_at_idx" ON "animal_removals" ("removed_at");
CREATE INDEX "animal_removals_archived_by_idx" ON "animal_removals" ("archived_by");
CREATE INDEX "animal_removals_updated_at_idx" ON "animal_removals" ("updated_at");
CREATE INDEX "animal_removals_created_at_idx" ON "animal_removals" ("created_at");

CREATE TABLE "breeds" (
    "id" INTEGER PRIMARY KEY,
    "code" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "sort_order" INTEGER,
    "description" TEXT,
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
    "sort_order" INTEGER,
    "description" TEXT,
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
CREATE INDEX "lines_parent_line_idx" ON "lines" ("parent_line");
CREATE INDEX "lines_founder_idx" ON "lines" ("founder");
CREATE INDEX "lines_updated_at_idx" ON "lines" ("updated_at");
CREATE INDEX "lines_created_at_idx" ON "lines" ("created_at");

CREATE TABLE "breeding_categories" (
    "id" INTEGER PRIMARY KEY,
    "code" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "sort_order" INTEGER,
    "description" TEXT,
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
    "sort_order" INTEGER,
    "description" TEXT,
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
    "sort_order" INTEGER,
    "description" TEXT,
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
    "sort_order" INTEGER,
    "description" TEXT,
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
    "sort_order" INTEGER,
    "description" TEXT,
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
    "sort_order" INTEGER,
    "description" TEXT,
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
    "sort_order" INTEGER,
    "description" TEXT,
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
    "sort_order" INTEGER,
    "description" TEXT,
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
    "sort_order" INTEGER,
    "description" TEXT,
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
    "sort_order" INTEGER,
    "description" TEXT,
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
    "sort_order" INTEGER,
    "description" TEXT,
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
    "sort_order" INTEGER,
    "description" TEXT,
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
CREATE INDEX "technicians_organization_idx" ON "technicians" ("organization");
CREATE INDEX "technicians_updated_at_idx" ON "technicians" ("updated_at");
CREATE INDEX "technicians_created_at_idx" ON "technicians" ("created_at");

CREATE TABLE "breed_types" (
    "id" INTEGER PRIMARY KEY,
    "code" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "sort_order" INTEGER,
    "description" TEXT,
    "fgias_uuid" TEXT,
    "is_active" INTEGER,
    "breed" INTEGER REFERENCES "breeds" ("id") ON DELETE SET NULL,
    "seq" INTEGER NOT NULL,
    "updated_at" INTEGER NOT NULL,
    "created_at" INTEGER NOT NULL
);
CREATE UNIQUE INDEX "breed_types_code_key" ON "breed_types" ("code");
CREATE INDEX "breed_types_fgias_uuid_idx" ON "breed_types" ("fgias_uuid");
CREATE INDEX "breed_types_breed_idx" ON "breed_types" ("breed");
CREATE INDEX "breed_types_updated_at_idx" ON "breed_types" ("updated_at");
CREATE INDEX "breed_types_created_at_idx" ON "breed_types" ("created_at");

CREATE TABLE "countries" (
    "id" INTEGER PRIMARY KEY,
    "code" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "sort_order" INTEGER,
    "description" TEXT,
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
    "sort_order" INTEGER,
    "description" TEXT,
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
CREATE INDEX "regions_country_idx" ON "regions" ("country");
CREATE INDEX "regions_updated_at_idx" ON "regions" ("updated_at");
CREATE INDEX "regions_created_at_idx" ON "regions" ("created_at");

CREATE TABLE "districts" (
    "id" INTEGER PRIMARY KEY,
    "code" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "sort_order" INTEGER,
    "description" TEXT,
    "fgias_uuid" TEXT,
    "is_active" INTEGER,
    "region" INTEGER REFERENCES "regions" ("id") ON DELETE SET NULL,
    "seq" INTEGER NOT NULL,
    "updated_at" INTEGER NOT NULL,
    "created_at" INTEGER NOT NULL
);
CREATE UNIQUE INDEX "districts_code_key" ON "districts" ("code");
CREATE INDEX "districts_fgias_uuid_idx" ON "districts" ("fgias_uuid");
CREATE INDEX "districts_region_idx" ON "districts" ("region");
CREATE INDEX "districts_updated_at_idx" ON "districts" ("updated_at");
CREATE INDEX "districts_created_at_idx" ON "districts" ("created_at");

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
CREATE INDEX "ade_tombstones_location_idx" ON "ade_tombstones" ("location");
CREATE INDEX "ade_tombstones_deleted_at_idx" ON "ade_tombstones" ("deleted_at");
CREATE INDEX "ade_tombstones_updated_at_idx" ON "ade_tombstones" ("updated_at");
CREATE INDEX "ade_tombstones_created_at_idx" ON "ade_tombstones" ("created_at");
