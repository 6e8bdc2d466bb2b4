-- A small book as the migrations up to 0001 left it.

CREATE TABLE _sqlx_migrations (version BIGINT PRIMARY KEY, description TEXT NOT NULL, installed_on TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP, success BOOLEAN NOT NULL, checksum BLOB NOT NULL, execution_time BIGINT NOT NULL);
BEGIN;
PRAGMA defer_foreign_keys = ON;
INSERT INTO "_sqlx_migrations" ("version", "description", "success", "checksum", "execution_time") VALUES
  (1, 'core', 1, X'E4D7C47F907097D4C276C55028C7354E2032B9106D1AED70A485387A6EDF8977F495CE15AA7B01A9057693DD4763A6DB', 41846372);

INSERT INTO "animal_revisions" ("id", "owner_org", "collection", "record_id", "animal", "at", "user", "path", "label", "after", "source", "class", "seq", "updated_at", "created_at") VALUES
  (1, 1, 'animals', 1, 1, 1772366400000, 1, 'name', 'Name', 'Meadow''s "best" \ 1', 'manual', 'r', 33, 1772366400000, 1772366400000);

INSERT INTO "animals" ("id", "uuid", "ident_number", "id_format", "name", "name_latin", "sex", "sex_status", "birth_date", "age_group", "age_group_computed", "age_group_date", "owner", "public_visible", "public_details", "for_sale", "archived", "registration_basis", "genetics_cvm", "genetics_blad", "genetics_dumps", "trust_level", "registration_status", "state", "pedigree_depth", "parent_status_father", "parent_status_mother", "current_parity", "current_days_in_milk", "current_last_calving_date", "current_lactation_status", "current_reproduction_status", "current_services", "current_last_test_date", "lactations", "summary_milk_rank", "test_sums", "ipc_rank", "last_edit_user", "last_edit_time", "check_status", "disputed", "seq", "updated_at", "created_at") VALUES
  (1, '5dc5cf66-0c3c-4661-92ce-a37b64d2cdda', '643000000000001', 'rf', 'Meadow''s "best" \ 1', 'Meadow''s "best" \ 1', 'female', 'none', 1577836800000, 'firstCalf', 1, 1762128000000, 1, 0, 0, 0, 0, 'origin', 'unknown', 'unknown', 'unknown', 0, 'none', 'alive', 0.0, 'unknown', 'unknown', 1, 118, 1762128000000, 'lactating', 'birthed', 0, 1764547200000, '[{"id":"1","number":1,"calvingDate":"2025-11-03T00:00:00.000Z","inseminationDate":null,"serviceBull":null,"dd":88,"milkYield":1318.8,"milk305":null,"fatKg":null,"proteinKg":null,"fat305":null,"protein305":null,"scc":null,"scs":null,"official":false,"ecm305":null,"fcm305":null,"peakMilk":31.4,"peakDay":28,"persistency":null,"projected305":null,"projectedFrom":null,"daysOpen":null,"services":null,"calvingInterval":null,"dryOffDate":null,"endDate":"2026-01-30T00:00:00.000Z","lastTestDay":"2025-12-01T00:00:00.000Z","yieldMethod":"testInterval","origin":"computed"}]', -1000000.0, '7 100 = 1762128000000 - - 1 0 0 0 879.1999999999999 = 0 0 0 1764547200000 28 31.4 - - 28 31.4 1 3.332204510175204 0.28 3.4468078929142076 11.10358689763197 0.07840000000000001 0.9330172628490572 11.485468806476213 0.9651062100159782 - - - 0 = 879.1999999999999 = 24617.6 = - - - 0 = 879.1999999999999 = 24617.6 =', -1000000.0, 1, 1772366400000, 'note', 0, 32, 1772366400000, 1772366400000);
