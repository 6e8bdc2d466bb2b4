-- A small book as the migrations up to 0011 left it.

CREATE TABLE _sqlx_migrations (version BIGINT PRIMARY KEY, description TEXT NOT NULL, installed_on TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP, success BOOLEAN NOT NULL, checksum BLOB NOT NULL, execution_time BIGINT NOT NULL);
BEGIN;
PRAGMA defer_foreign_keys = ON;
INSERT INTO "_sqlx_migrations" ("version", "description", "success", "checksum", "execution_time") VALUES
  (1, 'core', 1, X'09DBBC62D1EED53789F71A9CC97E0B1B19A33407D83D215C095020AB114148F4F242BA3B40AE8CB5456CEA954C30B711', 50209537);
INSERT INTO "_sqlx_migrations" ("version", "description", "success", "checksum", "execution_time") VALUES
  (2, 'released', 1, X'C7A6B022C1085DCEC338BAB3723004E8D563AEAACECD25B3C0BA0A902F66DB5D66B38817AC85A3811639B61A158CA75C', 1432026);
INSERT INTO "_sqlx_migrations" ("version", "description", "success", "checksum", "execution_time") VALUES
  (3, 'mergers', 1, X'A0CFDAF082658B8666518769466647187F10DDAE54BA331947568F8E681628D55C73F631774D05FE3BDF363D758B7FA7', 2130778);
INSERT INTO "_sqlx_migrations" ("version", "description", "success", "checksum", "execution_time") VALUES
  (4, 'security', 1, X'E38096C5B9A7E46E245C625227DA9C09538BA726420F777C9C6BFEE3DBB6325A0820E3F37C39CA105CC8D11F3B94127E', 30550195);
INSERT INTO "_sqlx_migrations" ("version", "description", "success", "checksum", "execution_time") VALUES
  (5, 'sent_as_sent', 1, X'F987F74E1935EDC5F6BDEE762A4305DD72A156CE56C4D9CD779D0E5A23A8D141D2C0DD17DD299F9AA97B7E6F3BAFA4FA', 2122836);
INSERT INTO "_sqlx_migrations" ("version", "description", "success", "checksum", "execution_time") VALUES
  (6, 'mandates', 1, X'0794A686FE8BD4ABA9646348A75503AAB310CF4F677A16726D2F6E0E30E6E22FA537A7FD0DC138E80990C123282D976D', 490982);
INSERT INTO "_sqlx_migrations" ("version", "description", "success", "checksum", "execution_time") VALUES
  (7, 'sent_sets', 1, X'2B0A17FB743356E5E3EAF28E2B78EDAD9A8422B396F2200F56E3D5E163CA2C9B3B11E63ED03C28A1C124F5DBDABF442E', 2993716);
INSERT INTO "_sqlx_migrations" ("version", "description", "success", "checksum", "execution_time") VALUES
  (8, 'arrivals', 1, X'28E11F640B566268E5B3C7C470BDCE7464A8CA2155007307D3F15A88513A227213978FCEDA1A452B1EDA21E24BE410D0', 5589377);
INSERT INTO "_sqlx_migrations" ("version", "description", "success", "checksum", "execution_time") VALUES
  (9, 'corrections', 1, X'448E413C0677A9C60B84346F9B410D880E8545EB702C137304FB04DC7BA86482F503916417D86C960694EE58E81D02BF', 168962);
INSERT INTO "_sqlx_migrations" ("version", "description", "success", "checksum", "execution_time") VALUES
  (10, 'births', 1, X'3C78CD10A8937F81CBFAB0E9A722C8525653F8B39DE822F34382294C44CF948186E7E9307F8E23E4D2CB52B9BBB6C5AD', 3875790);
INSERT INTO "_sqlx_migrations" ("version", "description", "success", "checksum", "execution_time") VALUES
  (11, 'test_sums', 1, X'960B83028D81E97E596A6B374249526E9207A7AB7A47C480A244F07C19EDAD93830DB4FA5C03B1AE4F2671B858E4DE78', 1057527);

