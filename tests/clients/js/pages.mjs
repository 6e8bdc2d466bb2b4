// The pages for people in a browser, in Russian by a telephone and in English on a screen: signing in, a list, an animal, an
// event entered by hand with a mistake first, rows of a form, a package with its faults, a view link, the description of
// the API, the ways in for partners. Then a day of a farm and one of an officer (days.mjs). What every page must be is in
// visit.mjs.
// node pages.mjs URL BROWSER [FOLDER-FOR-PICTURES]

import assert from "node:assert/strict";
import { chromium } from "playwright-core";
import { days } from "./days.mjs";
import { visit } from "./visit.mjs";

const [url, executablePath, pictures] = process.argv.slice(2);
// As root, as in containers, Chromium starts without its sandbox only; it visits nothing but our own pages.
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-dev-shm-usage"] });
const words = {
  "en-US": { required: "This field is required.", milk: "30.5", shown: "30.5", search: "Nothing was found.", made: "Added: Test day of " },
  "ru-RU": { required: "Это поле обязательно.", milk: "30,5", shown: "30,5", search: "Ничего не найдено.", made: "Запись добавлена: " },
};
const seen = [];
try {
  // Side by side, since a page waits for its browser, then for the server.
  const alone = async () => {
    for (const [locale, width] of [["ru-RU", 390], ["en-US", 1280]]) seen.push(await walked(locale, width));
  };
  const [told] = await Promise.all([days(browser, url, pictures), alone()]);
  seen.push(...told);
} finally {
  await browser.close();
}
console.log(`Chromium ${browser.version()}: ${seen.join("; ")}`);