INSERT INTO "animals" ("id", "uuid", "ident_number", "id_format", "sex", "sex_status", "birth_date", "age_group", "age_group_computed", "age_group_date", "owner", "public_visible", "public_details", "for_sale", "archived", "registration_basis", "genetics_cvm", "genetics_blad", "genetics_dumps", "trust_level", "registration_status", "state", "pedigree_depth", "parent_status_father", "parent_status_mother", "summary_milk_rank", "ipc_rank", "disputed", "seq", "updated_at", "created_at") VALUES
  (2, '80050fd2-83ae-4df8-a0e7-c3e000976a78', '643000000000002', 'rf', 'female', 'none', 1577836800000, 'heifer', 1, 1609372800000, 1, 0, 0, 0, 0, 'origin', 'unknown', 'unknown', 'unknown', 0, 'none', 'alive', 0.0, 'unknown', 'unknown', -1000000.0, -1000000.0, 0, 8, 1772366400000, 1772366400000);
INSERT INTO "animals" ("id", "uuid", "ident_number", "id_format", "sex", "sex_status", "birth_date", "age_group", "age_group_computed", "age_group_date", "owner", "public_visible", "public_details", "for_sale", "archived", "registration_basis", "genetics_cvm", "genetics_blad", "genetics_dumps", "trust_level", "registration_status", "state", "pedigree_depth", "parent_status_father", "parent_status_mother", "summary_milk_rank", "ipc_rank", "disputed", "seq", "updated_at", "created_at") VALUES
  (3, '145aa627-d258-453f-b99b-7e922ce70eac', '643000000000003', 'rf', 'female', 'none', 1577836800000, 'heifer', 1, 1609372800000, 2, 0, 0, 0, 0, 'origin', 'unknown', 'unknown', 'unknown', 0, 'none', 'alive', 0.0, 'unknown', 'unknown', -1000000.0, -1000000.0, 0, 10, 1772366400000, 1772366400000);

INSERT INTO "book_ids" ("name", "next") VALUES
  ('animal_revisions', 2);
INSERT INTO "book_ids" ("name", "next") VALUES
  ('animals', 4);
INSERT INTO "book_ids" ("name", "next") VALUES
  ('calvings', 2);
INSERT INTO "book_ids" ("name", "next") VALUES
  ('check_findings', 2);
INSERT INTO "book_ids" ("name", "next") VALUES
  ('milk_tests', 2);
INSERT INTO "book_ids" ("name", "next") VALUES
  ('operations', 5);
INSERT INTO "book_ids" ("name", "next") VALUES
  ('organizations', 3);
INSERT INTO "book_ids" ("name", "next") VALUES
  ('users', 4);
INSERT INTO "book_ids" ("name", "next") VALUES
  ('weighings', 2);

DELETE FROM "book_sequence";
INSERT INTO "book_sequence" ("id", "seq", "modified", "commits", "touched") VALUES
  (1, 34, 1772366400000, 17, '{"animal_revisions":17,"animals":17,"book_ids":17,"book_settings":1,"calvings":14,"check_findings":14,"exchange_batch_parts":16,"exchange_batches":16,"exchange_intakes":16,"exchange_names":16,"exchange_sent":16,"exchange_state":2,"milk_tests":15,"operations":16,"organizations":4,"sign_in_delays":13,"users":13,"weighings":16}');

INSERT INTO "book_settings" ("name", "value") VALUES
  ('files', '6fea702aaffc4434b882bfc414758f0f');

INSERT INTO "calvings" ("id", "animal", "owner_org", "animal_owner", "animal_visible", "animal_details", "number", "number_computed", "date", "event_type", "verification", "check_status", "seq", "updated_at", "created_at") VALUES
  (1, 1, 1, 1, 0, 0, 1, 1, 1762128000000, 'calving', 'unverified', 'note', 18, 1772366400000, 1772366400000);

INSERT INTO "check_findings" ("id", "code", "severity", "state", "collection", "record_id", "path", "animal", "organization", "message_en", "message_ru", "first_seen_at", "last_seen_at", "source", "seq", "updated_at", "created_at") VALUES
  (1, 'afc-too-old', 'note', 'open', 'calvings', 1, 'date', 1, 1, 'First calving at 70.06 months; expected are at most 48.', 'Первый отёл в возрасте 70,06 мес.; ожидается не более 48.', 1772366400000, 1772366400000, 1, 20, 1772366400000, 1772366400000);

