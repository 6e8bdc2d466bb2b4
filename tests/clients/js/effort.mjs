// Not a test of each run: what 30 test days by hand and a calving with its calf take, by single forms and without them.
// Both ways must leave the same in the book.
// node effort.mjs URL BROWSER

import assert from "node:assert/strict";
import { chromium } from "playwright-core";
import { assertBorn, assertTested, calving, day, singleCalving, singleTests, stock, testDay } from "./entry.mjs";
import { visit } from "./visit.mjs";

const [url, executablePath] = process.argv.slice(2);
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-dev-shm-usage"] });
const told = ({ presses, seconds }) => `${presses} key presses and clicks, ${seconds.toFixed(1)} s`;
try {
  const own = await visit(browser, url, { locale: "en-US", width: 1280 });
  await own.signIn("farm1");
  const herd = await stock(own, 9);
  const [first, second] = herd.due;
  await own.goto("/book/milk-tests/grid");
  const grid = await testDay(own, herd, day(49));
  await assertTested(own, herd, day(49));
  const tests = await singleTests(own, herd, day(25));
  await assertTested(own, herd, day(25));
  await own.goto(`/book/animals/${first.id}`);
  const born = await calving(own, herd.calf(1));
  await assertBorn(own, herd, first, herd.calf(1));
  const forms = await singleCalving(own, herd, second, herd.calf(2));
  await assertBorn(own, herd, second, herd.calf(2));
  for (const [what, quick, single] of [["30 test days by hand", grid, tests], ["A calving with a calf", born, forms]]) {
    console.log(`${what}: by single forms ${told(single)}; now ${told(quick)}`);
    assert.ok(quick.presses < single.presses, what);
  }
  await own.close();
} finally {
  await browser.close();
}
