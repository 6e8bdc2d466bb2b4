// A visitor of the pages in a browser. Each page has the language of the visitor and fits the window; those that are
// looked at closely are without findings of axe and of a validator of HTML; nothing is loaded from elsewhere.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";
import { findings } from "./html.mjs";

const HEIGHT = 900;
const axe = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** A visitor with a window of this width, whose pages fit all `widths`. */
export async function visit(browser, url, { locale, width, widths = [width], pictures }) {
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
    const found = await page.evaluate((options) => window.axe.run(document, options), options);
    return found.violations.map((one) => `${one.id}: ${one.nodes[0].html}`);
  };
  /** Looks at the page in windows of all widths. */
  const each = async (look) => {
    for (const one of [...widths.filter((other) => other !== width), width]) {
      if (widths.length > 1) await page.setViewportSize({ width: one, height: HEIGHT });
      await look(one);
    }
  };
  const fits = async (name) => {
    assert.equal(await page.locator("html").getAttribute("lang"), locale.slice(0, 2), name);
    await each(async (one) => {
      const over = await page.evaluate(() => {
        const { scrollWidth, clientWidth } = document.documentElement;
        return scrollWidth - clientWidth;
      });
      assert.ok(over <= 0, `${name} ${locale} is ${over} px wider than ${one}`);
    });
    pages += 1;
  };
  const sound = async (name) => {
    assert.deepEqual(await findings(await served), [], `${name} ${locale} ${width}`);
    assert.deepEqual(await violations(), [], `${name} ${locale} ${width}`);
    await fits(name);
    if (pictures) await page.screenshot({ path: path.join(pictures, `pages-${name}-${locale}-${width}.png`) });
  };
  const goto = async (place, status = 200) => assert.equal((await page.goto(`${url}${place}`)).status(), status, place);
  const open = async (place, name, status) => {
    await goto(place, status);
    await sound(name);
  };
  /** Does what leads to another page, and waits for it. */
  const go = (press) => Promise.all([page.waitForEvent("load"), press()]);
  const signIn = async (who) => {
    await goto("/sign-in");
    await page.fill("#email", `${who}@demo.herdbook`);
    await page.fill("#password", "demo-herdbook");
    await go(() => page.click("main button[type=submit]"));
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
  return { page, locale, width, violations, each, fits, sound, goto, open, go, signIn, ask, read, taken, close };
}
