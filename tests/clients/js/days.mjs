// A day of a farm and a day of an officer of the Association: what the farm sends, the officer decides. In Russian by a
// telephone and in English on a screen; every page fits both widths. The pages of the farm are looked at closely in
// Russian, those of the officer in English.

import assert from "node:assert/strict";
import { assertBorn, assertTested, calving, day, hand, stock, store, testDay } from "./entry.mjs";
import { visit } from "./visit.mjs";

const WALKS = [["ru-RU", 390, 7], ["en-US", 1280, 8]];
/** How high the card of a cow may be, by the width of the window: three screens of a telephone, one of a desk. */
const CARD = { 390: 3 * 844, 1280: 1000 };
const WORDS = {
  "en-US": {
    milk: "30.5", work: "Work lists", due: "Expected calvings", entered: "Records added: 30",
    calf: "Enter the calf: Female", taken: "2 rows: 1 taken, 1 to correct.", mended: "2 rows: 2 taken.",
    culled: "Culled", leaving: "Leaving", quality: "Quality of data by farm", mine: "You are responsible",
    held: "Held back", unborn: "The birth date is missing.", approved: "The request was approved",
    back: "The package was sent back", met: "All conditions are met.",
    ready: "Would be made: 1", made: "Made: 1",
  },
  "ru-RU": {
    milk: "30,5", work: "Работы по стаду", due: "Ожидаемые отёлы", entered: "Добавлено записей: 30",
    calf: "Внести телёнка: Самка", taken: "2 строки: принята 1, исправить 1.", mended: "2 строки: принято 2.",
    culled: "Выбраковано", leaving: "Выбытие", quality: "Качество данных по хозяйствам", mine: "Выбранное взято",
    held: "Задержаны", unborn: "Не указана дата рождения.", approved: "Заявка одобрена", back: "Пакет возвращён",
    met: "Все условия выполнены.", ready: "Будет создано: 1", made: "Создано: 1",
  },
};

/** The days, each told in a few words. */
export async function days(browser, url, pictures) {
  const told = [];
  for (const [locale, width, digit] of WALKS) {
    const begin = () => visit(browser, url, { locale, width, widths: [390, 1280], pictures });
    const farm = await begin();
    const sent = await ofFarm(farm, WORDS[locale], digit);
    const officer = await begin();
    await ofOfficer(officer, WORDS[locale], sent);
    told.push(`${await farm.close()} pages of a day of a farm and ${await officer.close()} of an officer in ${locale}`);
  }
  return told;
}

const inner = (page, place) => page.locator(place).first().innerText();

async function assertHas(page, place, ...texts) {
  const text = await inner(page, place);
  for (const one of texts) assert.ok(text.includes(one), `${one} is not in ${place} of ${page.url()}: ${text}`);
}

