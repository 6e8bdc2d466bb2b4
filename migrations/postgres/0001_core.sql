-- All tables of the book, printed from the registry by `herdbook schema --dialect postgres`.

CREATE TABLE "book_sequence" (
    "id" bigint PRIMARY KEY,
    "seq" bigint NOT NULL,
    "modified" bigint NOT NULL
);

INSERT INTO "book_sequence" ("id", "seq", "modified") VALUES (1, 0, 0);

CREATE TABLE "book_ids" (
    "name" text PRIMARY KEY,
    "next" bigint NOT NULL
);

CREATE TABLE "book_settings" (
    "name" text PRIMARY KEY,
    "value" text NOT NULL
);

CREATE TABLE "exchange_documents" (
    "id" bigint PRIMARY KEY,
    "seq" bigint NOT NULL,
    "dataset" text NOT NULL,
    "resource_type" text NOT NULL,
    "source" text NOT NULL,
    "source_id" text NOT NULL,
    "location" bigint NOT NULL,
    "modified" bigint NOT NULL,
    "created" bigint NOT NULL,
    "event_at" bigint,
    "animal" bigint,
    "record" bigint NOT NULL,
    "deleted" boolean NOT NULL,
    "reason" text,
    "body" text NOT NULL
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
    "id" bigint PRIMARY KEY,
    "dataset" text NOT NULL,
    "relation" text NOT NULL,
    "target" bigint NOT NULL,
    "after" bigint NOT NULL,
    "queued_at" timestamptz NOT NULL
);

CREATE TABLE "exchange_counts" (
    "location" bigint NOT NULL,
    "dataset" text NOT NULL,
    "live" bigint NOT NULL,
    PRIMARY KEY ("location", "dataset")
);

CREATE TABLE "exchange_state" (
    "name" text PRIMARY KEY,
    "value" text NOT NULL
);

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
    "age_group_date" timestamptz,
    "owner" bigint NOT NULL,
    "herd" bigint,
    "public_visible" boolean,
    "public_details" boolean,
    "for_sale" boolean,
    "archived" boolean,
    "category" bigint,
    "semen_stock_code" text,
    "semen_stock_available" boolean,
    "semen_stock_updated_at" timestamptz,
    "semen_stock_owner" bigint,
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
    "current_last_calving_date" timestamptz,
    "current_last_insemination_date" timestamptz,
    "current_last_dry_off_date" timestamptz,
    "current_expected_calving_date" timestamptz,
    "current_lactation_status" text,
    "current_reproduction_status" text,
    "current_health_status" text,
    "lactations" json,
    "summary_milk_yield" double precision,
    "summary_fat_percent" double precision,
    "summary_protein_percent" double precision,
    "summary_fat_kg" double precision,
    "summary_protein_kg" double precision,
    "summary_fat_protein_sum" double precision,
    "reported_lactations" json,
    "archived_at" timestamptz,
    "archived_by" bigint,
    "last_edit_user" bigint,
    "last_edit_time" timestamptz,
    "entry_owner" bigint,
    "entry_herd" bigint,
    "entry_arrival_date" timestamptz,
    "entry_previous_organization" bigint,
    "seq" bigint NOT NULL,
    "updated_at" timestamptz NOT NULL,
    "created_at" timestamptz NOT NULL
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
    "confirmed_by" bigint,
    "outside" boolean,
    "recorded_by" bigint,
    "ade_source" text,
    "ade_source_id" text,
    "ade_extra" json,
    "seq" bigint NOT NULL,
    "updated_at" timestamptz NOT NULL,
    "created_at" timestamptz NOT NULL
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
    "id" bigint PRIMARY KEY,
    "animal" bigint NOT NULL,
    "owner_org" bigint,
    "number" bigint NOT NULL,
    "date" timestamptz NOT NULL,
    "event_type" text,
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
    "verification" text,
    "check_status" text,
    "ade_source" text,
    "ade_source_id" text,
    "ade_extra" json,
    "seq" bigint NOT NULL,
    "updated_at" timestamptz NOT NULL,
    "created_at" timestamptz NOT NULL
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
    "lactation_number" bigint,
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
    "expected_calving" timestamptz,
    "days_open" bigint,
    "source" text,
    "comment" text,
    "check_ade_source" text,
    "check_ade_source_id" text,
    "check_ade_extra" json,
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
    "id" bigint PRIMARY KEY,
    "animal" bigint NOT NULL,
    "owner_org" bigint,
    "date" timestamptz NOT NULL,
    "milk_yield" double precision,
    "yields_morning" double precision,
    "yields_noon" double precision,
    "yields_evening" double precision,
    "test_code" text,
    "lactation_number" bigint,
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
CREATE INDEX "milk_tests_animal_date_idx" ON "milk_tests" ("animal", "date");
CREATE INDEX "milk_tests_owner_org_date_idx" ON "milk_tests" ("owner_org", "date");
CREATE INDEX "milk_tests_date_idx" ON "milk_tests" ("date");
CREATE INDEX "milk_tests_laboratory_idx" ON "milk_tests" ("laboratory");
CREATE INDEX "milk_tests_verification_idx" ON "milk_tests" ("verification");
CREATE INDEX "milk_tests_updated_at_idx" ON "milk_tests" ("updated_at");
CREATE INDEX "milk_tests_created_at_idx" ON "milk_tests" ("created_at");

