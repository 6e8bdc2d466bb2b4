-- A small book as the migrations up to 0011 left it.

CREATE TABLE _sqlx_migrations (version BIGINT PRIMARY KEY, description TEXT NOT NULL, installed_on TIMESTAMPTZ NOT NULL DEFAULT now(), success BOOLEAN NOT NULL, checksum BYTEA NOT NULL, execution_time BIGINT NOT NULL);
BEGIN;
SET CONSTRAINTS ALL DEFERRED;
INSERT INTO "_sqlx_migrations" ("version", "description", "success", "checksum", "execution_time") VALUES
  ('1', 'core', 'true', E'\\xc59f3884ea8abeb2f7f065f4cc9bf83730ca740d7efbc05b99f054b2651fc23d0b0d7d4567d110c0beb324e80801d97b', '524182652');
INSERT INTO "_sqlx_migrations" ("version", "description", "success", "checksum", "execution_time") VALUES
  ('2', 'released', 'true', E'\\x20338cb97da8a1b8312b2ddf95f2925e877b377403564e28e8d2a40d7d12ef176f30fcc13efd3bb0eb49461a9e0a0c71', '1184987');
INSERT INTO "_sqlx_migrations" ("version", "description", "success", "checksum", "execution_time") VALUES
  ('3', 'mergers', 'true', E'\\x63292f9a48ddfb9bffed4215036bec93f4fee01a0ea30ac3b6b65e446815f9ef30c48c00c6af1bdfe0ce45a943f36538', '5972719');
INSERT INTO "_sqlx_migrations" ("version", "description", "success", "checksum", "execution_time") VALUES
  ('4', 'security', 'true', E'\\x70c25b6dfd42b03a2b828c5ac7b9e25d51452bd8cade8ff3f2277404670a670ca1afc4622d6f1f3bc2263e6509eaeb03', '33051907');
INSERT INTO "_sqlx_migrations" ("version", "description", "success", "checksum", "execution_time") VALUES
  ('5', 'sent_as_sent', 'true', E'\\x08e085dc12a9e3383e529f84112ff19766cca2dfd200361f28b09d9a286ce7005a64e6ee691b24e94cf2f929c8cf7bac', '3819827');
INSERT INTO "_sqlx_migrations" ("version", "description", "success", "checksum", "execution_time") VALUES
  ('6', 'mandates', 'true', E'\\x9f9134677d088abd33b7eac921dfcd0b806e1ec42a3302b39820a8eb6e1f0ff37d9e111706ce956fcc9bbb6cb79411ad', '9817738');
INSERT INTO "_sqlx_migrations" ("version", "description", "success", "checksum", "execution_time") VALUES
  ('7', 'sent_sets', 'true', E'\\xa8f11ba6091f9f5c8029e47db83702025b11a73dbc4aae4815d39ec5860699b8ede164116ba5f198fd5d1e53a45674e4', '1610221');
INSERT INTO "_sqlx_migrations" ("version", "description", "success", "checksum", "execution_time") VALUES
  ('8', 'arrivals', 'true', E'\\xbd7f30c0fb9cf617dca3a67ec8620d7dd5322d4007f955d8bb613cb79159dce2c1b2675083c92c31b263ad635ec2071f', '1810500');
INSERT INTO "_sqlx_migrations" ("version", "description", "success", "checksum", "execution_time") VALUES
  ('9', 'corrections', 'true', E'\\xeb6dbd89e9db0184e6e5a155be58dd6465ce3a714baae2e7bb30f5390b86375f2dbb5233a9e6a9a8ed763d70c8a29c89', '3216428');
INSERT INTO "_sqlx_migrations" ("version", "description", "success", "checksum", "execution_time") VALUES
  ('10', 'births', 'true', E'\\x5c343e3992d029375e9d62481deb737c22651f9161d3b22c9c7fda12d93b99e6e59c387c8d3fc04d3a177933fe4d5dc1', '4763525');
INSERT INTO "_sqlx_migrations" ("version", "description", "success", "checksum", "execution_time") VALUES
  ('11', 'test_sums', 'true', E'\\x78f8bdb29ac4b5eaff6717b035a8ce42a6c96d8a960eb2c21521b84a55dd7b29007117a874649e5c2630626212fba9c6', '442660');