async function ofFarm(own, words, digit) {
  const { page, locale, each, fits, goto, go, read, signIn } = own;
  const look = locale === "ru-RU" ? own.sound : fits;
  await signIn("farm1");
  const herd = await stock(own, digit);
  const [cow] = herd.due;
  const hands = hand(page);

  // Home, and a list of work with what is due.
  await goto("/");
  await fits("day-home");
  await assertHas(page, "main", words.work);
  const list = page.locator("h3:has(a[href='/work/animals/calving'])");
  const count = await list.locator(".count").innerText();
  assert.equal(await list.locator("a").innerText(), words.due);
  await go(() => list.locator("a").click());
  await look("day-work");
  assert.equal(await inner(page, "h1 .count"), count);
  for (const { id } of herd.due) assert.equal(await page.locator(`tbody a[href='/book/animals/${id}']`).count(), 1);

  // The card of a cow with all that a cow has.
  const tests = `where[ownerOrg][equals]=${herd.organization}&where[daysInMilk][exists]=true`;
  const [{ animal: old }] = (await read(`/api/milk-tests?limit=1&depth=0&sort=-lactationNumber&${tests}`)).docs;
  await goto(`/book/animals/${old}`);
  await fits("day-card");
  const known = await read(`/api/animals/${old}?depth=0`);
  await assertHas(page, "h1", known.name, known.identNumber);
  await each(async (width) => {
    const height = await page.evaluate(() => document.documentElement.scrollHeight);
    console.log(`The card of a cow is ${height} px high at ${width}, in ${locale}`);
    assert.ok(height <= CARD[width], `the card is ${height} px high at ${width}`);
  });

  // A test day of thirty cows.
  await goto("/book/milk-tests");
  await go(() => page.click("a[href='/book/milk-tests/grid']"));
  await look("day-grid");
  await testDay(own, hands, herd, day(25));
  await fits("day-tests");
  await assertHas(page, ".done", words.entered);
  await assertTested(own, herd, day(25));

  // A calving, and the calf.
  await goto(`/book/animals/${cow.id}`);
  await calving(own, hands, herd.calf(1), async (name) => {
    await look(`day-${name}`);
    if (name === "calving") await assertHas(page, "main a[href^='/book/animals/new?']", words.calf);
  });
  await look("day-born");
  await assertHas(page, "main ul.ways", herd.calf(1));
  assert.equal(await page.locator("main a[href^='/book/animals/new?']").count(), 0);
  await assertBorn(own, herd, cow, herd.calf(1));

  // A package, of which a row is mended.
  const [first, second] = herd.cows;
  const rows = `${first.identNumber};${day(3)};31,5\n${second.identNumber};${day(3)};305\n`;
  await goto("/book/data-submissions/new");
  const buffer = Buffer.from(`Инд.№;Дата замера;Удой за день, кг\n${rows}`);
  await page.locator("#file").setInputFiles({ name: "milk.csv", mimeType: "text/csv", buffer });
  await page.selectOption("select[name=kind]", "productivity");
  await store(own, hands);
  const [, sent] = page.url().match(/\/book\/data-submissions\/(\d+)$/);
  await own.taken(sent);
  await goto(`/book/data-submissions/${sent}`);
  await look("day-package");
  await assertHas(page, "#summary", words.taken);
  await page.fill("#rows input[type=text][value='305']", words.milk);
  await go(() => page.click("#rows form[method=post] button[type=submit]"));
  await fits("day-mended");
  await assertHas(page, "#summary", words.mended);

  // A request about two animals.
  await goto("/book/verification-requests/new");
  await look("day-ask");
  const asked = [herd.healthy, herd.unborn];
  await page.fill("#f-animals", asked.map(({ identNumber }) => identNumber).join("\n"));
  await store(own, hands);
  await look("day-request");
  const [, request] = page.url().match(/\/book\/verification-requests\/(\d+)$/);
  for (const { id } of asked) assert.ok(await page.locator(`main a[href='/book/animals/${id}']`).count());
  assert.equal((await read(`/api/verification-requests/${request}?depth=0`)).status, "new");

  await leaves(own, words, herd.leaver, look);
  return { ...herd, request, package: sent };
}

/** An animal is culled by the way on its card, whatever pages the way has. */
async function leaves({ page, goto, go, read, fits }, words, { id }, look) {
  await goto(`/book/animals/${id}`);
  await go(() => page.locator("nav.acts").getByRole("link", { name: words.leaving, exact: true }).click());
  await look("day-leaving");
  const kind = page.locator("main a[href*='/move/state/culled']");
  if (await kind.count()) {
    await go(() => kind.first().click());
    await look("day-culling");
  }
  if (await page.locator("main select[name=kind]").count()) await page.selectOption("main select[name=kind]", "cull");
  const more = page.locator("main form.sheet > details:not([open], .rows) > summary");
  if (await more.count()) await more.first().click();
  const [reason] = (await read("/api/disposal-reasons?limit=1&depth=0&where[state][equals]=culled")).docs;
  await page.locator("main select[name=reason], main select[name=disposalReason]").selectOption(`№ ${reason.id}`);
  await page.locator("main input[name=date], main input[name=disposalDate]").fill(day(1));
  await store({ page, go }, hand(page), "main form.sheet button[type=submit]:not(.enter, [name=again])");
  assert.equal((await read(`/api/animals/${id}?depth=0`)).state, "culled");
  await goto(`/book/animals/${id}`);
  await fits("day-left");
  await assertHas(page, ".chips", words.culled);
  assert.equal(await page.locator("nav.acts").count(), 0);
}