INSERT INTO "animal_revisions" ("id", "owner_org", "collection", "record_id", "animal", "at", "user", "path", "label", "after", "source", "class", "seq", "updated_at", "created_at") VALUES
  (1, 1, 'animals', 1, 1, 1772366400000, 1, 'name', 'Name', 'Meadow''s "best" \ 1', 'manual', 'r', 33, 1772366400000, 1772366400000);

INSERT INTO "animals" ("id", "uuid", "ident_number", "id_format", "name", "name_latin", "sex", "sex_status", "birth_date", "age_group", "age_group_date", "owner", "public_visible", "public_details", "for_sale", "archived", "registration_basis", "genetics_cvm", "genetics_blad", "genetics_dumps", "trust_level", "registration_status", "state", "pedigree_depth", "parent_status_father", "parent_status_mother", "current_parity", "current_days_in_milk", "current_last_calving_date", "current_lactation_status", "current_reproduction_status", "lactations", "summary_milk_rank", "ipc_rank", "last_edit_user", "last_edit_time", "seq", "updated_at", "created_at", "disputed", "test_sums") VALUES
  (1, '3adcdd42-986c-4ef6-887a-12d481689fa9', '643000000000001', 'rf', 'Meadow''s "best" \ 1', 'Meadow''s "best" \ 1', 'female', 'none', 1577836800000, 'firstCalf', 1762128000000, 1, 0, 0, 0, 0, 'origin', 'unknown', 'unknown', 'unknown', 0, 'none', 'alive', 0.0, 'unknown', 'unknown', 1, 118, 1762128000000, 'lactating', 'birthed', '[{"id":"1","number":1,"calvingDate":"2025-11-03T00:00:00.000Z","inseminationDate":null,"serviceBull":null,"dd":88,"milkYield":2763.2,"milk305":null,"fatKg":null,"proteinKg":null,"fat305":null,"protein305":null,"scc":null,"dryOffDate":null,"endDate":"2026-01-30T00:00:00.000Z","lastTestDay":"2025-12-01T00:00:00.000Z","origin":"computed"}]', -1000000.0, -1000000.0, 1, 1772366400000, 32, 1772366400000, 1772366400000, 0, '1 1762128000000 - 1764547200000 1 0 0 28 31.4 879.1999999999999 879.1999999999999 - -');
INSERT INTO "animals" ("id", "uuid", "ident_number", "id_format", "sex", "sex_status", "birth_date", "age_group", "age_group_date", "owner", "public_visible", "public_details", "for_sale", "archived", "registration_basis", "genetics_cvm", "genetics_blad", "genetics_dumps", "trust_level", "registration_status", "state", "pedigree_depth", "parent_status_father", "parent_status_mother", "summary_milk_rank", "ipc_rank", "seq", "updated_at", "created_at", "disputed") VALUES
  (2, 'bee65c5d-b865-4430-976f-a37ae5c5cd6c', '643000000000002', 'rf', 'female', 'none', 1577836800000, 'heifer', 1772323200000, 1, 0, 0, 0, 0, 'origin', 'unknown', 'unknown', 'unknown', 0, 'none', 'alive', 0.0, 'unknown', 'unknown', -1000000.0, -1000000.0, 8, 1772366400000, 1772366400000, 0);
INSERT INTO "animals" ("id", "uuid", "ident_number", "id_format", "sex", "sex_status", "birth_date", "age_group", "age_group_date", "owner", "public_visible", "public_details", "for_sale", "archived", "registration_basis", "genetics_cvm", "genetics_blad", "genetics_dumps", "trust_level", "registration_status", "state", "pedigree_depth", "parent_status_father", "parent_status_mother", "summary_milk_rank", "ipc_rank", "seq", "updated_at", "created_at", "disputed") VALUES
  (3, '2916af29-8fed-4a5c-8516-ab64b6bffce8', '643000000000003', 'rf', 'female', 'none', 1577836800000, 'heifer', 1772323200000, 2, 0, 0, 0, 0, 'origin', 'unknown', 'unknown', 'unknown', 0, 'none', 'alive', 0.0, 'unknown', 'unknown', -1000000.0, -1000000.0, 10, 1772366400000, 1772366400000, 0);