CREATE TABLE "weighings" (
    "id" bigint PRIMARY KEY,
    "animal" bigint NOT NULL,
    "owner_org" bigint,
    "date" timestamptz NOT NULL,
    "weight" double precision NOT NULL,
    "sign" text,
    "lactation_number" bigint,
    "method" text,
    "hip_height" double precision,
    "chest_girth" double precision,
    "bcs" double precision,
    "age_days" bigint,
    "daily_gain" double precision,
    "note" text,
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
CREATE INDEX "weighings_date_idx" ON "weighings" ("date");
CREATE INDEX "weighings_verification_idx" ON "weighings" ("verification");
CREATE INDEX "weighings_updated_at_idx" ON "weighings" ("updated_at");
CREATE INDEX "weighings_created_at_idx" ON "weighings" ("created_at");

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
    "notify_news" boolean,
    "notify_seen_at" timestamptz,
    "verifier" text,
    "sessions" json,
    "failures" bigint,
    "locked_until" timestamptz,
    "seq" bigint NOT NULL,
    "updated_at" timestamptz NOT NULL,
    "created_at" timestamptz NOT NULL
);
CREATE UNIQUE INDEX "users_email_key" ON "users" ("email");
CREATE INDEX "users_organization_idx" ON "users" ("organization");
CREATE INDEX "users_org_role_idx" ON "users" ("org_role");
CREATE INDEX "users_blocked_at_idx" ON "users" ("blocked_at");
CREATE INDEX "users_blocked_by_idx" ON "users" ("blocked_by");
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
    "phone" text,
    "email" text,
    "address" text,
    "membership" text,
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
CREATE INDEX "organizations_referenced_by_idx" ON "organizations" ("referenced_by");
CREATE INDEX "organizations_merged_into_idx" ON "organizations" ("merged_into");
CREATE INDEX "organizations_membership_idx" ON "organizations" ("membership");
CREATE INDEX "organizations_membership_review_decided_by_idx" ON "organizations" ("membership_review_decided_by");
CREATE INDEX "organizations_updated_at_idx" ON "organizations" ("updated_at");
CREATE INDEX "organizations_created_at_idx" ON "organizations" ("created_at");

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
    "note" text,
    "last_seen_at" timestamptz,
    "seq" bigint NOT NULL,
    "updated_at" timestamptz NOT NULL,
    "created_at" timestamptz NOT NULL
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
CREATE INDEX "animal_removals_owner_idx" ON "animal_removals" ("owner");
CREATE INDEX "animal_removals_removed_at_idx" ON "animal_removals" ("removed_at");
CREATE INDEX "animal_removals_archived_by_idx" ON "animal_removals" ("archived_by");
CREATE INDEX "animal_removals_updated_at_idx" ON "animal_removals" ("updated_at");
CREATE INDEX "animal_removals_created_at_idx" ON "animal_removals" ("created_at");

