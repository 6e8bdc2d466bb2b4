// A visitor of the pages in a browser. Each page has the language of the visitor, fits a telephone and a screen, and is
// without findings of axe and of a validator of HTML; nothing is loaded from elsewhere.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";
import { findings } from "./html.mjs";

const HEIGHT = 900;
/** The widths of a telephone and of a screen, which every page fits. */
const WIDTHS = [390, 1280];
/** The pictures of docs/pages, by page, language and width, before their colours are reduced to 32. */
const SHOWN = {
  "home ru-RU 1280": "home-ru.png",
  "animals ru-RU 1280": "list-ru.png",
  "animals en-US 390": "list-en-390.png",
  "animal ru-RU 1280": "card-ru.png",
  "animal en-US 390": "card-en-390.png",
  "rows ru-RU 390": "form-ru-390.png",
  "day-grid ru-RU 1280": "grid-ru.png",
  "day-package ru-RU 1280": "review-ru.png",
};
const CLIP = { x: 0, y: 0, height: 820 };
const axe = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** A visitor with a window of this width. */
export async function visit(browser, url, { locale, width, pictures }) {
  // The policy of our pages keeps axe out, too.
  const context = await browser.newContext({ viewport: { width, height: HEIGHT }, locale, bypassCSP: true });
  const page = await context.newPage();
  const faults = [];
  page.on("pageerror", (fault) => faults.push(String(fault)));
  page.on("request", (request) => {
    if (!request.url().startsWith(`${url}/`) && request.url() !== "data:,") faults.push(request.url());
  });
  // A page as it was served, also where a form was refused.
  let served;
  page.on("response", (response) => {
    if (!response.request().isNavigationRequest() || (response.status() >= 300 && response.status() < 400)) return;
    served = response.text();
    // Of a page that is left at once nobody reads it.
    served.catch(() => {});
  });
  let pages = 0;
  const violations = async (options = {}) => {
    await page.evaluate(axe);
    // Of what passes nobody reads the places, whose search takes half of the time.
    const all = { resultTypes: ["violations"], ...options };
    const found = await page.evaluate((options) => window.axe.run(document, options), all);
    return found.violations.map((one) => `${one.id}: ${one.nodes[0].html}`);
  };
  const fits = async (name) => {
    assert.equal(await page.locator("html").getAttribute("lang"), locale.slice(0, 2), name);
    for (const one of [...WIDTHS.filter((other) => other !== width), width]) {
      await page.setViewportSize({ width: one, height: HEIGHT });
      const over = await page.evaluate(() => {
        const { scrollWidth, clientWidth } = document.documentElement;
        return scrollWidth - clientWidth;
      });
      assert.ok(over <= 0, `${name} ${locale} is ${over} px wider than ${one}`);
      const picture = SHOWN[`${name} ${locale} ${one}`];
      if (!pictures || !picture) continue;
      await page.screenshot({ path: path.join(pictures, picture), clip: { ...CLIP, width: one } });
    }
    pages += 1;
  };
  const sound = async (name) => {
    const found = await Promise.all([violations(), served.then(findings)]);
    assert.deepEqual(found.flat(), [], `${name} ${locale} ${width}`);
    await fits(name);
  };
  const goto = async (place, status = 200) => assert.equal((await page.goto(`${url}${place}`)).status(), status, place);
  const open = async (place, name, status) => {
    await goto(place, status);
    await sound(name);
  };
  /** Does what leads to another page, and waits for it. */
  const go = (press) => Promise.all([page.waitForEvent("load"), press()]);
  const press = (place) => go(() => page.locator(place).first().click());
  /** These texts stand in the first such place of the page. */
  const has = async (place, ...texts) => {
    const text = await page.locator(place).first().innerText();
    for (const one of texts) assert.ok(text.includes(one), `${one} is not in ${place} of ${page.url()}: ${text}`);
  };
  const signIn = async (who) => {
    await goto("/sign-in");
    await page.fill("#email", `${who}@demo.herdbook`);
    await page.fill("#password", "demo-herdbook");
    await press("main button[type=submit]");
    assert.equal(page.url(), `${url}/`);
  };
  /** Asks the API as the visitor. */
  const ask = (method, place, body) => page.evaluate(async ([method, place, body]) => {
    const headers = body ? { "Content-Type": "application/json" } : {};
    const answer = await fetch(place, { method, headers, body: body && JSON.stringify(body) });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${place}: ${answer.status} ${text.slice(0, 500)}`);
    return JSON.parse(text);
  }, [method, place, body]);
  const read = (place) => ask("GET", place);
  /** Waits until the file of a package is read. */
  const taken = (id) => page.evaluate(async (id) => {
    for (;;) {
      const { intake } = await (await fetch(`/api/data-submissions/${id}?depth=0`)).json();
      if (intake.state === "read") return;
      await new Promise((wait) => setTimeout(wait, 200));
    }
  }, id);
  /** The number of pages, none of which had faults or loaded anything from elsewhere. */
  const close = async () => {
    assert.deepEqual(faults, [], "nothing from elsewhere, and no faults");
    await context.close();
    return pages;
  };
  return { page, locale, violations, sound, goto, open, go, press, has, signIn, ask, read, taken, close };
}