INSERT INTO "book_ids" ("name", "next") VALUES
  ('animal_revisions', 2);
INSERT INTO "book_ids" ("name", "next") VALUES
  ('animals', 4);
INSERT INTO "book_ids" ("name", "next") VALUES
  ('calvings', 2);
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
  (1, 34, 1772366400000, 17, '{"animal_revisions":17,"animals":17,"book_ids":17,"book_settings":1,"calvings":14,"exchange_batch_parts":16,"exchange_batches":16,"exchange_intakes":16,"exchange_sent":16,"exchange_state":2,"milk_tests":15,"operations":16,"organizations":4,"sign_in_delays":13,"users":13,"weighings":16}');

INSERT INTO "book_settings" ("name", "value") VALUES
  ('files', '3ccac4844b3146c4b19cfc76514c0c05');

INSERT INTO "calvings" ("id", "animal", "owner_org", "number", "date", "event_type", "verification", "seq", "updated_at", "created_at") VALUES
  (1, 1, 1, 1, 1762128000000, 'calving', 'unverified', 18, 1772366400000, 1772366400000);

INSERT INTO "exchange_batch_parts" ("batch", "part", "items", "results") VALUES
  ('6e674852-8965-49d0-ad45-f1ab615f149d', 0, 1, '{"id":"1","meta":{"source":"scale.example","sourceId":"w1","modified":"2026-02-01T00:00:00Z"},"messages":[{"type":"created","severity":"Information","status":201,"title":"Created"}]}');

INSERT INTO "exchange_batches" ("id", "location", "dataset", "sender", "organization", "strict", "stage", "items", "done", "rejected", "created_at", "ended_at", "due", "attempts") VALUES
  ('6e674852-8965-49d0-ad45-f1ab615f149d', 1, 'weights', 1, 1, 0, 'done', 1, 1, 0, 1772366400000, 1772366400000, 0, 0);

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
  (3, 3, 'locations', 'organizations', 'icarLocationResource', 'org.herdbook', 'locations:1', 1, 1772366400000, 1772366400000, 1, 0, '{"resourceType":"icarLocationResource","meta":{"source":"org.herdbook","sourceId":"locations:1","modified":"2026-03-01T12:00:00.000Z","created":"2026-03-01T12:00:00.000Z"},"location":{"id":"1","scheme":"org.herdbook.orgid"},"identifier":{"id":"1","scheme":"org.herdbook.orgid"},"name":"Meadow"}');
INSERT INTO "exchange_documents" ("id", "seq", "dataset", "collection", "resource_type", "source", "source_id", "location", "modified", "created", "record", "deleted", "body") VALUES
  (5, 5, 'locations', 'organizations', 'icarLocationResource', 'org.herdbook', 'locations:2', 2, 1772366400000, 1772366400000, 2, 0, '{"resourceType":"icarLocationResource","meta":{"source":"org.herdbook","sourceId":"locations:2","modified":"2026-03-01T12:00:00.000Z","created":"2026-03-01T12:00:00.000Z"},"location":{"id":"2","scheme":"org.herdbook.orgid"},"identifier":{"id":"2","scheme":"org.herdbook.orgid"},"name":"Second"}');