INSERT INTO "animal_revisions" ("id", "owner_org", "collection", "record_id", "animal", "at", "user", "path", "label", "after", "source", "class", "seq", "updated_at", "created_at") VALUES
  ('1', '1', 'animals', '1', '1', '2026-03-01 12:00:00+00', '1', 'name', 'Name', E'Meadow''s "best" \\ 1', 'manual', 'r', '33', '2026-03-01 12:00:00+00', '2026-03-01 12:00:00+00');

INSERT INTO "animals" ("id", "uuid", "ident_number", "id_format", "name", "name_latin", "sex", "sex_status", "birth_date", "age_group", "age_group_date", "owner", "public_visible", "public_details", "for_sale", "archived", "registration_basis", "genetics_cvm", "genetics_blad", "genetics_dumps", "trust_level", "registration_status", "state", "pedigree_depth", "parent_status_father", "parent_status_mother", "current_parity", "current_days_in_milk", "current_last_calving_date", "current_lactation_status", "current_reproduction_status", "lactations", "summary_milk_rank", "ipc_rank", "last_edit_user", "last_edit_time", "seq", "updated_at", "created_at", "disputed", "test_sums") VALUES
  ('1', 'e568db9f-63ef-4962-82d2-16fb965c318a', '643000000000001', 'rf', E'Meadow''s "best" \\ 1', E'Meadow''s "best" \\ 1', 'female', 'none', '2020-01-01 00:00:00+00', 'firstCalf', '2025-11-03 00:00:00+00', '1', 'false', 'false', 'false', 'false', 'origin', 'unknown', 'unknown', 'unknown', '0', 'none', 'alive', '0', 'unknown', 'unknown', '1', '118', '2025-11-03 00:00:00+00', 'lactating', 'birthed', '[{"id":"1","number":1,"calvingDate":"2025-11-03T00:00:00.000Z","inseminationDate":null,"serviceBull":null,"dd":88,"milkYield":2763.2,"milk305":null,"fatKg":null,"proteinKg":null,"fat305":null,"protein305":null,"scc":null,"dryOffDate":null,"endDate":"2026-01-30T00:00:00.000Z","lastTestDay":"2025-12-01T00:00:00.000Z","origin":"computed"}]', '-1000000', '-1000000', '1', '2026-03-01 12:00:00+00', '32', '2026-03-01 12:00:00+00', '2026-03-01 12:00:00+00', '0', '1 1762128000000 - 1764547200000 1 0 0 28 31.4 879.1999999999999 879.1999999999999 - -');
INSERT INTO "animals" ("id", "uuid", "ident_number", "id_format", "sex", "sex_status", "birth_date", "age_group", "age_group_date", "owner", "public_visible", "public_details", "for_sale", "archived", "registration_basis", "genetics_cvm", "genetics_blad", "genetics_dumps", "trust_level", "registration_status", "state", "pedigree_depth", "parent_status_father", "parent_status_mother", "summary_milk_rank", "ipc_rank", "seq", "updated_at", "created_at", "disputed") VALUES
  ('2', '03a2b6ba-2619-4f64-9ae6-c793f85ec725', '643000000000002', 'rf', 'female', 'none', '2020-01-01 00:00:00+00', 'heifer', '2026-03-01 00:00:00+00', '1', 'false', 'false', 'false', 'false', 'origin', 'unknown', 'unknown', 'unknown', '0', 'none', 'alive', '0', 'unknown', 'unknown', '-1000000', '-1000000', '8', '2026-03-01 12:00:00+00', '2026-03-01 12:00:00+00', '0');
INSERT INTO "animals" ("id", "uuid", "ident_number", "id_format", "sex", "sex_status", "birth_date", "age_group", "age_group_date", "owner", "public_visible", "public_details", "for_sale", "archived", "registration_basis", "genetics_cvm", "genetics_blad", "genetics_dumps", "trust_level", "registration_status", "state", "pedigree_depth", "parent_status_father", "parent_status_mother", "summary_milk_rank", "ipc_rank", "seq", "updated_at", "created_at", "disputed") VALUES
  ('3', 'baa4f7ec-3bfc-4176-a7ed-7cc670def716', '643000000000003', 'rf', 'female', 'none', '2020-01-01 00:00:00+00', 'heifer', '2026-03-01 00:00:00+00', '2', 'false', 'false', 'false', 'false', 'origin', 'unknown', 'unknown', 'unknown', '0', 'none', 'alive', '0', 'unknown', 'unknown', '-1000000', '-1000000', '10', '2026-03-01 12:00:00+00', '2026-03-01 12:00:00+00', '0');