async function walked(locale, width) {
  const { page, violations, sound, open, taken, close } = await visit(browser, url, { locale, width, pictures });

  await open("/", "start");
  await open("/forgotten-password", "forgotten");
  await open("/partners", "partners");
  await open("/help", "first-steps");
  await open("/partners/registry?in=csharp", "partner-stranger");
  await open("/sign-in?next=%2Fbook%2Fanimals", "sign-in");
  await page.fill("#email", "farm1@demo.herdbook");
  await page.fill("#password", "demo-herdbook");
  await page.click("main button[type=submit]");
  await page.waitForURL(`${url}/book/animals`);
  await sound("animals");
  await open("/", "home");
  await open("/book", "book");
  await open("/book/animals?q=nothing+is+called+so", "nothing");
  await page.getByText(words[locale].search).waitFor();
  // A cow of the farm that gives milk.
  const [cow, evaluated] = await page.evaluate(async () => {
    const read = async (place) => (await fetch(place)).json();
    const { user } = await read("/api/users/me?depth=0");
    const tests = await read(`/api/milk-tests?limit=1&depth=0&sort=-lactationNumber&where[ownerOrg][equals]=${user.organization}&where[daysInMilk][exists]=true`);
    const values = await read(`/api/index-values?limit=1&depth=0&where[profileKey][equals]=nm&where[owner][equals]=${user.organization}`);
    return [tests.docs[0].animal, values.docs[0].animal];
  });
  await open(`/book/animals/${cow}`, "animal");
  // What there is at once fits the screen; on a telephone three of them.
  const height = await page.evaluate(() => document.querySelector(".two").getBoundingClientRect().bottom + window.scrollY);
  assert.ok(height <= (width === 390 ? 3 : 1) * 900, `the card is ${height} px high at ${width}`);
  for (const tab of ["pedigree", "reproduction", "health", "documents", "history"]) await open(`/book/animals/${cow}?tab=${tab}`, tab);
  await open(`/book/animals/${cow}?tab=production`, "production");
  assert.ok(await page.locator("svg polyline").count() >= 2);
  await open(`/book/animals/${evaluated}?tab=evaluation`, "evaluated");
  await page.locator("#evaluation table:visible").first().waitFor();
  const long = await page.evaluate(() => document.documentElement.scrollHeight);
  assert.ok(width !== 390 || long <= 3 * 844, `the evaluation is ${long} px high at ${width}`);
  await open(`/book/animals/${evaluated}?print`, "sheet");
  const paper = (await page.pdf({ preferCSSPageSize: true })).toString("latin1");
  assert.equal(paper.match(/\/Type \/Page\b/g).length, 1);
  await open("/evaluation", "evaluation");
  await open("/book/index-values?where[profileKey][equals]=nm&sort=-value", "ranking");
  await open(`/book/animals/${cow}/kinship`, "kinship");
  await open("/book/animals/mating?where[state][equals]=alive", "mating");
  await open("/book/data-submissions/new", "package");
  // The preview comes to the form, which keeps its file.
  const form = page.locator("form:has(button[data-preview])");
  const table = `Инд.№;Дата замера;Удой за день, кг\n111;01.02.2023;31,5\n`;
  await form.locator("input[type=file]").setInputFiles({ name: "preview.csv", mimeType: "text/csv", buffer: Buffer.from(table) });
  await form.locator("select[name=kind]").selectOption("productivity");
  await form.locator("button[data-preview]").click();
  const preview = page.locator("section.preview");
  await preview.getByText("111", { exact: true }).first().waitFor();
  assert.ok(page.url().endsWith("/book/data-submissions/new"));
  assert.equal(await form.locator("input[type=file]").evaluate((input) => input.files.length), 1);
  assert.equal(await page.evaluate(() => document.activeElement.className), "preview");
  await sound("preview");
  await open("/book/animals/777777", "missing", 404);

  // What is wrong stands beside its field; what was typed stays.
  await open(`/book/milk-tests/new?animal=%5B${cow}%5D`, "test");
  await page.evaluate(() => document.querySelectorAll("[required]").forEach((one) => { one.required = false; }));
  await page.fill("#f-date", "");
  await page.fill("#f-milkYield", words[locale].milk);
  await page.click("main form.sheet > button[type=submit]:not(.enter)");
  await page.locator("#f-date-fault").getByText(words[locale].required).waitFor();
  await sound("refused");
  assert.equal(await page.inputValue("#f-milkYield"), words[locale].milk);
  // A month after the test day of the visit before: the checks ask about another interval.
  const day = `2023-0${width === 390 ? 2 : 3}-05`;
  await page.fill("#f-date", day);
  await page.click("main form.sheet > button[type=submit]:not(.enter)");
  await page.waitForURL(/\/book\/milk-tests\/\d+$/);
  await page.getByText(words[locale].shown, { exact: true }).first().waitFor();
  // What was done is told at the top, once.
  assert.ok((await page.locator("main > :first-child").innerText()).startsWith(words[locale].made));
  await sound("stored");
  await page.reload();
  assert.equal(await page.locator(".done").count(), 0);

  // A row more and a row less, without script; what was typed stays.
  await open(`/book/calvings/new?animal=%5B${cow}%5D`, "rows");
  await page.click("#f-progeny summary");
  await page.fill("#f-number", "7");
  for (const rows of [1, 2]) {
    await page.click("#f-progeny > button");
    await page.locator(`#f-progeny-${rows - 1}-sex`).waitFor();
  }
  await page.fill("#f-progeny-1-weight", "41");
  await sound("two-rows");
  await page.click("button[value='progeny.0']");
  await page.waitForFunction(() => document.querySelector("#f-progeny-0-weight")?.value === "41");
  assert.equal(await page.inputValue("#f-number"), "7");
  assert.equal(await page.locator("fieldset.row").count(), 1);

  // A package with its rows and faults, and what the head line finds.
  const sent = await page.evaluate(async (text) => {
    const form = new FormData();
    form.append("_payload", JSON.stringify({ kind: "productivity" }));
    form.append("file", new Blob([text], { type: "text/csv" }), "tests.csv");
    return (await (await fetch("/api/data-submissions?depth=0", { method: "POST", body: form })).json()).doc;
  }, `Инд.№;Дата замера;Удой за день, кг\n111;01.02.2023;${locale} ${width}\n`);
  await taken(sent.id);
  await open(`/book/data-submissions/${sent.id}`, "review");
  await page.locator(".remarks .fault").first().waitFor();
  await page.fill("#find", sent.number);
  await page.press("#find", "Enter");
  await page.waitForURL(/\/find\?|data-submissions/);
  await sound("found");

  await open("/account", "account");
  for (const language of ["curl", "python", "typescript", "csharp"]) await open(`/partners/robot?in=${language}`, `partner-${language}`);
  await open("/api-docs", "api");
  await open("/api-docs?q=list+animals", "operations");
  await page.click("main table a");
  await page.locator(".opblock.is-open").first().waitFor();
  await page.waitForFunction(() => document.querySelector(".opblock h4[aria-level]"));
  // The viewer is of others: what only its own markup could mend is left out.
  assert.deepEqual(await violations({ rules: { "nested-interactive": { enabled: false } } }), [], `viewer ${locale} ${width}`);
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth), 0);
  return `${await close()} pages in ${locale} at ${width} px`;
}