INSERT INTO "exchange_documents" ("id", "seq", "dataset", "collection", "resource_type", "source", "source_id", "location", "modified", "created", "animal", "record", "deleted", "body") VALUES
  (7, 34, 'animals', 'animals', 'icarAnimalCoreResource', 'org.herdbook', 'animals:3adcdd42-986c-4ef6-887a-12d481689fa9', 1, 1772366400000, 1772366400000, 1, 1, 0, '{"resourceType":"icarAnimalCoreResource","meta":{"source":"org.herdbook","sourceId":"animals:3adcdd42-986c-4ef6-887a-12d481689fa9","modified":"2026-03-01T12:00:00.000Z","created":"2026-03-01T12:00:00.000Z"},"location":{"id":"1","scheme":"org.herdbook.orgid"},"identifier":{"id":"643000000000001","scheme":"org.herdbook.animal"},"alternativeIdentifiers":[{"id":"3adcdd42-986c-4ef6-887a-12d481689fa9","scheme":"org.herdbook.accountingid"}],"specie":"Cattle","gender":"Female","birthDate":"2020-01-01T00:00:00.000Z","name":"Meadow''s \"best\" \\ 1","officialName":"Meadow''s \"best\" \\ 1","productionPurpose":"Milk","status":"Alive","lactationStatus":"Lactating","reproductionStatus":"Birthed"}');
INSERT INTO "exchange_documents" ("id", "seq", "dataset", "collection", "resource_type", "source", "source_id", "location", "modified", "created", "animal", "record", "deleted", "body") VALUES
  (9, 9, 'animals', 'animals', 'icarAnimalCoreResource', 'org.herdbook', 'animals:bee65c5d-b865-4430-976f-a37ae5c5cd6c', 1, 1772366400000, 1772366400000, 2, 2, 0, '{"resourceType":"icarAnimalCoreResource","meta":{"source":"org.herdbook","sourceId":"animals:bee65c5d-b865-4430-976f-a37ae5c5cd6c","modified":"2026-03-01T12:00:00.000Z","created":"2026-03-01T12:00:00.000Z"},"location":{"id":"1","scheme":"org.herdbook.orgid"},"identifier":{"id":"643000000000002","scheme":"org.herdbook.animal"},"alternativeIdentifiers":[{"id":"bee65c5d-b865-4430-976f-a37ae5c5cd6c","scheme":"org.herdbook.accountingid"}],"specie":"Cattle","gender":"Female","birthDate":"2020-01-01T00:00:00.000Z","productionPurpose":"Milk","status":"Alive"}');
INSERT INTO "exchange_documents" ("id", "seq", "dataset", "collection", "resource_type", "source", "source_id", "location", "modified", "created", "animal", "record", "deleted", "body") VALUES
  (11, 11, 'animals', 'animals', 'icarAnimalCoreResource', 'org.herdbook', 'animals:2916af29-8fed-4a5c-8516-ab64b6bffce8', 2, 1772366400000, 1772366400000, 3, 3, 0, '{"resourceType":"icarAnimalCoreResource","meta":{"source":"org.herdbook","sourceId":"animals:2916af29-8fed-4a5c-8516-ab64b6bffce8","modified":"2026-03-01T12:00:00.000Z","created":"2026-03-01T12:00:00.000Z"},"location":{"id":"2","scheme":"org.herdbook.orgid"},"identifier":{"id":"643000000000003","scheme":"org.herdbook.animal"},"alternativeIdentifiers":[{"id":"2916af29-8fed-4a5c-8516-ab64b6bffce8","scheme":"org.herdbook.accountingid"}],"specie":"Cattle","gender":"Female","birthDate":"2020-01-01T00:00:00.000Z","productionPurpose":"Milk","status":"Alive"}');
INSERT INTO "exchange_documents" ("id", "seq", "dataset", "collection", "resource_type", "source", "source_id", "location", "modified", "created", "animal", "record", "deleted", "body") VALUES
  (22, 26, 'lactations', 'animals', 'icarLactationResource', 'org.herdbook', 'lactations:1:1:Normal', 1, 1772366400000, 1772366400000, 1, 1, 0, '{"resourceType":"icarLactationResource","meta":{"source":"org.herdbook","sourceId":"lactations:1:1:Normal","modified":"2026-03-01T12:00:00.000Z","created":"2026-03-01T12:00:00.000Z"},"location":{"id":"1","scheme":"org.herdbook.orgid"},"id":"1:1:Normal","animal":{"id":"643000000000001","scheme":"org.herdbook.animal"},"beginDate":"2025-11-03T00:00:00.000Z","endDate":"2026-01-30T00:00:00.000Z","parity":1,"lactationLength":88,"milkAmount":{"value":2763.2,"unitCode":"KGM"},"lastTestDay":"2025-12-01T00:00:00.000Z","lactationType":"Normal"}');
