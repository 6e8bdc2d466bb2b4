-- When sessions were last used.
CREATE TABLE "sign_in_uses" (
    "sid" TEXT NOT NULL PRIMARY KEY,
    "account" INTEGER NOT NULL,
    "used_at" INTEGER NOT NULL
);
CREATE INDEX "sign_in_uses_account_idx" ON "sign_in_uses" ("account");
CREATE INDEX "sign_in_uses_used_at_idx" ON "sign_in_uses" ("used_at");

-- Second factors of accounts.
ALTER TABLE "users" ADD COLUMN "second_factor" TEXT;
