// What a farm enters by hand, and a herd to enter it for: by quick entry and from the page of a calving, and by a form
// for each record. Both ways leave the same in the book; the key presses and clicks of each are counted.

import assert from "node:assert/strict";

const TESTED = ["milkYield", "fatPercent", "proteinPercent"];
const COWS = 30;
const SUBMIT = "main form.sheet > button[type=submit]:not(.enter)";

/** A day so many days ago. */
export const day = (ago) => new Date(Date.now() - ago * 864e5).toISOString().slice(0, 10);

/** What each cow gave: milk, fat, protein. */
const GIVEN = Array.from({ length: COWS }, (_, at) => [24.5 + (at % 10), 3.6 + (at % 5) / 10, 3.1 + (at % 4) / 10]);

/** The same as people write it. */
const typed = (value, locale) => value.toFixed(1).replace(".", locale === "ru-RU" ? "," : ".");

/**
 * A hand, whose presses are counted: one for a character, a click, the way to a field; two for a choice. Its time is
 * that of the pages, since it types without a pause.
 */
export function hand({ page, go }) {
  const start = performance.now();
  let presses = 0;
  const count = (more, doing) => {
    presses += more;
    return doing;
  };
  const at = (place) => page.locator(place).first();
  const click = (place) => count(1, at(place).click());
  return {
    click,
    press: (place) => go(() => click(place)),
    fill: (place, text) => count(1 + text.length, at(place).fill(text)),
    choose: (place, value) => count(2, at(place).selectOption(value)),
    /** Types into the cell with the cursor, and leaves it by the key that leads to the next row. */
    down: async (text) => {
      await page.keyboard.insertText(text);
      await count(text.length + 1, page.keyboard.press("Enter"));
    },
    /** Sends a form, and once more where the checks ask. */
    async store(button = SUBMIT) {
      await this.press(button);
      if (await page.locator("button[name=anyway]").count()) await this.press("button[name=anyway]");
    },
    told: () => ({ presses, seconds: (performance.now() - start) / 1000 }),
  };
}

/**
 * A new herd of the farm that is signed in: 30 cows in milk, two heifers that are due, two animals to ask about, of
 * which one lacks the day of birth, and one that leaves. Its working numbers begin with a digit of its own.
 */
export async function stock({ ask, read }, digit) {
  const { user } = await read("/api/users/me?depth=0");
  const served = `where[bull][exists]=true&where[ownerOrg][equals]=${user.organization}`;
  const [{ bull: sire }] = (await read(`/api/inseminations?limit=1&depth=0&sort=-date&${served}`)).docs;
  const bull = await read(`/api/animals/${sire}?depth=0`);
  const result = (await read("/api/insemination-results?limit=1&depth=0&where[code][equals]=1")).docs[0].id;
  const herd = (await ask("POST", "/api/herds?depth=0", { name: `Двор ${digit}` })).doc.id;
  const made = async (slug, rows) => {
    const { results } = await ask("POST", `/api/${slug}?depth=0&together=true`, rows);
    return results.map(({ doc }) => doc);
  };
  const short = (at) => `${digit}${String(at).padStart(3, "0")}`;
  const number = (at) => `97880000${short(at)}`;
  const animal = (age, at) => ({
    identNumber: number(at + 1), name: `Зорька ${at + 1}`, sex: "female", breed: bull.breed, herd,
    altIds: { inventoryNumber: short(at + 1) }, ...(age && { birthDate: day(age) }),
  });
  const animals = await made("animals", [...Array(COWS).fill(1100), 830, 830, 500, undefined, 500].map(animal));
  const cows = animals.slice(0, COWS);
  const [first, second, healthy, unborn, leaver] = animals.slice(COWS);
  await made("calvings", cows.map(({ id }) => ({ animal: id, date: day(110), liveHeifers: 1 })));
  const service = { date: day(275), bull: bull.id, result, pregnancyCheckDate: day(240) };
  await made("inseminations", [first, second].map(({ id }) => ({ ...service, animal: id })));
  const calf = (at) => number(900 + at);
  return { organization: user.organization, herd, bull, cows, due: [first, second], healthy, unborn, leaver, calf };
}