INSERT INTO "book_ids" ("name", "next") VALUES
  ('animal_revisions', '2');
INSERT INTO "book_ids" ("name", "next") VALUES
  ('animals', '4');
INSERT INTO "book_ids" ("name", "next") VALUES
  ('calvings', '2');
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
  ('1', '34', '1772366400000', '17', '{"animal_revisions":17,"animals":17,"book_ids":17,"book_settings":1,"calvings":14,"exchange_batch_parts":16,"exchange_batches":16,"exchange_intakes":16,"exchange_sent":16,"exchange_state":2,"milk_tests":15,"operations":16,"organizations":4,"sign_in_delays":13,"users":13,"weighings":16}');

INSERT INTO "book_settings" ("name", "value") VALUES
  ('files', '2ca98a1bf2424033a70802c9611d2ec8');

INSERT INTO "calvings" ("id", "animal", "owner_org", "number", "date", "event_type", "verification", "seq", "updated_at", "created_at") VALUES
  ('1', '1', '1', '1', '2025-11-03 00:00:00+00', 'calving', 'unverified', '18', '2026-03-01 12:00:00+00', '2026-03-01 12:00:00+00');

INSERT INTO "exchange_batch_parts" ("batch", "part", "items", "results") VALUES
  ('4b3e033e-3638-4f0a-81dd-4f93daa7b925', '0', '1', '{"id":"1","meta":{"source":"scale.example","sourceId":"w1","modified":"2026-02-01T00:00:00Z"},"messages":[{"type":"created","severity":"Information","status":201,"title":"Created"}]}');

INSERT INTO "exchange_batches" ("id", "location", "dataset", "sender", "organization", "strict", "stage", "items", "done", "rejected", "created_at", "ended_at", "due", "attempts") VALUES
  ('4b3e033e-3638-4f0a-81dd-4f93daa7b925', '1', 'weights', '1', '1', 'false', 'done', '1', '1', '0', '1772366400000', '1772366400000', '0', '0');

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
  ('3', '3', 'locations', 'organizations', 'icarLocationResource', 'org.herdbook', 'locations:1', '1', '1772366400000', '1772366400000', '1', 'false', '{"resourceType":"icarLocationResource","meta":{"source":"org.herdbook","sourceId":"locations:1","modified":"2026-03-01T12:00:00.000Z","created":"2026-03-01T12:00:00.000Z"},"location":{"id":"1","scheme":"org.herdbook.orgid"},"identifier":{"id":"1","scheme":"org.herdbook.orgid"},"name":"Meadow"}');
INSERT INTO "exchange_documents" ("id", "seq", "dataset", "collection", "resource_type", "source", "source_id", "location", "modified", "created", "record", "deleted", "body") VALUES
  ('5', '5', 'locations', 'organizations', 'icarLocationResource', 'org.herdbook', 'locations:2', '2', '1772366400000', '1772366400000', '2', 'false', '{"resourceType":"icarLocationResource","meta":{"source":"org.herdbook","sourceId":"locations:2","modified":"2026-03-01T12:00:00.000Z","created":"2026-03-01T12:00:00.000Z"},"location":{"id":"2","scheme":"org.herdbook.orgid"},"identifier":{"id":"2","scheme":"org.herdbook.orgid"},"name":"Second"}');