INSERT INTO "exchange_batch_parts" ("batch", "part", "items", "results") VALUES
  ('a09400cd-bf74-40ee-85e3-8d6122dc65c9', 0, 1, X'28B52FFD2101B78D020073C2089009B4A3644B30282A1A951215DCC84388A5D3C11061488422442C67601406C512A4F30FFCDB58C5A979A2F1EC2230CD7EF8406A2D8989942DD5B890754A2600F5557413F77801B47F5BD87D26AE');

INSERT INTO "exchange_batches" ("id", "location", "dataset", "sender", "organization", "strict", "stage", "items", "done", "rejected", "created_at", "ended_at") VALUES
  ('a09400cd-bf74-40ee-85e3-8d6122dc65c9', 1, 'weights', 1, 1, 0, 'done', 1, 1, 0, 1772366400000, 1772366400000);

INSERT INTO "exchange_counts" ("location", "dataset", "live") VALUES
  (1, 'animals', 2);
INSERT INTO "exchange_counts" ("location", "dataset", "live") VALUES
  (1, 'lactations', 1);
INSERT INTO "exchange_counts" ("location", "dataset", "live") VALUES
  (1, 'locations', 1);
INSERT INTO "exchange_counts" ("location", "dataset", "live") VALUES
  (1, 'parturitions', 1);
INSERT INTO "exchange_counts" ("location", "dataset", "live") VALUES
  (1, 'test-day-results', 1);
INSERT INTO "exchange_counts" ("location", "dataset", "live") VALUES
  (1, 'test-days', 1);
INSERT INTO "exchange_counts" ("location", "dataset", "live") VALUES
  (1, 'weights', 1);
INSERT INTO "exchange_counts" ("location", "dataset", "live") VALUES
  (2, 'animals', 1);
INSERT INTO "exchange_counts" ("location", "dataset", "live") VALUES
  (2, 'locations', 1);

INSERT INTO "exchange_documents" ("id", "seq", "dataset", "collection", "resource_type", "source", "source_id", "location", "modified", "created", "record", "deleted", "body") VALUES
  (3, 3, 1, 2, 3, 4, 'locations:1', 1, 1772366400000, 1772366400000, 1, 0, X'28B52FFD61014400B50200A4024C733A32362D303332316E4D6561646F77222C2274696D655A6F6E4575726F70652F4D6F73636F77227D10FC1ED224CB4D3FB92F1BE3F95FD0916FCD166E87A0DC591CB0A4406B8CFBFCDF2441D0CA1BB3439ABF');
INSERT INTO "exchange_documents" ("id", "seq", "dataset", "collection", "resource_type", "source", "source_id", "location", "modified", "created", "record", "deleted", "body") VALUES
  (5, 5, 1, 2, 3, 4, 'locations:2', 2, 1772366400000, 1772366400000, 2, 0, X'28B52FFD6101440095020064024C733A3033326E5365636F6E64222C2274696D655A6F6E4575726F70652F4D6F73636F77227D0FFC1ED224CBED27517ED98833254658B8E9706983F23490EB26053A3AEE05791381A31D7FCC0E528703');
INSERT INTO "exchange_documents" ("id", "seq", "dataset", "collection", "resource_type", "source", "source_id", "location", "modified", "created", "animal", "record", "deleted", "body") VALUES
  (7, 34, 5, 5, 6, 4, 'animals:5dc5cf66-0c3c-4661-92ce-a37b64d2cdda', 1, 1772366400000, 1772366400000, 1, 1, 0, X'28B52FFD6101B30105040073840ED075F8C0073A4A7CA0D2C19C94F84047A7044448B958303E36CEC58EE9C4D072B904C1CB62272D2D0913045F3A632B05C9204E8C658268908B0618FC24D6CD67194321D4821FC8EF118391C69066F4F4C3BB3557E63B0FF2F6EB79AD5F7E767C7883571E497E9C844597D5244144C832A26B74F058D526E998BB184006');
INSERT INTO "exchange_documents" ("id", "seq", "dataset", "collection", "resource_type", "source", "source_id", "location", "modified", "created", "animal", "record", "deleted", "body") VALUES
  (9, 9, 5, 5, 6, 4, 'animals:80050fd2-83ae-4df8-a0e7-c3e000976a78', 1, 1772366400000, 1772366400000, 2, 2, 0, X'28B52FFD61012E01DD0200F382079073B1633A316C16D69E6D4C06490D634B7299CB4A184BBA84978CD5760115FCD39C123112698C7846873578EF7EE549F290E75F3FD5FB73AE6B9AD7F0CA23C9C5491874F99A1044842C83A28C3EF9AADA00316681620001');