INSERT INTO "exchange_documents" ("id", "seq", "dataset", "collection", "resource_type", "source", "source_id", "location", "modified", "created", "event_at", "animal", "record", "deleted", "body") VALUES
  (23, 23, 'parturitions', 'calvings', 'icarReproParturitionEventResource', 'org.herdbook', 'parturitions:1', 1, 1772366400000, 1772366400000, 1762128000000, 1, 1, 0, '{"resourceType":"icarReproParturitionEventResource","meta":{"source":"org.herdbook","sourceId":"parturitions:1","modified":"2026-03-01T12:00:00.000Z","created":"2026-03-01T12:00:00.000Z"},"location":{"id":"1","scheme":"org.herdbook.orgid"},"id":"1","animal":{"id":"643000000000001","scheme":"org.herdbook.animal"},"eventDateTime":"2025-11-03T00:00:00.000Z","damParity":1}');
INSERT INTO "exchange_documents" ("id", "seq", "dataset", "collection", "resource_type", "source", "source_id", "location", "modified", "created", "event_at", "animal", "record", "deleted", "body") VALUES
  (27, 27, 'test-day-results', 'milk-tests', 'icarTestDayResultEventResource', 'org.herdbook', 'test-day-results:1', 1, 1772366400000, 1772366400000, 1764547200000, 1, 1, 0, '{"resourceType":"icarTestDayResultEventResource","meta":{"source":"org.herdbook","sourceId":"test-day-results:1","modified":"2026-03-01T12:00:00.000Z","created":"2026-03-01T12:00:00.000Z"},"location":{"id":"1","scheme":"org.herdbook.orgid"},"id":"1","animal":{"id":"643000000000001","scheme":"org.herdbook.animal"},"eventDateTime":"2025-12-01T00:00:00.000Z","milkWeight24Hours":{"value":31.4,"unitCode":"KGM"}}');
INSERT INTO "exchange_documents" ("id", "seq", "dataset", "collection", "resource_type", "source", "source_id", "location", "modified", "created", "event_at", "record", "deleted", "body") VALUES
  (28, 28, 'test-days', 'milk-tests', 'icarTestDayResource', 'org.herdbook', 'test-days:1:2025-12-01', 1, 1772366400000, 1772366400000, 1764547200000, 1, 0, '{"resourceType":"icarTestDayResource","meta":{"source":"org.herdbook","sourceId":"test-days:1:2025-12-01","modified":"2026-03-01T12:00:00.000Z","created":"2026-03-01T12:00:00.000Z"},"location":{"id":"1","scheme":"org.herdbook.orgid"},"id":"1:2025-12-01","beginDate":"2025-12-01T00:00:00.000Z","endDate":"2025-12-01T23:59:59.000Z"}');
INSERT INTO "exchange_documents" ("id", "seq", "dataset", "collection", "resource_type", "source", "source_id", "location", "modified", "created", "event_at", "animal", "record", "deleted", "body", "wording") VALUES
  (30, 30, 'weights', 'weighings', 'icarWeightEventResource', 'scale.example', 'w1', 1, 1772366400000, 1772366400000, 1769904000000, 2, 1, 0, '{"resourceType":"icarWeightEventResource","meta":{"source":"scale.example","sourceId":"w1","modified":"2026-03-01T12:00:00.000Z","created":"2026-03-01T12:00:00.000Z"},"location":{"id":"1","scheme":"org.herdbook.orgid"},"id":"1","animal":{"id":"643000000000002","scheme":"org.herdbook.animal"},"eventDateTime":"2026-02-01T00:00:00Z","weight":{"measurement":612.5,"units":"KGM"}}', '[["/eventDateTime","2026-02-01T00:00:00Z"]]');

INSERT INTO "exchange_intakes" ("location", "source", "taken_at") VALUES
  (1, 'scale.example', 1772366400000);

