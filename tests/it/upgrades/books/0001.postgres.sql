-- A small book as the migrations up to 0001 left it.

CREATE TABLE _sqlx_migrations (version BIGINT PRIMARY KEY, description TEXT NOT NULL, installed_on TIMESTAMPTZ NOT NULL DEFAULT now(), success BOOLEAN NOT NULL, checksum BYTEA NOT NULL, execution_time BIGINT NOT NULL);
BEGIN;
SET CONSTRAINTS ALL DEFERRED;
INSERT INTO "_sqlx_migrations" ("version", "description", "success", "checksum", "execution_time") VALUES
  ('1', 'core', 'true', E'\\x22e2066ce282a0df31f5ee7c106844476c200b4f49044ade05ad42281869c478a94aa74d4ff0eba82f2b05a0017ef8f5', '284583356');

INSERT INTO "animal_revisions" ("id", "owner_org", "collection", "record_id", "animal", "at", "user", "path", "label", "after", "source", "class", "seq", "updated_at", "created_at") VALUES
  ('1', '1', 'animals', '1', '1', '2026-03-01 12:00:00+00', '1', 'name', 'Name', E'Meadow''s "best" \\ 1', 'manual', 'r', '33', '2026-03-01 12:00:00+00', '2026-03-01 12:00:00+00');

INSERT INTO "animals" ("id", "uuid", "ident_number", "id_format", "name", "name_latin", "sex", "sex_status", "birth_date", "age_group", "age_group_computed", "age_group_date", "owner", "public_visible", "public_details", "for_sale", "archived", "registration_basis", "genetics_cvm", "genetics_blad", "genetics_dumps", "trust_level", "registration_status", "state", "pedigree_depth", "parent_status_father", "parent_status_mother", "current_parity", "current_days_in_milk", "current_last_calving_date", "current_lactation_status", "current_reproduction_status", "current_services", "current_last_test_date", "lactations", "summary_milk_rank", "test_sums", "ipc_rank", "last_edit_user", "last_edit_time", "check_status", "disputed", "seq", "updated_at", "created_at") VALUES
  ('1', '3358de2d-d5af-45b0-bd68-cd4b2f44ad11', '643000000000001', 'rf', E'Meadow''s "best" \\ 1', E'Meadow''s "best" \\ 1', 'female', 'none', '2020-01-01 00:00:00+00', 'firstCalf', 'true', '2025-11-03 00:00:00+00', '1', 'false', 'false', 'false', 'false', 'origin', 'unknown', 'unknown', 'unknown', '0', 'none', 'alive', '0', 'unknown', 'unknown', '1', '118', '2025-11-03 00:00:00+00', 'lactating', 'birthed', '0', '2025-12-01 00:00:00+00', '[{"id":"1","number":1,"calvingDate":"2025-11-03T00:00:00.000Z","inseminationDate":null,"serviceBull":null,"dd":88,"milkYield":1318.8,"milk305":null,"fatKg":null,"proteinKg":null,"fat305":null,"protein305":null,"scc":null,"scs":null,"official":false,"ecm305":null,"fcm305":null,"peakMilk":31.4,"peakDay":28,"persistency":null,"projected305":null,"projectedFrom":null,"daysOpen":null,"services":null,"calvingInterval":null,"dryOffDate":null,"endDate":"2026-01-30T00:00:00.000Z","lastTestDay":"2025-12-01T00:00:00.000Z","yieldMethod":"testInterval","origin":"computed"}]', '-1000000', '7 100 = 1762128000000 - - 1 0 0 0 879.1999999999999 = 0 0 0 1764547200000 28 31.4 - - 28 31.4 1 3.332204510175204 0.28 3.4468078929142076 11.10358689763197 0.07840000000000001 0.9330172628490572 11.485468806476213 0.9651062100159782 - - - 0 = 879.1999999999999 = 24617.6 = - - - 0 = 879.1999999999999 = 24617.6 =', '-1000000', '1', '2026-03-01 12:00:00+00', 'note', '0', '32', '2026-03-01 12:00:00+00', '2026-03-01 12:00:00+00');