INSERT INTO "exchange_documents" ("id", "seq", "dataset", "collection", "resource_type", "source", "source_id", "location", "modified", "created", "animal", "record", "deleted", "body") VALUES
  (11, 11, 5, 5, 6, 4, 'animals:145aa627-d258-453f-b99b-7e922ce70eac', 2, 1772366400000, 1772366400000, 3, 3, 0, X'28B52FFD61012E01C50200F3C2079073314C2786412C18374C10C48769E9E4BD9394495DC9295E524366B1E87A13FCD39C123112698C7846873578EF7EE549F290E75F3FF5D083852A5E7D24D9C017E16C3004BF499653E6A08370559BE9319116830C');
INSERT INTO "exchange_documents" ("id", "seq", "dataset", "collection", "resource_type", "source", "source_id", "location", "modified", "created", "animal", "record", "deleted", "body") VALUES
  (22, 26, 7, 5, 8, 4, 'lactations:1:1:Normal', 1, 1772366400000, 1772366400000, 1, 1, 0, X'28B52FFD61011C012D030073020650098A850827650C754F7767BA1353E762C77462B8DF6F271DFC2438AE8274363D4023FAA2C8DEC068E9A57C42B4C6A2B84D8D52CDCBEDD5478B70C88E185249C71E0D44CADB8CDDBA4C39F437FA574943D21D5B2CF829C449F6C15470CC020C7903');
INSERT INTO "exchange_documents" ("id", "seq", "dataset", "collection", "resource_type", "source", "source_id", "location", "modified", "created", "event_at", "animal", "record", "deleted", "body") VALUES
  (23, 23, 9, 10, 11, 4, 'parturitions:1', 1, 1772366400000, 1772366400000, 1762128000000, 1, 1, 0, X'28B52FFD61017400850100C3C0019073B1633AB1070FFC665EC6226BB12920BF3F24265BBDD89313D799DC030A12D9C6D31B95BB22758D59CAB841');
INSERT INTO "exchange_documents" ("id", "seq", "dataset", "collection", "resource_type", "source", "source_id", "location", "modified", "created", "event_at", "animal", "record", "deleted", "body") VALUES
  (27, 27, 12, 13, 14, 4, 'test-day-results:1', 1, 1772366400000, 1772366400000, 1764547200000, 1, 1, 0, X'28B52FFD61019B00C50100C3C0019073B1633A310C12FCEF2989B06690021AD5DAF49DC3573CCC47BB3830279648DC06D414C194E7AD542E0902973658A5C6B4FDB733');
INSERT INTO "exchange_documents" ("id", "seq", "dataset", "collection", "resource_type", "source", "source_id", "location", "modified", "created", "event_at", "record", "deleted", "body") VALUES
  (28, 28, 15, 13, 16, 4, 'test-days:1:2025-12-01', 1, 1772366400000, 1772366400000, 1764547200000, 1, 0, X'28B52FFD61014B00E501000341027A4C27864EF8FD760213FC0DED00E4A0BC1F13103EEBB85CED7B9020966D72DD724B39BA7BC0FE951200AF362EF62235D17AB04E1B73D7C2AA');
INSERT INTO "exchange_documents" ("id", "seq", "dataset", "collection", "resource_type", "source", "source_id", "location", "modified", "created", "event_at", "animal", "record", "deleted", "body", "wording") VALUES
  (30, 30, 17, 18, 19, 20, 'w1', 1, 1772366400000, 1772366400000, 1769904000000, 2, 1, 0, X'28B52FFD61017A007D020013020610A40ACF9C9873B1633A31244211229633300A836209D20913FCCA4F13F213393513DA9578A3B6B42F9522073E778953CA9B8E5240F6DC74E5C95DD880A5D791CDDAA480E97738A6B6BF3D01', '[["/eventDateTime","2026-02-01T00:00:00Z"]]');