INSERT INTO "exchange_documents" ("id", "seq", "dataset", "collection", "resource_type", "source", "source_id", "location", "modified", "created", "animal", "record", "deleted", "body") VALUES
  ('7', '34', 'animals', 'animals', 'icarAnimalCoreResource', 'org.herdbook', 'animals:e568db9f-63ef-4962-82d2-16fb965c318a', '1', '1772366400000', '1772366400000', '1', '1', 'false', E'{"resourceType":"icarAnimalCoreResource","meta":{"source":"org.herdbook","sourceId":"animals:e568db9f-63ef-4962-82d2-16fb965c318a","modified":"2026-03-01T12:00:00.000Z","created":"2026-03-01T12:00:00.000Z"},"location":{"id":"1","scheme":"org.herdbook.orgid"},"identifier":{"id":"643000000000001","scheme":"org.herdbook.animal"},"alternativeIdentifiers":[{"id":"e568db9f-63ef-4962-82d2-16fb965c318a","scheme":"org.herdbook.accountingid"}],"specie":"Cattle","gender":"Female","birthDate":"2020-01-01T00:00:00.000Z","name":"Meadow''s \\"best\\" \\\\ 1","officialName":"Meadow''s \\"best\\" \\\\ 1","productionPurpose":"Milk","status":"Alive","lactationStatus":"Lactating","reproductionStatus":"Birthed"}');
INSERT INTO "exchange_documents" ("id", "seq", "dataset", "collection", "resource_type", "source", "source_id", "location", "modified", "created", "animal", "record", "deleted", "body") VALUES
  ('9', '9', 'animals', 'animals', 'icarAnimalCoreResource', 'org.herdbook', 'animals:03a2b6ba-2619-4f64-9ae6-c793f85ec725', '1', '1772366400000', '1772366400000', '2', '2', 'false', '{"resourceType":"icarAnimalCoreResource","meta":{"source":"org.herdbook","sourceId":"animals:03a2b6ba-2619-4f64-9ae6-c793f85ec725","modified":"2026-03-01T12:00:00.000Z","created":"2026-03-01T12:00:00.000Z"},"location":{"id":"1","scheme":"org.herdbook.orgid"},"identifier":{"id":"643000000000002","scheme":"org.herdbook.animal"},"alternativeIdentifiers":[{"id":"03a2b6ba-2619-4f64-9ae6-c793f85ec725","scheme":"org.herdbook.accountingid"}],"specie":"Cattle","gender":"Female","birthDate":"2020-01-01T00:00:00.000Z","productionPurpose":"Milk","status":"Alive"}');
INSERT INTO "exchange_documents" ("id", "seq", "dataset", "collection", "resource_type", "source", "source_id", "location", "modified", "created", "animal", "record", "deleted", "body") VALUES
  ('11', '11', 'animals', 'animals', 'icarAnimalCoreResource', 'org.herdbook', 'animals:baa4f7ec-3bfc-4176-a7ed-7cc670def716', '2', '1772366400000', '1772366400000', '3', '3', 'false', '{"resourceType":"icarAnimalCoreResource","meta":{"source":"org.herdbook","sourceId":"animals:baa4f7ec-3bfc-4176-a7ed-7cc670def716","modified":"2026-03-01T12:00:00.000Z","created":"2026-03-01T12:00:00.000Z"},"location":{"id":"2","scheme":"org.herdbook.orgid"},"identifier":{"id":"643000000000003","scheme":"org.herdbook.animal"},"alternativeIdentifiers":[{"id":"baa4f7ec-3bfc-4176-a7ed-7cc670def716","scheme":"org.herdbook.accountingid"}],"specie":"Cattle","gender":"Female","birthDate":"2020-01-01T00:00:00.000Z","productionPurpose":"Milk","status":"Alive"}');
INSERT INTO "exchange_documents" ("id", "seq", "dataset", "collection", "resource_type", "source", "source_id", "location", "modified", "created", "animal", "record", "deleted", "body") VALUES
  ('22', '26', 'lactations', 'animals', 'icarLactationResource', 'org.herdbook', 'lactations:1:1:Normal', '1', '1772366400000', '1772366400000', '1', '1', 'false', '{"resourceType":"icarLactationResource","meta":{"source":"org.herdbook","sourceId":"lactations:1:1:Normal","modified":"2026-03-01T12:00:00.000Z","created":"2026-03-01T12:00:00.000Z"},"location":{"id":"1","scheme":"org.herdbook.orgid"},"id":"1:1:Normal","animal":{"id":"643000000000001","scheme":"org.herdbook.animal"},"beginDate":"2025-11-03T00:00:00.000Z","endDate":"2026-01-30T00:00:00.000Z","parity":1,"lactationLength":88,"milkAmount":{"value":2763.2,"unitCode":"KGM"},"lastTestDay":"2025-12-01T00:00:00.000Z","lactationType":"Normal"}');