INSERT INTO "animals" ("id", "uuid", "ident_number", "id_format", "sex", "sex_status", "birth_date", "age_group", "age_group_computed", "age_group_date", "owner", "public_visible", "public_details", "for_sale", "archived", "registration_basis", "genetics_cvm", "genetics_blad", "genetics_dumps", "trust_level", "registration_status", "state", "pedigree_depth", "parent_status_father", "parent_status_mother", "summary_milk_rank", "ipc_rank", "disputed", "seq", "updated_at", "created_at") VALUES
  ('2', '42d05265-081c-46b3-8650-903a5c95e521', '643000000000002', 'rf', 'female', 'none', '2020-01-01 00:00:00+00', 'heifer', 'true', '2020-12-31 00:00:00+00', '1', 'false', 'false', 'false', 'false', 'origin', 'unknown', 'unknown', 'unknown', '0', 'none', 'alive', '0', 'unknown', 'unknown', '-1000000', '-1000000', '0', '8', '2026-03-01 12:00:00+00', '2026-03-01 12:00:00+00');
INSERT INTO "animals" ("id", "uuid", "ident_number", "id_format", "sex", "sex_status", "birth_date", "age_group", "age_group_computed", "age_group_date", "owner", "public_visible", "public_details", "for_sale", "archived", "registration_basis", "genetics_cvm", "genetics_blad", "genetics_dumps", "trust_level", "registration_status", "state", "pedigree_depth", "parent_status_father", "parent_status_mother", "summary_milk_rank", "ipc_rank", "disputed", "seq", "updated_at", "created_at") VALUES
  ('3', '5158702b-8c34-4884-9b7a-2340f0bd9f69', '643000000000003', 'rf', 'female', 'none', '2020-01-01 00:00:00+00', 'heifer', 'true', '2020-12-31 00:00:00+00', '2', 'false', 'false', 'false', 'false', 'origin', 'unknown', 'unknown', 'unknown', '0', 'none', 'alive', '0', 'unknown', 'unknown', '-1000000', '-1000000', '0', '10', '2026-03-01 12:00:00+00', '2026-03-01 12:00:00+00');

INSERT INTO "book_ids" ("name", "next") VALUES
  ('animal_revisions', '2');
INSERT INTO "book_ids" ("name", "next") VALUES
  ('animals', '4');
INSERT INTO "book_ids" ("name", "next") VALUES
  ('calvings', '2');
INSERT INTO "book_ids" ("name", "next") VALUES
  ('check_findings', '2');
INSERT INTO "book_ids" ("name", "next") VALUES
  ('milk_tests', '2');
INSERT INTO "book_ids" ("name", "next") VALUES
  ('operations', '5');
INSERT INTO "book_ids" ("name", "next") VALUES
  ('organizations', '3');
INSERT INTO "book_ids" ("name", "next") VALUES
  ('users', '4');
INSERT INTO "book_ids" ("name", "next") VALUES
  ('weighings', '2');

DELETE FROM "book_sequence";
INSERT INTO "book_sequence" ("id", "seq", "modified", "commits", "touched") VALUES
  ('1', '34', '1772366400000', '17', '{"animal_revisions":17,"animals":17,"book_ids":17,"book_settings":1,"calvings":14,"check_findings":14,"exchange_batch_parts":16,"exchange_batches":16,"exchange_intakes":16,"exchange_names":16,"exchange_sent":16,"exchange_state":2,"milk_tests":15,"operations":16,"organizations":4,"sign_in_delays":13,"users":13,"weighings":16}');

INSERT INTO "book_settings" ("name", "value") VALUES
  ('files', '58e89445287c43c9b9447b97c8411de0');

INSERT INTO "calvings" ("id", "animal", "owner_org", "animal_owner", "animal_visible", "animal_details", "number", "number_computed", "date", "event_type", "verification", "check_status", "seq", "updated_at", "created_at") VALUES
  ('1', '1', '1', '1', 'false', 'false', '1', 'true', '2025-11-03 00:00:00+00', 'calving', 'unverified', 'note', '18', '2026-03-01 12:00:00+00', '2026-03-01 12:00:00+00');

INSERT INTO "check_findings" ("id", "code", "severity", "state", "collection", "record_id", "path", "animal", "organization", "message_en", "message_ru", "first_seen_at", "last_seen_at", "source", "seq", "updated_at", "created_at") VALUES
  ('1', 'afc-too-old', 'note', 'open', 'calvings', '1', 'date', '1', '1', 'First calving at 70.06 months; expected are at most 48.', 'Первый отёл в возрасте 70,06 мес.; ожидается не более 48.', '2026-03-01 12:00:00+00', '2026-03-01 12:00:00+00', '1', '20', '2026-03-01 12:00:00+00', '2026-03-01 12:00:00+00');