CREATE TABLE "breeds" (
    "id" bigint PRIMARY KEY,
    "code" text NOT NULL,
    "name" text NOT NULL,
    "sort_order" bigint,
    "description" text,
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
    "sort_order" bigint,
    "description" text,
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
CREATE INDEX "lines_parent_line_idx" ON "lines" ("parent_line");
CREATE INDEX "lines_founder_idx" ON "lines" ("founder");
CREATE INDEX "lines_updated_at_idx" ON "lines" ("updated_at");
CREATE INDEX "lines_created_at_idx" ON "lines" ("created_at");

CREATE TABLE "breeding_categories" (
    "id" bigint PRIMARY KEY,
    "code" text NOT NULL,
    "name" text NOT NULL,
    "sort_order" bigint,
    "description" text,
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
    "sort_order" bigint,
    "description" text,
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
    "sort_order" bigint,
    "description" text,
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
    "sort_order" bigint,
    "description" text,
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
    "sort_order" bigint,
    "description" text,
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
    "sort_order" bigint,
    "description" text,
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
    "sort_order" bigint,
    "description" text,
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
    "sort_order" bigint,
    "description" text,
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
    "sort_order" bigint,
    "description" text,
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
    "sort_order" bigint,
    "description" text,
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
    "sort_order" bigint,
    "description" text,
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
    "sort_order" bigint,
    "description" text,
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
CREATE INDEX "technicians_organization_idx" ON "technicians" ("organization");
CREATE INDEX "technicians_updated_at_idx" ON "technicians" ("updated_at");
CREATE INDEX "technicians_created_at_idx" ON "technicians" ("created_at");

CREATE TABLE "breed_types" (
    "id" bigint PRIMARY KEY,
    "code" text NOT NULL,
    "name" text NOT NULL,
    "sort_order" bigint,
    "description" text,
    "fgias_uuid" text,
    "is_active" boolean,
    "breed" bigint,
    "seq" bigint NOT NULL,
    "updated_at" timestamptz NOT NULL,
    "created_at" timestamptz NOT NULL
);
CREATE UNIQUE INDEX "breed_types_code_key" ON "breed_types" ("code");
CREATE INDEX "breed_types_fgias_uuid_idx" ON "breed_types" ("fgias_uuid");
CREATE INDEX "breed_types_breed_idx" ON "breed_types" ("breed");
CREATE INDEX "breed_types_updated_at_idx" ON "breed_types" ("updated_at");
CREATE INDEX "breed_types_created_at_idx" ON "breed_types" ("created_at");

CREATE TABLE "countries" (
    "id" bigint PRIMARY KEY,
    "code" text NOT NULL,
    "name" text NOT NULL,
    "sort_order" bigint,
    "description" text,
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
    "sort_order" bigint,
    "description" text,
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
CREATE INDEX "regions_country_idx" ON "regions" ("country");
CREATE INDEX "regions_updated_at_idx" ON "regions" ("updated_at");
CREATE INDEX "regions_created_at_idx" ON "regions" ("created_at");

CREATE TABLE "districts" (
    "id" bigint PRIMARY KEY,
    "code" text NOT NULL,
    "name" text NOT NULL,
    "sort_order" bigint,
    "description" text,
    "fgias_uuid" text,
    "is_active" boolean,
    "region" bigint,
    "seq" bigint NOT NULL,
    "updated_at" timestamptz NOT NULL,
    "created_at" timestamptz NOT NULL
);
CREATE UNIQUE INDEX "districts_code_key" ON "districts" ("code");
CREATE INDEX "districts_fgias_uuid_idx" ON "districts" ("fgias_uuid");
CREATE INDEX "districts_region_idx" ON "districts" ("region");
CREATE INDEX "districts_updated_at_idx" ON "districts" ("updated_at");
CREATE INDEX "districts_created_at_idx" ON "districts" ("created_at");

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
CREATE INDEX "ade_tombstones_location_idx" ON "ade_tombstones" ("location");
CREATE INDEX "ade_tombstones_deleted_at_idx" ON "ade_tombstones" ("deleted_at");
CREATE INDEX "ade_tombstones_updated_at_idx" ON "ade_tombstones" ("updated_at");
CREATE INDEX "ade_tombstones_created_at_idx" ON "ade_tombstones" ("created_at");

ALTER TABLE "animals"
    ADD CONSTRAINT "animals_breed_fkey" FOREIGN KEY ("breed") REFERENCES "breeds" ("id") ON DELETE SET NULL DEFERRABLE,
    ADD CONSTRAINT "animals_owner_fkey" FOREIGN KEY ("owner") REFERENCES "organizations" ("id") ON DELETE NO ACTION DEFERRABLE,
    ADD CONSTRAINT "animals_herd_fkey" FOREIGN KEY ("herd") REFERENCES "herds" ("id") ON DELETE SET NULL DEFERRABLE,
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
    ADD CONSTRAINT "animals_entry_owner_fkey" FOREIGN KEY ("entry_owner") REFERENCES "organizations" ("id") ON DELETE SET NULL DEFERRABLE,
    ADD CONSTRAINT "animals_entry_herd_fkey" FOREIGN KEY ("entry_herd") REFERENCES "herds" ("id") ON DELETE SET NULL DEFERRABLE,
    ADD CONSTRAINT "animals_entry_previous_organization_fkey" FOREIGN KEY ("entry_previous_organization") REFERENCES "organizations" ("id") ON DELETE SET NULL DEFERRABLE;

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

ALTER TABLE "calvings"
    ADD CONSTRAINT "calvings_animal_fkey" FOREIGN KEY ("animal") REFERENCES "animals" ("id") ON DELETE CASCADE DEFERRABLE,
    ADD CONSTRAINT "calvings_owner_org_fkey" FOREIGN KEY ("owner_org") REFERENCES "organizations" ("id") ON DELETE SET NULL DEFERRABLE,
    ADD CONSTRAINT "calvings_insemination_fkey" FOREIGN KEY ("insemination") REFERENCES "inseminations" ("id") ON DELETE SET NULL DEFERRABLE;

ALTER TABLE "calvings__calves"
    ADD CONSTRAINT "calvings__calves_owner_fkey" FOREIGN KEY ("owner") REFERENCES "calvings" ("id") ON DELETE CASCADE DEFERRABLE,
    ADD CONSTRAINT "calvings__calves_target_fkey" FOREIGN KEY ("target") REFERENCES "animals" ("id") ON DELETE CASCADE DEFERRABLE;

ALTER TABLE "inseminations"
    ADD CONSTRAINT "inseminations_animal_fkey" FOREIGN KEY ("animal") REFERENCES "animals" ("id") ON DELETE CASCADE DEFERRABLE,
    ADD CONSTRAINT "inseminations_owner_org_fkey" FOREIGN KEY ("owner_org") REFERENCES "organizations" ("id") ON DELETE SET NULL DEFERRABLE,
    ADD CONSTRAINT "inseminations_bull_fkey" FOREIGN KEY ("bull") REFERENCES "animals" ("id") ON DELETE SET NULL DEFERRABLE,
    ADD CONSTRAINT "inseminations_semen_type_fkey" FOREIGN KEY ("semen_type") REFERENCES "semen_types" ("id") ON DELETE SET NULL DEFERRABLE,
    ADD CONSTRAINT "inseminations_method_fkey" FOREIGN KEY ("method") REFERENCES "reproduction_methods" ("id") ON DELETE SET NULL DEFERRABLE,
    ADD CONSTRAINT "inseminations_technician_fkey" FOREIGN KEY ("technician") REFERENCES "technicians" ("id") ON DELETE SET NULL DEFERRABLE,
    ADD CONSTRAINT "inseminations_embryo_donor_fkey" FOREIGN KEY ("embryo_donor") REFERENCES "animals" ("id") ON DELETE SET NULL DEFERRABLE,
    ADD CONSTRAINT "inseminations_embryo_sire_fkey" FOREIGN KEY ("embryo_sire") REFERENCES "animals" ("id") ON DELETE SET NULL DEFERRABLE,
    ADD CONSTRAINT "inseminations_result_fkey" FOREIGN KEY ("result") REFERENCES "insemination_results" ("id") ON DELETE SET NULL DEFERRABLE;

ALTER TABLE "milk_tests"
    ADD CONSTRAINT "milk_tests_animal_fkey" FOREIGN KEY ("animal") REFERENCES "animals" ("id") ON DELETE CASCADE DEFERRABLE,
    ADD CONSTRAINT "milk_tests_owner_org_fkey" FOREIGN KEY ("owner_org") REFERENCES "organizations" ("id") ON DELETE SET NULL DEFERRABLE,
    ADD CONSTRAINT "milk_tests_laboratory_fkey" FOREIGN KEY ("laboratory") REFERENCES "organizations" ("id") ON DELETE SET NULL DEFERRABLE;

ALTER TABLE "weighings"
    ADD CONSTRAINT "weighings_animal_fkey" FOREIGN KEY ("animal") REFERENCES "animals" ("id") ON DELETE CASCADE DEFERRABLE,
    ADD CONSTRAINT "weighings_owner_org_fkey" FOREIGN KEY ("owner_org") REFERENCES "organizations" ("id") ON DELETE SET NULL DEFERRABLE;

ALTER TABLE "users"
    ADD CONSTRAINT "users_organization_fkey" FOREIGN KEY ("organization") REFERENCES "organizations" ("id") ON DELETE SET NULL DEFERRABLE,
    ADD CONSTRAINT "users_blocked_by_fkey" FOREIGN KEY ("blocked_by") REFERENCES "users" ("id") ON DELETE SET NULL DEFERRABLE;

ALTER TABLE "organizations"
    ADD CONSTRAINT "organizations_referenced_by_fkey" FOREIGN KEY ("referenced_by") REFERENCES "organizations" ("id") ON DELETE SET NULL DEFERRABLE,
    ADD CONSTRAINT "organizations_merged_into_fkey" FOREIGN KEY ("merged_into") REFERENCES "organizations" ("id") ON DELETE SET NULL DEFERRABLE,
    ADD CONSTRAINT "organizations_membership_review_decided_by_fkey" FOREIGN KEY ("membership_review_decided_by") REFERENCES "users" ("id") ON DELETE SET NULL DEFERRABLE;

ALTER TABLE "access_grants"
    ADD CONSTRAINT "access_grants_owner_fkey" FOREIGN KEY ("owner") REFERENCES "organizations" ("id") ON DELETE SET NULL DEFERRABLE,
    ADD CONSTRAINT "access_grants_grantee_fkey" FOREIGN KEY ("grantee") REFERENCES "organizations" ("id") ON DELETE NO ACTION DEFERRABLE,
    ADD CONSTRAINT "access_grants_animal_fkey" FOREIGN KEY ("animal") REFERENCES "animals" ("id") ON DELETE CASCADE DEFERRABLE,
    ADD CONSTRAINT "access_grants_issued_by_fkey" FOREIGN KEY ("issued_by") REFERENCES "users" ("id") ON DELETE SET NULL DEFERRABLE,
    ADD CONSTRAINT "access_grants_revoked_by_fkey" FOREIGN KEY ("revoked_by") REFERENCES "users" ("id") ON DELETE SET NULL DEFERRABLE;

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

ALTER TABLE "ade_tombstones"
    ADD CONSTRAINT "ade_tombstones_location_fkey" FOREIGN KEY ("location") REFERENCES "organizations" ("id") ON DELETE SET NULL DEFERRABLE;
