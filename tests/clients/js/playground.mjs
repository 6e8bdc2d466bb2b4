// GraphiQL in a browser, as a stranger and signed in, on a wide and on a narrow screen: a field is completed, the examples
// run, answers and errors are shown, and nothing comes from elsewhere.
// node playground.mjs URL BROWSER [FOLDER-FOR-PICTURES]

import assert from "node:assert/strict";
import path from "node:path";
import { chromium } from "playwright-core";
import { findings } from "./html.mjs";

const [url, executablePath, pictures] = process.argv.slice(2);
const address = `${url}/api/graphql-playground`;
// As root, as in containers, Chromium starts without its sandbox only; it visits nothing but our own page.
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-dev-shm-usage"] });
assert.deepEqual(await findings(await (await fetch(address)).text()), []);
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
  page.on("console", (message) => message.type() === "error" && faults.push(message.text()));
  page.on("pageerror", (fault) => faults.push(String(fault)));
  page.on("request", (request) => /^(data|blob):/.test(request.url()) || new URL(request.url()).origin === url || faults.push(request.url()));
  // What the page still asked when it was left was given up.
  const left = (request) => request.failure()?.errorText === "net::ERR_ABORTED";
  page.on("requestfailed", (request) => left(request) || faults.push(`failed: ${request.url()}`));

  await opened(page);
  await picture(page, "loaded", viewport);
  assert.deepEqual(await names(page), ["Animal", "Page", "TestDays", "Farms", "WhoAmI", "Type"]);
  const stranger = await answered(page);
  const [cow] = stranger.data.Animals.docs;
  assert.ok(cow.calvings.docs.length > 0, "the example shows calvings");
  assert.equal(cow.pedigree.nodes[0].doc.identNumber, cow.identNumber);
  assert.ok(cow.pedigree.nodes.length > 1, "the example shows ancestors");
  assert.equal(cow.movements, null, "movements are not told to strangers");

  // A dialog opens in spite of the strict policy.
  await page.getByLabel("Open settings dialog").click();
  await page.getByRole("dialog").waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "hidden" });

  // The name of a field is completed from the schema; what is not in the schema is refused, and the page says so.
  await page.getByLabel("New tab").click();
  await page.waitForFunction(() => document.querySelector(".graphiql-query-editor .CodeMirror").CodeMirror.getValue() === "");
  await page.locator(".graphiql-query-editor .CodeMirror").click();
  await page.keyboard.type("{ Animal");
  const offered = page.locator(".CodeMirror-hints li");
  await offered.filter({ hasText: /^Animals/ }).first().waitFor();
  await picture(page, "completion", viewport);
  await offered.filter({ hasText: /^Animals/ }).first().click();
  assert.match(await typed(page), /^\{ ?Animals/);
  await page.keyboard.type(" { totalDocs nothing } }");
  await page.keyboard.press("Escape");
  await write(page, "{ Animals { totalDocs nothing } }");
  const refused = await answered(page);
  assert.match(refused.errors[0].message, /nothing/);
  await write(page, "{ Animals { totalDocs } }");
  assert.ok((await answered(page)).data.Animals.totalDocs > 0);

  // By the sign-in of all pages and back.
  await page.getByRole("link", { name: "Sign in" }).click();
  await page.fill("#email", "farm1@demo.herdbook");
  await page.fill("#password", "demo-herdbook");
  await page.click("main button[type=submit]");
  await page.waitForURL(address);
  await page.getByText("farm1@demo.herdbook", { exact: true }).waitFor();
  assert.ok(!(await page.getByRole("link", { name: "Sign in" }).isVisible()));
  await tab(page, "Animal");
  const farm = await answered(page, () => page.keyboard.press("Control+Enter"));
  await picture(page, "signed-in", viewport);
  assert.ok(farm.data.Animals.totalDocs > stranger.data.Animals.totalDocs, "a farm sees more cows with calvings");
  // Which cows come first depends on the day and on who asks.
  const own = farm.data.Animals.docs.find((one) => one.movements?.docs.length > 0);
  assert.ok(own, "a farm sees movements");
  assert.ok(own.pedigree.nodes.length > 1, "a farm sees ancestors");
  const same = farm.data.Animals.docs.find((one) => one.id === cow.id);
  assert.ok(!same || same.pedigree.nodes.length >= cow.pedigree.nodes.length, "a farm sees no fewer ancestors");

  // Each of the other examples has data and no error for a farm, and its tab keeps its own answer.
  for (const name of ["Page", "TestDays", "Farms", "WhoAmI", "Type"]) {
    await tab(page, name);
    const answer = await answered(page);
    assert.equal(answer.errors, undefined, `${name}: ${JSON.stringify(answer.errors)}`);
    assert.ok(Object.values(answer.data).every(Boolean), name);
  }
  await tab(page, "Animal");
  assert.deepEqual(JSON.parse(await shown(page)), farm);
  const { wide, stored } = await page.evaluate(() => ({
    wide: document.documentElement.scrollWidth - document.documentElement.clientWidth,
    stored: localStorage.length,
  }));
  assert.equal(wide, 0, "nothing lies beyond the edge");
  assert.equal(stored, 0, "nothing stays on a shared computer");

  await page.getByRole("button", { name: "Sign out" }).click();
  await page.waitForURL(`${url}/`);
  await opened(page);
  const again = await names(page);
  assert.deepEqual(again, [...new Set(again)], "no tab comes twice");
  await tab(page, "Animal");
  assert.deepEqual(await answered(page), stranger);
  assert.ok(await page.getByRole("link", { name: "Sign in" }).isVisible());
  assert.deepEqual(faults, []);
  await context.close();
  return `${viewport.width} px: ${stranger.data.Animals.totalDocs} cows for a stranger, ${farm.data.Animals.totalDocs} for a farm`;
}

