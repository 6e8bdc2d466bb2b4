CREATE TABLE "exchange_said" (
    "location" INTEGER NOT NULL,
    "source" TEXT NOT NULL,
    "source_id" TEXT NOT NULL,
    "dataset" TEXT NOT NULL,
    "members" TEXT NOT NULL,
    PRIMARY KEY ("location", "source", "source_id", "dataset")
);