INSERT INTO "exchange_documents" ("id", "seq", "dataset", "collection", "resource_type", "source", "source_id", "location", "modified", "created", "event_at", "animal", "record", "deleted", "body") VALUES
  ('23', '23', 'parturitions', 'calvings', 'icarReproParturitionEventResource', 'org.herdbook', 'parturitions:1', '1', '1772366400000', '1772366400000', '1762128000000', '1', '1', 'false', '{"resourceType":"icarReproParturitionEventResource","meta":{"source":"org.herdbook","sourceId":"parturitions:1","modified":"2026-03-01T12:00:00.000Z","created":"2026-03-01T12:00:00.000Z"},"location":{"id":"1","scheme":"org.herdbook.orgid"},"id":"1","animal":{"id":"643000000000001","scheme":"org.herdbook.animal"},"eventDateTime":"2025-11-03T00:00:00.000Z","damParity":1}');
INSERT INTO "exchange_documents" ("id", "seq", "dataset", "collection", "resource_type", "source", "source_id", "location", "modified", "created", "event_at", "animal", "record", "deleted", "body") VALUES
  ('27', '27', 'test-day-results', 'milk-tests', 'icarTestDayResultEventResource', 'org.herdbook', 'test-day-results:1', '1', '1772366400000', '1772366400000', '1764547200000', '1', '1', 'false', '{"resourceType":"icarTestDayResultEventResource","meta":{"source":"org.herdbook","sourceId":"test-day-results:1","modified":"2026-03-01T12:00:00.000Z","created":"2026-03-01T12:00:00.000Z"},"location":{"id":"1","scheme":"org.herdbook.orgid"},"id":"1","animal":{"id":"643000000000001","scheme":"org.herdbook.animal"},"eventDateTime":"2025-12-01T00:00:00.000Z","milkWeight24Hours":{"value":31.4,"unitCode":"KGM"}}');
INSERT INTO "exchange_documents" ("id", "seq", "dataset", "collection", "resource_type", "source", "source_id", "location", "modified", "created", "event_at", "record", "deleted", "body") VALUES
  ('28', '28', 'test-days', 'milk-tests', 'icarTestDayResource', 'org.herdbook', 'test-days:1:2025-12-01', '1', '1772366400000', '1772366400000', '1764547200000', '1', 'false', '{"resourceType":"icarTestDayResource","meta":{"source":"org.herdbook","sourceId":"test-days:1:2025-12-01","modified":"2026-03-01T12:00:00.000Z","created":"2026-03-01T12:00:00.000Z"},"location":{"id":"1","scheme":"org.herdbook.orgid"},"id":"1:2025-12-01","beginDate":"2025-12-01T00:00:00.000Z","endDate":"2025-12-01T23:59:59.000Z"}');
INSERT INTO "exchange_documents" ("id", "seq", "dataset", "collection", "resource_type", "source", "source_id", "location", "modified", "created", "event_at", "animal", "record", "deleted", "body", "wording") VALUES
  ('30', '30', 'weights', 'weighings', 'icarWeightEventResource', 'scale.example', 'w1', '1', '1772366400000', '1772366400000', '1769904000000', '2', '1', 'false', '{"resourceType":"icarWeightEventResource","meta":{"source":"scale.example","sourceId":"w1","modified":"2026-03-01T12:00:00.000Z","created":"2026-03-01T12:00:00.000Z"},"location":{"id":"1","scheme":"org.herdbook.orgid"},"id":"1","animal":{"id":"643000000000002","scheme":"org.herdbook.animal"},"eventDateTime":"2026-02-01T00:00:00Z","weight":{"measurement":612.5,"units":"KGM"}}', '[["/eventDateTime","2026-02-01T00:00:00Z"]]');

INSERT INTO "exchange_intakes" ("location", "source", "taken_at") VALUES
  ('1', 'scale.example', '1772366400000');

INSERT INTO "exchange_sent" ("location", "source", "source_id", "dataset", "modified", "seq", "batch", "live", "organization", "named", "named_above") VALUES
  ('1', 'scale.example', 'w1', 'weights', '1769904000000', '31', '4b3e033e-3638-4f0a-81dd-4f93daa7b925', 'true', '1', '0', '0');