async function ofOfficer(own, words, sent) {
  const { page, locale, fits, goto, go, read, signIn } = own;
  const look = locale === "en-US" ? own.sound : fits;
  const press = (place) => go(() => page.locator(place).first().click());
  const remark = "Проверьте удои: 30,5 кг было 305.";
  await signIn("association");

  // The queue of requests; one is taken.
  await look("day-office");
  const queue = "form[action='/work/verification-requests/take']";
  await page.check(`${queue} tr:has(a[href='/book/verification-requests/${sent.request}']) input[name=id]`);
  await press(`${queue} button[type=submit]`);
  await assertHas(page, ".done", words.mine);
  const { user } = await read("/api/users/me?depth=0");
  const request = `/api/verification-requests/${sent.request}?depth=0`;
  assert.equal((await read(request)).review.assignee, user.id);

  // What the checks found about its animals, and the approval, which holds one back.
  await press(`${queue} a[href='/book/verification-requests/${sent.request}']`);
  await press("button[name=status][value=checking]");
  await look("day-findings");
  await assertHas(page, "#decision", words.held, words.unborn);
  assert.deepEqual((await page.locator("#decision dl.values dd").allInnerTexts()).slice(0, 2), ["1", "1"]);
  await press("button[name=status][value=approved]");
  await look("day-approved");
  await assertHas(page, ".done", words.approved);
  const { status, review } = await read(request);
  assert.deepEqual([status, review.approvedCount, review.heldCount], ["approved", 1, 1]);
  const trust = async ({ id }) => (await read(`/api/animals/${id}?depth=0`)).trustLevel;
  assert.equal(await trust(sent.healthy), 3);
  assert.notEqual(await trust(sent.unborn), 3);

  // A package goes back with a remark.
  await goto(`/book/data-submissions/${sent.package}`);
  await press("button[name=status][value=checking]");
  await look("day-review");
  await page.fill("form:has(button[name=status][value=uploaded]) textarea", remark);
  await press("button[name=status][value=uploaded]");
  await fits("day-back");
  await assertHas(page, ".done", words.back);
  await assertHas(page, "main", remark);
  const { status: now, review: said } = await read(`/api/data-submissions/${sent.package}?depth=0`);
  assert.deepEqual([now, said.comment], ["uploaded", remark]);

  await quality(own, words, look);
  await certificate(own, words, look);
}

/** The quality of data by farm leads to the findings of that farm, as many as it says. */
async function quality({ page, goto, go, read }, words, look) {
  const farm = page.locator("main tr:has(th a[href^='/book/check-findings?'])").first();
  let counts;
  // Checks of what was just written may still run.
  for (let turn = 0; turn < 5 && (!counts || counts[0] !== counts[1]); turn += 1) {
    await goto("/");
    await assertHas(page, "main", words.quality);
    const numbers = await farm.locator("td").allInnerTexts();
    await go(() => farm.locator("a").click());
    counts = [numbers.map(Number).reduce((sum, one) => sum + one, 0), Number(await inner(page, "h1 .count"))];
  }
  await look("day-quality");
  assert.ok(counts[0] > 0 && counts[0] === counts[1], `${counts}`);
  const conditions = new URL(page.url()).search;
  const { docs } = await read(`/api/check-findings${conditions}&depth=0&limit=100`);
  assert.ok(docs.length > 0 && docs.every((one) => one.state === "open" && one.organization === docs[0].organization));
}

/** A certificate is revoked, another one issued, and its paper checked. */
async function certificate({ page, goto, go, read, fits }, words, look) {
  const press = (place) => go(() => page.locator(place).first().click());
  const form = "zootechnicalCertificate";
  const valid = `where[type][equals]=${form}&where[issuedAt][exists]=true&where[revoked.at][exists]=false`;
  const [old] = (await read(`/api/documents?limit=1&depth=0&${valid}`)).docs;
  await goto(`/book/documents/${old.id}`);
  await press("main a[href$='/move/issuedAt/revoked']");
  await look("day-revoke");
  await page.fill("main textarea", "Кличка изменена.");
  await press("main form.sheet button[type=submit]");
  assert.ok((await read(`/api/documents/${old.id}?depth=0`)).revoked.at);

  await goto(`/book/animals/${old.animal}`);
  await press("main a[href$='/certificates']");
  await look("day-conditions");
  const issue = `a[href*='for-animals?type=${form}']`;
  const section = page.locator(`section:has(${issue})`);
  assert.ok((await section.innerText()).includes(words.met));
  assert.deepEqual([await section.locator(".met").count() > 5, await section.locator(".unmet").count()], [true, 0]);
  await press(issue);
  await look("day-issue");
  await press("main form.sheet > button[type=submit]:not(.enter)");
  await assertHas(page, "main [role=status]", words.ready);
  await press("main button[name=_make]");
  await look("day-issued");
  await assertHas(page, "main [role=status]", words.made);
  await press("main [role=status] a[href^='/book/documents/']");
  await fits("day-certificate");
  const [, id] = page.url().match(/\/book\/documents\/(\d+)$/);
  const { number, publicCode, animal, revoked } = await read(`/api/documents/${id}?depth=0`);
  assert.match(number, /^RU-\d{4}-\d{4}$/);
  assert.deepEqual([animal, revoked?.at ?? null], [old.animal, null]);
  for (const [paper, code, sign] of [[number, publicCode, ".good"], [old.number, old.publicCode, ".bad"]]) {
    await goto(`/certificate/${paper}?k=${code}`);
    await fits("day-check");
    assert.equal(await page.locator(sign).count(), 1, paper);
    await assertHas(page, "body", paper);
  }
}