INSERT INTO "exchange_intakes" ("location", "source", "taken_at") VALUES
  (1, 'scale.example', 1772366400000);

INSERT INTO "exchange_names" ("id", "name") VALUES
  (1, 'locations');
INSERT INTO "exchange_names" ("id", "name") VALUES
  (2, 'organizations');
INSERT INTO "exchange_names" ("id", "name") VALUES
  (3, 'icarLocationResource');
INSERT INTO "exchange_names" ("id", "name") VALUES
  (4, 'org.herdbook');
INSERT INTO "exchange_names" ("id", "name") VALUES
  (5, 'animals');
INSERT INTO "exchange_names" ("id", "name") VALUES
  (6, 'icarAnimalCoreResource');
INSERT INTO "exchange_names" ("id", "name") VALUES
  (7, 'lactations');
INSERT INTO "exchange_names" ("id", "name") VALUES
  (8, 'icarLactationResource');
INSERT INTO "exchange_names" ("id", "name") VALUES
  (9, 'parturitions');
INSERT INTO "exchange_names" ("id", "name") VALUES
  (10, 'calvings');
INSERT INTO "exchange_names" ("id", "name") VALUES
  (11, 'icarReproParturitionEventResource');
INSERT INTO "exchange_names" ("id", "name") VALUES
  (12, 'test-day-results');
INSERT INTO "exchange_names" ("id", "name") VALUES
  (13, 'milk-tests');
INSERT INTO "exchange_names" ("id", "name") VALUES
  (14, 'icarTestDayResultEventResource');
INSERT INTO "exchange_names" ("id", "name") VALUES
  (15, 'test-days');
INSERT INTO "exchange_names" ("id", "name") VALUES
  (16, 'icarTestDayResource');
INSERT INTO "exchange_names" ("id", "name") VALUES
  (17, 'weights');
INSERT INTO "exchange_names" ("id", "name") VALUES
  (18, 'weighings');
INSERT INTO "exchange_names" ("id", "name") VALUES
  (19, 'icarWeightEventResource');
INSERT INTO "exchange_names" ("id", "name") VALUES
  (20, 'scale.example');

INSERT INTO "exchange_sent" ("location", "source", "source_id", "dataset", "modified", "seq", "batch", "live", "organization", "named", "named_above") VALUES
  (1, 'scale.example', 'w1', 'weights', 1769904000000, 31, 'a09400cd-bf74-40ee-85e3-8d6122dc65c9', 1, 1, 0, 0);

INSERT INTO "exchange_state" ("name", "value") VALUES
  ('generation', '16620571345371878156');
INSERT INTO "exchange_state" ("name", "value") VALUES
  ('incarnation', '12782346498103784288');

INSERT INTO "milk_tests" ("id", "animal", "owner_org", "animal_owner", "animal_visible", "animal_details", "date", "milk_yield", "test_code", "lactation_number", "lactation_number_computed", "official", "source", "days_in_milk", "verification", "seq", "updated_at", "created_at") VALUES
  (1, 1, 1, 1, 0, 0, 1764547200000, 31.4, 'none', 1, 1, 0, 'owner', 28, 'unverified', 24, 1772366400000, 1772366400000);

INSERT INTO "operations" ("id", "at", "action", "actor", "actor_name", "organization", "subject_type", "subject_id", "subject", "seq", "updated_at", "created_at") VALUES
  (1, 1772366400000, 'login', 1, 'Smith Ann', 1, 'user', 1, 'Smith Ann', 13, 1772366400000, 1772366400000);
INSERT INTO "operations" ("id", "at", "action", "actor", "actor_name", "organization", "subject_type", "subject_id", "subject", "seq", "updated_at", "created_at") VALUES
  (2, 1772366400000, 'login', 2, 'Smith Ann', 2, 'user', 2, 'Smith Ann', 15, 1772366400000, 1772366400000);
INSERT INTO "operations" ("id", "at", "action", "actor", "actor_name", "subject_type", "subject_id", "subject", "seq", "updated_at", "created_at") VALUES
  (3, 1772366400000, 'login', 3, 'Smith Ann', 'user', 3, 'Smith Ann', 17, 1772366400000, 1772366400000);