/** A test day of a herd by quick entry, the page of which is open: the herd, the day, and down column by column. */
export async function testDay(visit, { herd }, date) {
  const hands = hand(visit);
  await hands.choose("#f-herd", `[${herd}]`);
  await hands.fill("#f-date", date);
  await hands.press("button[name=show]");
  assert.equal(await visit.page.locator("table.grid input[name$='.of']").count(), COWS);
  for (const [at, path] of TESTED.entries()) {
    await hands.click(`#f-rows-0-${path}`);
    for (const values of GIVEN) await hands.down(typed(values[at], visit.locale));
  }
  await hands.store(".choose button:not([name])");
  return hands.told();
}

/** The same by a form for each cow, which keeps the day. */
export async function singleTests(visit, { cows }, date) {
  await visit.goto("/book/milk-tests/new");
  const hands = hand(visit);
  await hands.fill("#f-date", date);
  for (const [at, cow] of cows.entries()) {
    await hands.fill("#f-animal", cow.altIds.inventoryNumber);
    for (const [place, path] of TESTED.entries()) await hands.fill(`#f-${path}`, typed(GIVEN[at][place], visit.locale));
    await hands.press("button[name=again]");
  }
  return hands.told();
}

/** The tests of that day in the book are those that were entered. */
export async function assertTested({ read }, { cows }, date) {
  const at = `where[date][greater_than_equal]=${date}&where[date][less_than_equal]=${date}T23:59:59.999Z`;
  const of = `where[animal][in]=${cows.map(({ id }) => id)}`;
  const { docs } = await read(`/api/milk-tests?limit=100&depth=0&sort=animal&${of}&${at}`);
  const tested = docs.map((test) => TESTED.map((path) => test[path].toFixed(1)));
  assert.deepEqual(tested, GIVEN.map((values) => values.map((value) => value.toFixed(1))));
}

/** A calving of yesterday from the card of the cow, which is open, and its calf from the page of the calving. */
export async function calving(visit, number, look = () => {}) {
  const hands = hand(visit);
  await hands.press("nav.acts a[href^='/book/calvings/new']");
  await look("form");
  await hands.fill("#f-date", day(1));
  await hands.fill("#f-liveHeifers", "1");
  await hands.choose("#f-ease", "easy");
  await hands.store();
  await look("calving");
  await hands.press("main a[href^='/book/animals/new?']");
  await look("calf");
  await hands.fill("#f-identNumber", number);
  await hands.store();
  return hands.told();
}

/** The same by the form of a calving and that of an animal, each opened by itself. */
export async function singleCalving(visit, { herd, bull, organization }, cow, number) {
  await visit.goto("/book/calvings/new");
  const hands = hand(visit);
  await hands.fill("#f-animal", cow.altIds.inventoryNumber);
  await hands.fill("#f-date", day(1));
  await hands.fill("#f-liveHeifers", "1");
  await hands.choose("#f-ease", "easy");
  await hands.store();
  await visit.goto("/book/animals/new");
  await hands.fill("#f-identNumber", number);
  await hands.choose("#f-sex", "female");
  await hands.fill("#f-birthDate", day(1));
  await hands.choose("#f-breed", `[${bull.breed}]`);
  await hands.click("main form.sheet > details:not(.rows) > summary");
  await hands.choose("#f-herd", `[${herd}]`);
  await hands.choose("#f-birthPlace-farm", `[${organization}]`);
  await hands.fill("#f-father", bull.identNumber);
  await hands.fill("#f-mother", cow.altIds.inventoryNumber);
  await hands.store();
  return hands.told();
}

/** The calf is in the book, of its parents, in the herd of its mother. */
export async function assertBorn({ read }, { herd, bull, organization }, cow, number) {
  const [calf] = (await read(`/api/animals?depth=0&where[identNumber][equals]=${number}`)).docs;
  const { sex, mother, father, owner, birthDate, birthPlace } = calf;
  assert.deepEqual(
    [sex, mother, father, owner, calf.herd, calf.breed, birthPlace.farm, birthDate.slice(0, 10)],
    ["female", cow.id, bull.id, organization, herd, bull.breed, organization, day(1)],
  );
}
