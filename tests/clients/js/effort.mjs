// Not a test of each run: how many strokes of a hand, and seconds of the pages, quick entry takes for 30 test days, and
// the page of a calving for its calf, against a form for each record. Both ways must leave the same in the book.
// node effort.mjs URL BROWSER

import assert from "node:assert/strict";
import { chromium } from "playwright-core";
import { assertBorn, assertTested, calving, day, hand, singleCalving, singleTests, stock, testDay } from "./entry.mjs";
import { visit } from "./visit.mjs";

const [url, executablePath] = process.argv.slice(2);
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-dev-shm-usage"] });
try {
  const own = await visit(browser, url, { locale: "en-US", width: 1280 });
  await own.signIn("farm1");
  const herd = await stock(own, 9);
  const [first, second] = herd.due;
  const timed = async (place, enter) => {
    await own.goto(place);
    const hands = hand(own.page);
    const start = performance.now();
    await enter(hands);
    const seconds = (performance.now() - start) / 1000;
    return { strokes: hands.strokes, words: `${hands.strokes} strokes, ${seconds.toFixed(1)} s` };
  };
  const compared = (what, quick, single) => {
    console.log(`${what}: ${quick.words}; by single forms: ${single.words}`);
    assert.ok(quick.strokes < single.strokes, what);
  };

  const quickly = await timed("/book/milk-tests/grid", (hands) => testDay(own, hands, herd, day(49)));
  await assertTested(own, herd, day(49));
  const singly = await timed("/book/milk-tests/new", (hands) => singleTests(own, hands, herd, day(25)));
  await assertTested(own, herd, day(25));
  compared("30 test days by quick entry", quickly, singly);

  const onward = await timed(`/book/animals/${first.id}`, (hands) => calving(own, hands, herd.calf(1)));
  await assertBorn(own, herd, first, herd.calf(1));
  const apart = await timed("/book", (hands) => singleCalving(own, hands, herd, second, herd.calf(2)));
  await assertBorn(own, herd, second, herd.calf(2));
  compared("A calving with a calf by the card", onward, apart);
  await own.close();
} finally {
  await browser.close();
}