INSERT INTO "exchange_sent" ("location", "source", "source_id", "dataset", "modified", "seq", "batch", "live", "organization", "named", "named_above") VALUES
  (1, 'scale.example', 'w1', 'weights', 1769904000000, 31, '6e674852-8965-49d0-ad45-f1ab615f149d', 1, 1, 0, 0);

INSERT INTO "exchange_state" ("name", "value") VALUES
  ('generation', '3511517788416379633');
INSERT INTO "exchange_state" ("name", "value") VALUES
  ('incarnation', '17073543900277009922');

INSERT INTO "milk_tests" ("id", "animal", "owner_org", "date", "milk_yield", "test_code", "lactation_number", "official", "source", "days_in_milk", "verification", "seq", "updated_at", "created_at") VALUES
  (1, 1, 1, 1764547200000, 31.4, 'none', 1, 0, 'lab', 28, 'unverified', 24, 1772366400000, 1772366400000);

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

INSERT INTO "users" ("id", "email", "last_name", "first_name", "role", "organization", "org_role", "confirmed", "accepted_policy", "notify_submissions", "notify_trust", "notify_news", "enable_api_key", "verifier", "sessions", "seq", "updated_at", "created_at") VALUES
  (1, 'user1@example.org', 'Smith', 'Ann', 'farmer', 1, 'head', 0, 0, 1, 1, 0, 0, '$argon2id$v=19$m=64,t=1,p=1$+Lw+FXxLGDcBCw6kpxf/pg$v0ppzq3rzjyew+vgIOuQVAm+nmE7WoNmvt4TsekpviI', '[{"id":"5fdae334-c04a-4b98-afd1-9ceca3887170","createdAt":"2026-03-01T12:00:00.000Z","expiresAt":"2026-03-01T14:00:00.000Z","kind":"password"}]', 12, 1772366400000, 1772366400000);
INSERT INTO "users" ("id", "email", "last_name", "first_name", "role", "organization", "org_role", "confirmed", "accepted_policy", "notify_submissions", "notify_trust", "notify_news", "enable_api_key", "verifier", "sessions", "seq", "updated_at", "created_at") VALUES
  (2, 'user2@example.org', 'Smith', 'Ann', 'farmer', 2, 'head', 0, 0, 1, 1, 0, 0, '$argon2id$v=19$m=64,t=1,p=1$cldbiHLGgeIxfNMSSZpjjA$lJNyLb4Mp58mueSjiZ5bylioz5qGbv1GHv/ef9N298A', '[{"id":"f55ca839-b067-4f86-bb8e-72ec2075a296","createdAt":"2026-03-01T12:00:00.000Z","expiresAt":"2026-03-01T14:00:00.000Z","kind":"password"}]', 14, 1772366400000, 1772366400000);
INSERT INTO "users" ("id", "email", "last_name", "first_name", "role", "org_role", "confirmed", "accepted_policy", "notify_submissions", "notify_trust", "notify_news", "enable_api_key", "verifier", "sessions", "seq", "updated_at", "created_at") VALUES
  (3, 'user3@example.org', 'Smith', 'Ann', 'expert', 'head', 0, 0, 1, 1, 0, 0, '$argon2id$v=19$m=64,t=1,p=1$xJSyHcGLZGaTdQUYhvIhrg$f8HNMiFY0R1VIe1MII2u2inLFalwy+jXsP9Qxg0cbi8', '[{"id":"b309ab4d-dd1a-4f00-a976-1020b3565fd7","createdAt":"2026-03-01T12:00:00.000Z","expiresAt":"2026-03-01T14:00:00.000Z","kind":"password"}]', 16, 1772366400000, 1772366400000);

INSERT INTO "weighings" ("id", "animal", "owner_org", "date", "weight", "lactation_number", "age_days", "verification", "ade_source", "ade_source_id", "seq", "updated_at", "created_at") VALUES
  (1, 2, 1, 1769904000000, 612.5, 0, 2223, 'unverified', 'scale.example', 'w1', 29, 1772366400000, 1772366400000);
COMMIT;