INSERT INTO "operations" ("id", "at", "action", "actor", "actor_name", "organization", "subject_type", "summary", "seq", "updated_at", "created_at") VALUES
  (4, 1772366400000, 'ade-intake', 1, 'Smith Ann', 1, 'none', 'weights: 1 created, 0 updated, 0 deleted, 0 refused', 31, 1772366400000, 1772366400000);

INSERT INTO "organizations" ("id", "name", "name_key", "presence", "type", "membership", "seq", "updated_at", "created_at") VALUES
  (1, 'Meadow', 'meadow', 'registered', 'farm', 'none', 2, 1772366400000, 1772366400000);
INSERT INTO "organizations" ("id", "name", "name_key", "presence", "type", "membership", "seq", "updated_at", "created_at") VALUES
  (2, 'Second', 'second', 'registered', 'farm', 'none', 4, 1772366400000, 1772366400000);

INSERT INTO "users" ("id", "email", "last_name", "first_name", "role", "organization", "org_role", "confirmed", "accepted_policy", "notify_submissions", "notify_trust", "notify_work", "notify_news", "enable_api_key", "verifier", "sessions", "seq", "updated_at", "created_at") VALUES
  (1, 'user1@example.org', 'Smith', 'Ann', 'farmer', 1, 'head', 0, 0, 1, 1, 0, 0, 0, '$argon2id$v=19$m=64,t=1,p=1$0nav5R9Si8nWNHXvOn7BWA$35joq6o9jJsaJROqkevd4Xv/Qtxe0/cOELn2xDP5mAw', '[{"id":"5abac470-e17f-4c04-a76c-caad89bf419d","createdAt":"2026-03-01T12:00:00.000Z","expiresAt":"2026-03-01T14:00:00.000Z","kind":"password"}]', 12, 1772366400000, 1772366400000);
INSERT INTO "users" ("id", "email", "last_name", "first_name", "role", "organization", "org_role", "confirmed", "accepted_policy", "notify_submissions", "notify_trust", "notify_work", "notify_news", "enable_api_key", "verifier", "sessions", "seq", "updated_at", "created_at") VALUES
  (2, 'user2@example.org', 'Smith', 'Ann', 'farmer', 2, 'head', 0, 0, 1, 1, 0, 0, 0, '$argon2id$v=19$m=64,t=1,p=1$HG+3o3DLwiNG54+2pt4hXA$lBtxSS5j1pVbfl+tT3A74DiQSexxvoo+Y/AvNRCvqJQ', '[{"id":"cd7da604-3985-4d76-82f7-bacd6d3bfd40","createdAt":"2026-03-01T12:00:00.000Z","expiresAt":"2026-03-01T14:00:00.000Z","kind":"password"}]', 14, 1772366400000, 1772366400000);
INSERT INTO "users" ("id", "email", "last_name", "first_name", "role", "org_role", "confirmed", "accepted_policy", "notify_submissions", "notify_trust", "notify_work", "notify_news", "enable_api_key", "verifier", "sessions", "seq", "updated_at", "created_at") VALUES
  (3, 'user3@example.org', 'Smith', 'Ann', 'expert', 'head', 0, 0, 1, 1, 0, 0, 0, '$argon2id$v=19$m=64,t=1,p=1$kZf7mtZ7EUemhZRnbNsnIg$4szlL43TF2LlHg+0ypoeoJzj9T1gvGxXQOQO8icxeNk', '[{"id":"e03c673d-127c-4dde-904f-250532cf9784","createdAt":"2026-03-01T12:00:00.000Z","expiresAt":"2026-03-01T14:00:00.000Z","kind":"password"}]', 16, 1772366400000, 1772366400000);

INSERT INTO "weighings" ("id", "animal", "owner_org", "animal_owner", "animal_visible", "animal_details", "date", "weight", "lactation_number", "lactation_number_computed", "age_days", "verification", "ade_source", "ade_source_id", "seq", "updated_at", "created_at") VALUES
  (1, 2, 1, 1, 0, 0, 1769904000000, 612.5, 0, 1, 2223, 'unverified', 'scale.example', 'w1', 29, 1772366400000, 1772366400000);
COMMIT;