/** The page, with its schema. */
async function opened(page) {
  const schema = page.waitForResponse((one) => one.url() === `${url}/api/graphql` && one.request().postData()?.includes("IntrospectionQuery"));
  await page.goto(address);
  const answer = await (await schema).json();
  assert.ok(answer.data.__schema.types.length > 100);
  await page.getByRole("button", { name: /Execute query/ }).waitFor();
}

async function names(page) {
  return page.locator(".graphiql-tab-button").allTextContents();
}

/** Opens a tab. */
async function tab(page, name) {
  await page.locator(".graphiql-tab-button", { hasText: new RegExp(`^${name}$`) }).click();
  await page.waitForFunction((name) => {
    const { CodeMirror } = document.querySelector(".graphiql-query-editor .CodeMirror");
    return CodeMirror.getValue().includes(`query ${name}`);
  }, name);
  await settled(page);
  await page.locator(".graphiql-query-editor .CodeMirror").click();
}

async function typed(page) {
  return page.evaluate(() => document.querySelector(".graphiql-query-editor .CodeMirror").CodeMirror.getValue());
}

async function write(page, query) {
  await page.evaluate((query) => document.querySelector(".graphiql-query-editor .CodeMirror").CodeMirror.setValue(query), query);
  await settled(page);
}

/** GraphiQL has read what stands in its editor, the name of the operation too. */
async function settled(page) {
  await page.waitForFunction(() => {
    const { CodeMirror } = document.querySelector(".graphiql-query-editor .CodeMirror");
    return CodeMirror.documentAST?.loc?.source.body === CodeMirror.getValue();
  });
}

async function shown(page) {
  return page.evaluate(() => document.querySelector(".result-window .CodeMirror").CodeMirror.getValue());
}

/** What the page shows once the server has answered the query of the open tab. */
async function answered(page, act = () => page.getByRole("button", { name: /Execute query/ }).click()) {
  const query = await typed(page);
  const coming = page.waitForResponse((response) => {
    const body = response.request().postData();
    return response.url() === `${url}/api/graphql` && body !== null && JSON.parse(body).query === query;
  });
  await act();
  const answer = await (await coming).json();
  const text = JSON.stringify(answer, null, 2);
  await page.waitForFunction((text) => document.querySelector(".result-window .CodeMirror").CodeMirror.getValue() === text, text);
  return answer;
}

async function picture(page, name, { width }) {
  if (pictures) await page.screenshot({ path: path.join(pictures, `playground-${width}-${name}.png`), fullPage: true });
}
