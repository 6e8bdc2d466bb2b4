// The page of who polls and how, in a browser: as a stranger, as a farm and as the Association, on a wide and on a
// narrow screen, in light and dark.
// node exchange.mjs URL BROWSER [FOLDER-FOR-PICTURES]

import assert from "node:assert/strict";
import path from "node:path";
import { chromium } from "playwright-core";

const [url, executablePath, pictures] = process.argv.slice(2);
const address = `${url}/exchange`;
// As root, as in containers, Chromium starts without its sandbox only; it visits nothing but our own page.
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-dev-shm-usage"] });
const seen = [];
try {
  await traffic();
  for (const [width, colorScheme] of [[1280, "light"], [360, "light"], [360, "dark"]]) {
    seen.push(await looked(width, colorScheme));
  }
} finally {
  await browser.close();
}
console.log(`Chromium ${browser.version()}: ${seen.join("; ")}`);

async function signedIn(email) {
  const answer = await fetch(`${url}/api/users/login`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ email, password: "demo-herdbook" }),
  });
  return (await answer.json()).token;
}

/** Something to show: a farm that polls, has some of it already, and makes a mistake. */
async function traffic() {
  const authorization = `JWT ${await signedIn("farm1@demo.herdbook")}`;
  const headers = { authorization, "user-agent": "<b>robot</b>/1.0 (a program with quite a long name of itself)" };
  const feed = `${url}/ade/v1/datasets/everything/changes?limit=5`;
  const first = await fetch(feed, { headers });
  assert.equal(first.status, 200);
  for (let n = 0; n < 5; n++) {
    const same = await fetch(feed, { headers: { ...headers, "if-none-match": first.headers.get("etag") } });
    assert.equal(same.status, 304);
  }
  assert.equal((await fetch(`${url}/ade/v1/datasets/nothing/changes`, { headers })).status >= 400, true);
}

async function looked(width, colorScheme) {
  const context = await browser.newContext({ viewport: { width, height: 800 }, colorScheme });
  const page = await context.newPage();
  const faults = [];
  page.on("pageerror", (fault) => faults.push(String(fault)));
  // A stranger signs in and comes back.
  await page.goto(address);
  assert.equal(page.url(), `${url}/sign-in?next=%2Fexchange`);
  await page.fill("#email", "farm1@demo.herdbook");
  await page.fill("#password", "demo-herdbook");
  const [back] = await Promise.all([page.waitForResponse(address), page.click("main button[type=submit]")]);
  assert.equal(back.status(), 403);
  // The page, the style sheet and the script of all pages, and what a browser asks for by itself.
  const own = (request) => request.url() === address || request.url().startsWith(`${url}/pages/`) ||
    request.url() === "data:," || request.url().endsWith("/favicon.ico");
  page.on("request", (request) => own(request) || faults.push(request.url()));
  const cookie = async (email) =>
    context.addCookies([{ name: "herdbook-token", value: await signedIn(email), url }]);
  assert.equal((await page.goto(address)).status(), 403);
  assert.equal(await page.locator("table").count(), 0);

  await cookie("association@demo.herdbook");
  assert.equal((await page.goto(address)).status(), 200);
  const text = await page.locator("main").innerText();
  for (const part of ["Clients", "Feeds", "Batches with failures", "Webhooks", "What waits", "everything", "<b>robot</b>/1.0"]) {
    assert.ok(text.includes(part), part);
  }
  assert.equal(await page.locator("main script, main img, main link, main b").count(), 0);
  assert.equal(await page.locator("main svg g").count(), 24);
  const { overflow, outside, bars, contrast } = await page.evaluate(() => {
    const { scrollWidth, clientWidth } = document.documentElement;
    // A wide table and a chart scroll within their own region.
    const all = [...document.querySelectorAll("tr:has(td), td, p, h1, h2, svg, .wide, .chart")];
    const beyond = (one) => {
      const box = one.getBoundingClientRect();
      return box.width > 1 && box.right > clientWidth + 1;
    };
    const outside = all.filter((one) => !one.parentElement.closest(".wide, .chart") && beyond(one));
    const drawn = [...document.querySelectorAll("svg rect:not(.area)")].filter((one) => one.getBBox().height > 0);
    const { color, backgroundColor } = getComputedStyle(document.documentElement);
    const light = (text) => text.match(/\d+/g).slice(0, 3).reduce((sum, part) => sum + Number(part), 0);
    return {
      overflow: scrollWidth - clientWidth,
      outside: outside.map((one) => one.outerHTML.slice(0, 200)),
      bars: drawn.length,
      contrast: light(color) - light(backgroundColor),
    };
  });
  await picture(page, width, colorScheme);
  assert.equal(overflow, 0, "the page does not scroll sideways");
  assert.deepEqual(outside, [], "nothing lies beyond the edge");
  assert.ok(bars > 0, "the chart has bars");
  assert.ok(colorScheme === "dark" ? contrast > 300 : contrast < -300, `${colorScheme}: ${contrast}`);
  assert.deepEqual(faults, []);
  const clients = await page.locator("section").nth(1).locator("tbody tr").count();
  await context.close();
  return `${width} px ${colorScheme}: ${clients} clients, ${bars} bars`;
}

async function picture(page, width, scheme) {
  if (pictures) await page.screenshot({ path: path.join(pictures, `exchange-${width}-${scheme}.png`), fullPage: true });
}