INSERT INTO "exchange_batch_parts" ("batch", "part", "items", "results") VALUES
  ('c839898f-b422-4e67-a9a8-e4bc858f9489', '0', '1', E'\\x28b52ffd2101b78d020073c2089009b4a3644b30282a1a951215dcc84388a5d3c11061488422442c67601406c512a4f30ffcdb58c5a979a2f1ec2230cd7ef8406a2d8989942dd5b890754a2600f5557413f77801b47f5bd87d26ae');

INSERT INTO "exchange_batches" ("id", "location", "dataset", "sender", "organization", "strict", "stage", "items", "done", "rejected", "created_at", "ended_at") VALUES
  ('c839898f-b422-4e67-a9a8-e4bc858f9489', '1', 'weights', '1', '1', 'false', 'done', '1', '1', '0', '1772366400000', '1772366400000');

INSERT INTO "exchange_counts" ("location", "dataset", "live") VALUES
  ('1', 'animals', '2');
INSERT INTO "exchange_counts" ("location", "dataset", "live") VALUES
  ('1', 'lactations', '1');
INSERT INTO "exchange_counts" ("location", "dataset", "live") VALUES
  ('1', 'locations', '1');
INSERT INTO "exchange_counts" ("location", "dataset", "live") VALUES
  ('1', 'parturitions', '1');
INSERT INTO "exchange_counts" ("location", "dataset", "live") VALUES
  ('1', 'test-day-results', '1');
INSERT INTO "exchange_counts" ("location", "dataset", "live") VALUES
  ('1', 'test-days', '1');
INSERT INTO "exchange_counts" ("location", "dataset", "live") VALUES
  ('1', 'weights', '1');
INSERT INTO "exchange_counts" ("location", "dataset", "live") VALUES
  ('2', 'animals', '1');
INSERT INTO "exchange_counts" ("location", "dataset", "live") VALUES
  ('2', 'locations', '1');

INSERT INTO "exchange_documents" ("id", "seq", "dataset", "collection", "resource_type", "source", "source_id", "location", "modified", "created", "record", "deleted", "body") VALUES
  ('3', '3', '1', '2', '3', '4', 'locations:1', '1', '1772366400000', '1772366400000', '1', 'false', E'\\x28b52ffd61014400b50200a4024c733a32362d303332316e4d6561646f77222c2274696d655a6f6e4575726f70652f4d6f73636f77227d10fc1ed224cb4d3fb92f1be3f95fd0916fcd166e87a0dc591cb0a4406b8cfbfcdf2441d0ca1bb3439abf');
INSERT INTO "exchange_documents" ("id", "seq", "dataset", "collection", "resource_type", "source", "source_id", "location", "modified", "created", "record", "deleted", "body") VALUES
  ('5', '5', '1', '2', '3', '4', 'locations:2', '2', '1772366400000', '1772366400000', '2', 'false', E'\\x28b52ffd6101440095020064024c733a3033326e5365636f6e64222c2274696d655a6f6e4575726f70652f4d6f73636f77227d0ffc1ed224cbed27517ed98833254658b8e9706983f23490eb26053a3aee05791381a31d7fcc0e528703');
INSERT INTO "exchange_documents" ("id", "seq", "dataset", "collection", "resource_type", "source", "source_id", "location", "modified", "created", "animal", "record", "deleted", "body") VALUES
  ('7', '34', '5', '5', '6', '4', 'animals:3358de2d-d5af-45b0-bd68-cd4b2f44ad11', '1', '1772366400000', '1772366400000', '1', '1', 'false', E'\\x28b52ffd6101b301f5030063040ed075f8c0073a4a7ca0d2c19c94f84047a7044448b958303e36cec58ee9c4f017cb5a193c599720c9b1cb49f289ae94b1e8255d1073719a1918fc24d6cd67194321d4821fc8ef118391c69066f4f4c3bb3557e63b0ff2f6eb79ad5f7e767c7883571e497e9c844597d5244144c832e8da2881bfaa0dd0310b14830c');
INSERT INTO "exchange_documents" ("id", "seq", "dataset", "collection", "resource_type", "source", "source_id", "location", "modified", "created", "animal", "record", "deleted", "body") VALUES
  ('9', '9', '5', '5', '6', '4', 'animals:42d05265-081c-46b3-8650-903a5c95e521', '1', '1772366400000', '1772366400000', '2', '2', 'false', E'\\x28b52ffd61012e01cd0200f302079073b1633a3144c5e80ba296f44b56e6529eb09582dc392943f5055715fcd39c123112698c7846873578ef7ee549f290e75f3fd5fb73ae6b9ad7f0ca23c9c5491874f99a1044842c83a28c12f8aada00316681620001');
