-- A confirmed movement is deleted by its recorder only after the giver let it go.
ALTER TABLE "movements" ADD COLUMN "released" boolean;
