// The page to try queries on, in a browser: as a stranger and signed in, on a wide and on a narrow screen.
// node playground.mjs URL BROWSER [FOLDER-FOR-PICTURES]

import assert from "node:assert/strict";
import path from "node:path";
import { chromium } from "playwright-core";

const [url, executablePath, pictures] = process.argv.slice(2);
const address = `${url}/api/graphql-playground`;
// As root, as in containers, Chromium starts without its sandbox only; it visits nothing but our own page.
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-dev-shm-usage"] });
const seen = [];
try {
  for (const viewport of [{ width: 1280, height: 800 }, { width: 390, height: 844 }]) {
    seen.push(await tried(viewport));
  }
} finally {
  await browser.close();
}
console.log(`Chromium ${browser.version()}: ${seen.join("; ")}`);

async function tried(viewport) {
  const context = await browser.newContext({ viewport });
  const page = await context.newPage();
  const faults = [];
  page.on("console", (message) => ["error", "warning"].includes(message.type()) && faults.push(message.text()));
  page.on("pageerror", (fault) => faults.push(String(fault)));
  page.on("request", (request) => new URL(request.url()).origin === url || faults.push(request.url()));
  page.on("requestfailed", (request) => faults.push(`failed: ${request.url()}`));

  await page.goto(address);
  await picture(page, "loaded", viewport);
  await legible(page);
  const stranger = await answered(page, () => page.getByRole("button", { name: "Run" }).click());
  const [cow] = stranger.data.Animals.docs;
  assert.ok(cow.calvings.docs.length > 0, "the example shows calvings");
  assert.equal(cow.pedigree.nodes[0].doc.identNumber, cow.identNumber);
  assert.ok(cow.pedigree.nodes.length > 1, "the example shows ancestors");
  assert.equal(cow.movements, null, "movements are not told to strangers");

  await page.getByLabel("E-mail address").fill("farm1@demo.herdbook");
  await page.getByLabel("Password").fill("wrong");
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByText("The email or password provided is incorrect.").waitFor();
  await page.getByLabel("Password").fill("demo-herdbook");
  // Signing in runs the open query again by itself.
  await answered(page, () => page.getByRole("button", { name: "Sign in" }).click());
  await page.getByText("farm1@demo.herdbook", { exact: true }).waitFor();
  assert.ok(!(await page.getByLabel("Password").isVisible()));
  const farm = await answered(page, () => page.getByLabel("Query", { exact: true }).press("Control+Enter"));
  await picture(page, "signed-in", viewport);
  await legible(page);
  assert.ok(farm.data.Animals.totalDocs > stranger.data.Animals.totalDocs, "a farm sees more cows with calvings");
  // Which cows come first depends on the day and on who asks.
  const own = farm.data.Animals.docs.find((one) => one.movements?.docs.length > 0);
  assert.ok(own, "a farm sees movements");
  assert.ok(own.pedigree.nodes.length > 1, "a farm sees ancestors");
  const same = farm.data.Animals.docs.find((one) => one.id === cow.id);
  assert.ok(!same || same.pedigree.nodes.length >= cow.pedigree.nodes.length, "a farm sees no fewer ancestors");

  // Each of the other examples has data and no error for a farm, and its tab keeps its own answer.
  const names = (await page.getByRole("tab").allTextContents()).slice(1);
  assert.equal(names.length, 5);
  for (const name of names) {
    await page.getByRole("tab", { name }).click();
    const told = await answered(page, () => page.getByRole("button", { name: "Run" }).click());
    assert.equal(told.errors, undefined, `${name}: ${JSON.stringify(told.errors)}`);
    assert.ok(Object.values(told.data).every(Boolean), name);
  }
  await page.getByRole("tab").first().click();
  assert.deepEqual(JSON.parse(await page.getByLabel("Answer").textContent()), farm);

  const again = await answered(page, () => page.getByRole("button", { name: "Sign out" }).click());
  assert.deepEqual(again, stranger);
  assert.ok(await page.getByLabel("Password").isVisible());
  assert.deepEqual(faults, []);
  await context.close();
  return `${viewport.width} px: ${stranger.data.Animals.totalDocs} cows for a stranger, ` +
    `${farm.data.Animals.totalDocs} for a farm, ${names.length + 1} examples`;
}

/** What the page shows once the server has answered the query of the open tab, which `act` asks. */
async function answered(page, act) {
  const query = await page.getByLabel("Query", { exact: true }).inputValue();
  const coming = page.waitForResponse((response) => {
    const body = response.request().postData();
    return response.url() === `${url}/api/graphql` && body !== null && JSON.parse(body).query === query;
  });
  await act();
  const told = await (await coming).json();
  const text = JSON.stringify(told, null, 2);
  await page.waitForFunction((text) => document.getElementById("answer").textContent === text, text);
  return told;
}

/** Nothing lies beyond the edge, and no button has the colour of its ground. */
async function legible(page) {
  const found = await page.evaluate(() => {
    const buttons = [...document.querySelectorAll("button, input")].filter((one) => one.checkVisibility());
    const faint = buttons.filter((one) => getComputedStyle(one).color === getComputedStyle(one).backgroundColor);
    const { scrollWidth, clientWidth } = document.documentElement;
    return { count: buttons.length, faint: faint.map((one) => one.textContent), wider: scrollWidth - clientWidth };
  });
  assert.ok(found.count > 6);
  assert.deepEqual(found.faint, []);
  assert.equal(found.wider, 0);
}

async function picture(page, name, { width }) {
  if (pictures) await page.screenshot({ path: path.join(pictures, `playground-${width}-${name}.png`), fullPage: true });
}