INSERT INTO "exchange_state" ("name", "value") VALUES
  ('generation', '3511517788416379633');
INSERT INTO "exchange_state" ("name", "value") VALUES
  ('incarnation', '4957551610088644938');

INSERT INTO "milk_tests" ("id", "animal", "owner_org", "date", "milk_yield", "test_code", "lactation_number", "official", "source", "days_in_milk", "verification", "seq", "updated_at", "created_at") VALUES
  ('1', '1', '1', '2025-12-01 00:00:00+00', '31.4', 'none', '1', 'false', 'lab', '28', 'unverified', '24', '2026-03-01 12:00:00+00', '2026-03-01 12:00:00+00');

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

INSERT INTO "users" ("id", "email", "last_name", "first_name", "role", "organization", "org_role", "confirmed", "accepted_policy", "notify_submissions", "notify_trust", "notify_news", "enable_api_key", "verifier", "sessions", "seq", "updated_at", "created_at") VALUES
  ('1', 'user1@example.org', 'Smith', 'Ann', 'farmer', '1', 'head', 'false', 'false', 'true', 'true', 'false', 'false', '$argon2id$v=19$m=64,t=1,p=1$tqOBk5h/SUAa2kDK3a4+jQ$RhEVOGi1X9huC1sHBQ8vRRXWUKqtqHD3FlaQYd2dxN8', '[{"id":"5ac50d69-5b18-4832-8ef3-dfbad177e6e9","createdAt":"2026-03-01T12:00:00.000Z","expiresAt":"2026-03-01T14:00:00.000Z","kind":"password"}]', '12', '2026-03-01 12:00:00+00', '2026-03-01 12:00:00+00');
INSERT INTO "users" ("id", "email", "last_name", "first_name", "role", "organization", "org_role", "confirmed", "accepted_policy", "notify_submissions", "notify_trust", "notify_news", "enable_api_key", "verifier", "sessions", "seq", "updated_at", "created_at") VALUES
  ('2', 'user2@example.org', 'Smith', 'Ann', 'farmer', '2', 'head', 'false', 'false', 'true', 'true', 'false', 'false', '$argon2id$v=19$m=64,t=1,p=1$Zp3o1Cxl4VVy+nBDtZq1IQ$PBdOCVtBcles1MFnO03194mb489FwfXs8kWkJiGuZdk', '[{"id":"5d918cdc-3703-49e8-8d12-a46f2f9f2742","createdAt":"2026-03-01T12:00:00.000Z","expiresAt":"2026-03-01T14:00:00.000Z","kind":"password"}]', '14', '2026-03-01 12:00:00+00', '2026-03-01 12:00:00+00');
INSERT INTO "users" ("id", "email", "last_name", "first_name", "role", "org_role", "confirmed", "accepted_policy", "notify_submissions", "notify_trust", "notify_news", "enable_api_key", "verifier", "sessions", "seq", "updated_at", "created_at") VALUES
  ('3', 'user3@example.org', 'Smith', 'Ann', 'expert', 'head', 'false', 'false', 'true', 'true', 'false', 'false', '$argon2id$v=19$m=64,t=1,p=1$maizctdsper4vJr6S87kxA$kBRYx6KtD3D6HehZwT4t/jLJxSYk/bd9FnuKsLlRw3U', '[{"id":"596df371-3d89-4899-b377-24a881b878bb","createdAt":"2026-03-01T12:00:00.000Z","expiresAt":"2026-03-01T14:00:00.000Z","kind":"password"}]', '16', '2026-03-01 12:00:00+00', '2026-03-01 12:00:00+00');

INSERT INTO "weighings" ("id", "animal", "owner_org", "date", "weight", "lactation_number", "age_days", "verification", "ade_source", "ade_source_id", "seq", "updated_at", "created_at") VALUES
  ('1', '2', '1', '2026-02-01 00:00:00+00', '612.5', '0', '2223', 'unverified', 'scale.example', 'w1', '29', '2026-03-01 12:00:00+00', '2026-03-01 12:00:00+00');
COMMIT;
