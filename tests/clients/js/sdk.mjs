// Every call that the SDK of Payload CMS 3 has for what the server offers, against a running demonstration book.
// node sdk.mjs URL FOLDER-OF-LETTERS

import { PayloadSDK, PayloadSDKError } from "@payloadcms/sdk";
import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import path from "node:path";

const [url, letters] = process.argv.slice(2);
const sdk = new PayloadSDK({ baseURL: `${url}/api` });
const password = "demo-herdbook";

/** A client that sends the token of an account with every request. */
async function as(email, secret = password) {
  const { token, user, exp } = await sdk.login({ collection: "users", data: { email, password: secret } });
  assert.equal(user.email, email);
  assert.ok(exp > Date.now() / 1000);
  const baseInit = { headers: { Authorization: `JWT ${token}` } };
  return new PayloadSDK({ baseURL: `${url}/api`, baseInit });
}

const done = [];
async function step(name, work) {
  try {
    await work();
  } catch (fault) {
    if (fault instanceof PayloadSDKError) {
      console.error(name, fault.status, JSON.stringify(fault.errors));
    }
    throw new Error(`${name}: ${fault.message}`, { cause: fault });
  }
  done.push(name);
}

const farm = await as("farm1@demo.herdbook");
const admin = await as("association@demo.herdbook");
let cow, test;

await step("find", async () => {
  const found = await farm.find({
    collection: "animals",
    where: { and: [{ sex: { equals: "female" } }, { state: { in: ["alive", "sold"] } }] },
    sort: ["-birthDate", "id"], limit: 3, depth: 1, select: { identNumber: true, herd: true, owner: true },
    populate: { herds: { name: true } },
  });
  assert.equal(found.docs.length, 3);
  assert.equal(found.limit, 3);
  assert.ok(found.totalDocs > 3 && found.hasNextPage && found.nextPage === 2);
  const user = (await farm.me({ collection: "users" })).user;
  const mine = await farm.find({
    collection: "animals", depth: 0, limit: 1,
    where: { owner: { equals: user.organization.id ?? user.organization }, sex: { equals: "female" },
      state: { equals: "alive" }, birthDate: { less_than: "2023-01-01" } },
  });
  cow = mine.docs[0].id;
});
await step("find with joins and an empty list", async () => {
  const found = await farm.find({
    collection: "animals", where: { id: { equals: cow } }, depth: 0,
    select: { milkTests: true }, joins: { milkTests: { limit: 2, sort: "-date", count: true } },
  });
  const joined = found.docs[0].milkTests;
  assert.ok(joined.docs.length <= 2 && typeof joined.totalDocs === "number");
  const none = await farm.find({ collection: "animals", where: { id: { in: [] } } });
  assert.equal(none.totalDocs, 0);
});
await step("create", async () => {
  test = await farm.create({
    collection: "milk-tests",
    data: { animal: cow, date: new Date("2026-01-10T00:00:00Z"), milkYield: 31.5, fatPercent: 4.1 }, depth: 0,
  });
  assert.equal(test.animal, cow);
  assert.equal(test.date, "2026-01-10T00:00:00.000Z");
  assert.equal(test.dailyYield, 31.5);
});
await step("findByID", async () => {
  const read = await farm.findByID({ collection: "milk-tests", id: test.id, depth: 1 });
  assert.equal(read.animal.id, cow);
  const none = await farm.findByID({ collection: "milk-tests", id: 999999999, disableErrors: true });
  assert.equal(none, null);
});
await step("update", async () => {
  const changed = await farm.update({ collection: "milk-tests", id: test.id, data: { fatPercent: 4.4 } });
  assert.equal(changed.fatPercent, 4.4);
  assert.equal(changed.milkYield, 31.5);
});
await step("update many", async () => {
  const changed = await farm.update({
    collection: "milk-tests", where: { id: { in: [test.id] } }, data: { proteinPercent: 3.3 },
  });
  assert.equal(changed.docs.length, 1);
  assert.deepEqual(changed.errors, []);
});
await step("count", async () => {
  const { totalDocs } = await farm.count({ collection: "milk-tests", where: { animal: { equals: cow } } });
  assert.ok(totalDocs > 0);
});
await step("faults are told by path", async () => {
  const wrong = farm.create({ collection: "milk-tests", data: { animal: cow, date: "2026-01-11", milkYield: -1 } });
  await assert.rejects(wrong, (fault) => {
    assert.ok(fault instanceof PayloadSDKError);
    assert.equal(fault.status, 400);
    assert.equal(fault.errors[0].data.errors[0].path, "milkYield");
    return true;
  });
});
await step("delete", async () => {
  const gone = await farm.delete({ collection: "milk-tests", id: test.id });
  assert.equal(gone.id, test.id);
});
await step("delete many", async () => {
  const data = { animal: cow, milkYield: 30 };
  const one = await farm.create({ collection: "milk-tests", data: { ...data, date: "2026-01-12" } });
  const two = await farm.create({ collection: "milk-tests", data: { ...data, date: "2026-01-13" } });
  const gone = await farm.delete({ collection: "milk-tests", where: { id: { in: [one.id, two.id] } } });
  assert.equal(gone.docs.length, 2);
});
await step("upload", async () => {
  // A picture of one pixel.
  const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
  const file = new File([Buffer.from(pixel, "base64")], "cow one.png", { type: "image/png" });
  const media = await farm.create({ collection: "media", file, data: { alt: "A cow" } });
  assert.equal(media.mimeType, "image/png");
  assert.equal(media.width, 1);
  await farm.delete({ collection: "media", id: media.id });
});
await step("me and refresh", async () => {
  assert.equal((await sdk.me({ collection: "users" })).user, null);
  const me = await farm.me({ collection: "users" });
  assert.equal(me.user.email, "farm1@demo.herdbook");
  const fresh = await farm.refreshToken({ collection: "users" });
  assert.ok(fresh.refreshedToken);
});
await step("forgot and reset", async () => {
  const email = `client-${Date.now()}@demo.herdbook`;
  await admin.create({
    collection: "users",
    data: { email, password: "first-password", firstName: "Clara", lastName: "Client", role: "individual" },
  });
  await sdk.forgotPassword({ collection: "users", data: { email } });
  const token = await letter(email);
  const { user } = await sdk.resetPassword({ collection: "users", data: { token, password: "second-password" } });
  assert.equal(user.email, email);
  await as(email, "second-password");
  await assert.rejects(as(email, "first-password"), (fault) => fault.status === 401);
});

/** The token in the newest letter to an address, as soon as it is there. */
async function letter(email) {
  for (let tries = 0; tries < 200; tries++) {
    for (const name of await readdir(letters).catch(() => [])) {
      const text = (await readFile(path.join(letters, name), "utf8")).replace(/=\r?\n/g, "").replace(/=3D/g, "=");
      const token = text.includes(email) && /(?:token=|reset\/|"token": ")([A-Za-z0-9_-]{20,})/.exec(text);
      if (token) return token[1];
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`no letter to ${email} in ${letters}`);
}

console.log(`@payloadcms/sdk: ${done.length} steps: ${done.join(", ")}`);