INSERT INTO "exchange_documents" ("id", "seq", "dataset", "collection", "resource_type", "source", "source_id", "location", "modified", "created", "animal", "record", "deleted", "body") VALUES
  ('11', '11', '5', '5', '6', '4', 'animals:5158702b-8c34-4884-9b7a-2340f0bd9f69', '2', '1772366400000', '1772366400000', '3', '3', 'false', E'\\x28b52ffd61012e01b50200e342079073314c27862cf32e27ce7825264b3b796939b7d2ca202e9da09bd36b13fcd39c123112698c7846873578ef7ee549f290e75f3ff5d083852a5e7d24d9c017e16c3004bf49963339360265559bd6311761820c');
INSERT INTO "exchange_documents" ("id", "seq", "dataset", "collection", "resource_type", "source", "source_id", "location", "modified", "created", "animal", "record", "deleted", "body") VALUES
  ('22', '26', '7', '5', '8', '4', 'lactations:1:1:Normal', '1', '1772366400000', '1772366400000', '1', '1', 'false', E'\\x28b52ffd61011c012d030073020650098a850827650c754f7767ba1353e762c77462b8df6f271dfc2438ae8274363d4023faa2c8dec068e9a57c42b4c6a2b84d8d52cdcbedd5478b70c88e185249c71e0d44cadb8cddba4c39f437fa574943d21d5b2cf829c449f6c15470cc020c7903');
INSERT INTO "exchange_documents" ("id", "seq", "dataset", "collection", "resource_type", "source", "source_id", "location", "modified", "created", "event_at", "animal", "record", "deleted", "body") VALUES
  ('23', '23', '9', '10', '11', '4', 'parturitions:1', '1', '1772366400000', '1772366400000', '1762128000000', '1', '1', 'false', E'\\x28b52ffd61017400850100c3c0019073b1633ab1070ffc665ec6226bb12920bf3f24265bbdd89313d799dc030a12d9c6d31b95bb22758d59cab841');
INSERT INTO "exchange_documents" ("id", "seq", "dataset", "collection", "resource_type", "source", "source_id", "location", "modified", "created", "event_at", "animal", "record", "deleted", "body") VALUES
  ('27', '27', '12', '13', '14', '4', 'test-day-results:1', '1', '1772366400000', '1772366400000', '1764547200000', '1', '1', 'false', E'\\x28b52ffd61019b00c50100c3c0019073b1633a310c12fcef2989b06690021ad5daf49dc3573ccc47bb3830279648dc06d414c194e7ad542e0902973658a5c6b4fdb733');
INSERT INTO "exchange_documents" ("id", "seq", "dataset", "collection", "resource_type", "source", "source_id", "location", "modified", "created", "event_at", "record", "deleted", "body") VALUES
  ('28', '28', '15', '13', '16', '4', 'test-days:1:2025-12-01', '1', '1772366400000', '1772366400000', '1764547200000', '1', 'false', E'\\x28b52ffd61014b00e501000341027a4c27864ef8fd760213fc0ded00e4a0bc1f13103eebb85ced7b9020966d72dd724b39ba7bc0fe951200af362ef62235d17ab04e1b73d7c2aa');
INSERT INTO "exchange_documents" ("id", "seq", "dataset", "collection", "resource_type", "source", "source_id", "location", "modified", "created", "event_at", "animal", "record", "deleted", "body", "wording") VALUES
  ('30', '30', '17', '18', '19', '20', 'w1', '1', '1772366400000', '1772366400000', '1769904000000', '2', '1', 'false', E'\\x28b52ffd61017a007d020013020610a40acf9c9873b1633a31244211229633300a836209d20913fcca4f13f213393513da9578a3b6b42f9522073e778953ca9b8e5240f6dc74e5c95dd880a5d791cddaa480e97738a6b6bf3d01', '[["/eventDateTime","2026-02-01T00:00:00Z"]]');

INSERT INTO "exchange_intakes" ("location", "source", "taken_at") VALUES
  ('1', 'scale.example', '1772366400000');

INSERT INTO "exchange_names" ("id", "name") VALUES
  ('1', 'locations');
INSERT INTO "exchange_names" ("id", "name") VALUES
  ('2', 'organizations');
