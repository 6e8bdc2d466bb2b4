CREATE TABLE "exchange_said" (
    "location" bigint NOT NULL,
    "source" text NOT NULL,
    "source_id" text NOT NULL,
    "dataset" text NOT NULL,
    "members" text NOT NULL,
    PRIMARY KEY ("location", "source", "source_id", "dataset")
);
