-- What partners send comes back as they sent it: the words of a sender beside his document, pregnancy
-- checks as events of their own, and one milking told of by several sources.
ALTER TABLE "exchange_documents" ADD COLUMN "wording" text;
ALTER TABLE "inseminations" ADD COLUMN "check" bigint;
CREATE INDEX "inseminations_check_idx" ON "inseminations" ("check") WHERE "check" IS NOT NULL;
DROP INDEX "milking_visits_animal_started_at_key";
CREATE INDEX "milking_visits_animal_started_at_idx" ON "milking_visits" ("animal", "started_at");
ALTER TABLE "inseminations"
    ADD CONSTRAINT "inseminations_check_fkey" FOREIGN KEY ("check") REFERENCES "events" ("id") ON DELETE SET NULL DEFERRABLE;