INSERT INTO "exchange_names" ("id", "name") VALUES
  ('3', 'icarLocationResource');
INSERT INTO "exchange_names" ("id", "name") VALUES
  ('4', 'org.herdbook');
INSERT INTO "exchange_names" ("id", "name") VALUES
  ('5', 'animals');
INSERT INTO "exchange_names" ("id", "name") VALUES
  ('6', 'icarAnimalCoreResource');
INSERT INTO "exchange_names" ("id", "name") VALUES
  ('7', 'lactations');
INSERT INTO "exchange_names" ("id", "name") VALUES
  ('8', 'icarLactationResource');
INSERT INTO "exchange_names" ("id", "name") VALUES
  ('9', 'parturitions');
INSERT INTO "exchange_names" ("id", "name") VALUES
  ('10', 'calvings');
INSERT INTO "exchange_names" ("id", "name") VALUES
  ('11', 'icarReproParturitionEventResource');
INSERT INTO "exchange_names" ("id", "name") VALUES
  ('12', 'test-day-results');
INSERT INTO "exchange_names" ("id", "name") VALUES
  ('13', 'milk-tests');
INSERT INTO "exchange_names" ("id", "name") VALUES
  ('14', 'icarTestDayResultEventResource');
INSERT INTO "exchange_names" ("id", "name") VALUES
  ('15', 'test-days');
INSERT INTO "exchange_names" ("id", "name") VALUES
  ('16', 'icarTestDayResource');
INSERT INTO "exchange_names" ("id", "name") VALUES
  ('17', 'weights');
INSERT INTO "exchange_names" ("id", "name") VALUES
  ('18', 'weighings');
INSERT INTO "exchange_names" ("id", "name") VALUES
  ('19', 'icarWeightEventResource');
INSERT INTO "exchange_names" ("id", "name") VALUES
  ('20', 'scale.example');

INSERT INTO "exchange_sent" ("location", "source", "source_id", "dataset", "modified", "seq", "batch", "live", "organization", "named", "named_above") VALUES
  ('1', 'scale.example', 'w1', 'weights', '1769904000000', '31', 'c839898f-b422-4e67-a9a8-e4bc858f9489', 'true', '1', '0', '0');

INSERT INTO "exchange_state" ("name", "value") VALUES
  ('generation', '16620571345371878156');
INSERT INTO "exchange_state" ("name", "value") VALUES
  ('incarnation', '10231313206781304242');

INSERT INTO "milk_tests" ("id", "animal", "owner_org", "animal_owner", "animal_visible", "animal_details", "date", "milk_yield", "test_code", "lactation_number", "lactation_number_computed", "official", "source", "days_in_milk", "verification", "seq", "updated_at", "created_at") VALUES
  ('1', '1', '1', '1', 'false', 'false', '2025-12-01 00:00:00+00', '31.4', 'none', '1', 'true', 'false', 'owner', '28', 'unverified', '24', '2026-03-01 12:00:00+00', '2026-03-01 12:00:00+00');

INSERT INTO "operations" ("id", "at", "action", "actor", "actor_name", "organization", "subject_type", "subject_id", "subject", "seq", "updated_at", "created_at") VALUES
  ('1', '2026-03-01 12:00:00+00', 'login', '1', 'Smith Ann', '1', 'user', '1', 'Smith Ann', '13', '2026-03-01 12:00:00+00', '2026-03-01 12:00:00+00');
INSERT INTO "operations" ("id", "at", "action", "actor", "actor_name", "organization", "subject_type", "subject_id", "subject", "seq", "updated_at", "created_at") VALUES
  ('2', '2026-03-01 12:00:00+00', 'login', '2', 'Smith Ann', '2', 'user', '2', 'Smith Ann', '15', '2026-03-01 12:00:00+00', '2026-03-01 12:00:00+00');
INSERT INTO "operations" ("id", "at", "action", "actor", "actor_name", "subject_type", "subject_id", "subject", "seq", "updated_at", "created_at") VALUES
  ('3', '2026-03-01 12:00:00+00', 'login', '3', 'Smith Ann', 'user', '3', 'Smith Ann', '17', '2026-03-01 12:00:00+00', '2026-03-01 12:00:00+00');
INSERT INTO "operations" ("id", "at", "action", "actor", "actor_name", "organization", "subject_type", "summary", "seq", "updated_at", "created_at") VALUES
  ('4', '2026-03-01 12:00:00+00', 'ade-intake', '1', 'Smith Ann', '1', 'none', 'weights: 1 created, 0 updated, 0 deleted, 0 refused', '31', '2026-03-01 12:00:00+00', '2026-03-01 12:00:00+00');

INSERT INTO "organizations" ("id", "name", "name_key", "presence", "type", "membership", "seq", "updated_at", "created_at") VALUES
  ('1', 'Meadow', 'meadow', 'registered', 'farm', 'none', '2', '2026-03-01 12:00:00+00', '2026-03-01 12:00:00+00');
INSERT INTO "organizations" ("id", "name", "name_key", "presence", "type", "membership", "seq", "updated_at", "created_at") VALUES
  ('2', 'Second', 'second', 'registered', 'farm', 'none', '4', '2026-03-01 12:00:00+00', '2026-03-01 12:00:00+00');

INSERT INTO "users" ("id", "email", "last_name", "first_name", "role", "organization", "org_role", "confirmed", "accepted_policy", "notify_submissions", "notify_trust", "notify_work", "notify_news", "enable_api_key", "verifier", "sessions", "seq", "updated_at", "created_at") VALUES
  ('1', 'user1@example.org', 'Smith', 'Ann', 'farmer', '1', 'head', 'false', 'false', 'true', 'true', 'false', 'false', 'false', '$argon2id$v=19$m=64,t=1,p=1$/1TbSkF1fgBmSnaD5YbOrA$JZbM5VwAcK0wnODgrsxUBxUQVkwW2ifXlnD895VT2EE', '[{"id":"f7f4297f-41d4-44d0-b733-9977aa4e91cb","createdAt":"2026-03-01T12:00:00.000Z","expiresAt":"2026-03-01T14:00:00.000Z","kind":"password"}]', '12', '2026-03-01 12:00:00+00', '2026-03-01 12:00:00+00');
INSERT INTO "users" ("id", "email", "last_name", "first_name", "role", "organization", "org_role", "confirmed", "accepted_policy", "notify_submissions", "notify_trust", "notify_work", "notify_news", "enable_api_key", "verifier", "sessions", "seq", "updated_at", "created_at") VALUES
  ('2', 'user2@example.org', 'Smith', 'Ann', 'farmer', '2', 'head', 'false', 'false', 'true', 'true', 'false', 'false', 'false', '$argon2id$v=19$m=64,t=1,p=1$Tkq6jfXuEaNsVoOOzTB5RA$wV/EqJscvqZcTsiJXLkF37nSB9oKoxHGU5f4GH3KI7U', '[{"id":"b7fc7944-59f0-4f83-a899-6ca3d589dbcd","createdAt":"2026-03-01T12:00:00.000Z","expiresAt":"2026-03-01T14:00:00.000Z","kind":"password"}]', '14', '2026-03-01 12:00:00+00', '2026-03-01 12:00:00+00');
INSERT INTO "users" ("id", "email", "last_name", "first_name", "role", "org_role", "confirmed", "accepted_policy", "notify_submissions", "notify_trust", "notify_work", "notify_news", "enable_api_key", "verifier", "sessions", "seq", "updated_at", "created_at") VALUES
  ('3', 'user3@example.org', 'Smith', 'Ann', 'expert', 'head', 'false', 'false', 'true', 'true', 'false', 'false', 'false', '$argon2id$v=19$m=64,t=1,p=1$AeSUtBAWVWKbLGYYz95XOw$AV4BLTcv7Kix5S50rSDEbwuNyn6BFq9iWsEdMx2GBYs', '[{"id":"8fbc3bde-b783-4da5-8295-4665cd516dc2","createdAt":"2026-03-01T12:00:00.000Z","expiresAt":"2026-03-01T14:00:00.000Z","kind":"password"}]', '16', '2026-03-01 12:00:00+00', '2026-03-01 12:00:00+00');

INSERT INTO "weighings" ("id", "animal", "owner_org", "animal_owner", "animal_visible", "animal_details", "date", "weight", "lactation_number", "lactation_number_computed", "age_days", "verification", "ade_source", "ade_source_id", "seq", "updated_at", "created_at") VALUES
  ('1', '2', '1', '1', 'false', 'false', '2026-02-01 00:00:00+00', '612.5', '0', 'true', '2223', 'unverified', 'scale.example', 'w1', '29', '2026-03-01 12:00:00+00', '2026-03-01 12:00:00+00');
COMMIT;
