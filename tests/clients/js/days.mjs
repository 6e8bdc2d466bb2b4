// A day of a farm, and one of an officer of the Association, who decides what the farm sends: in Russian by a telephone
// and in English on a screen. What a page did is read back, from another page or over the API.

import assert from "node:assert/strict";
import { assertBorn, assertTested, calving, day, hand, stock, testDay } from "./entry.mjs";
import { visit } from "./visit.mjs";

const WALKS = [["ru-RU", 390, 7], ["en-US", 1280, 8]];
const WORDS = {
  "en-US": {
    milk: "30.5", work: "Work lists", due: "Expected calvings", entered: "Records added: 30",
    calf: "Enter the calf: Female", taken: "2 rows: 1 taken, 1 to correct.", mended: "2 rows: 2 taken.",
    culled: "Culled", quality: "Quality of data by farm", mine: "You are responsible",
    held: "Held back", unborn: "The birth date is missing.", approved: "The request was approved",
    back: "The package was sent back", met: "All conditions are met.",
    ready: "Would be made: 1", made: "Made: 1",
  },
  "ru-RU": {
    milk: "30,5", work: "Работы по стаду", due: "Ожидаемые отёлы", entered: "Добавлено записей: 30",
    calf: "Внести телёнка: Самка", taken: "2 строки: принята 1, исправить 1.", mended: "2 строки: принято 2.",
    culled: "Выбраковано", quality: "Качество данных по хозяйствам", mine: "Выбранное взято",
    held: "Задержаны", unborn: "Не указана дата рождения.", approved: "Заявка одобрена", back: "Пакет возвращён",
    met: "Все условия выполнены.", ready: "Будет создано: 1", made: "Создано: 1",
  },
};

/** The days, each told in a few words. */
export async function days(browser, url, pictures) {
  const told = [];
  for (const [locale, width, digit] of WALKS) {
    const begin = () => visit(browser, url, { locale, width, pictures });
    const farm = await begin();
    const sent = await ofFarm(farm, WORDS[locale], digit);
    const officer = await begin();
    await ofOfficer(officer, WORDS[locale], sent);
    told.push(`${await farm.close()} pages of a day of a farm and ${await officer.close()} of an officer in ${locale}`);
  }
  return told;
}

async function ofFarm(own, words, digit) {
  const { page, sound, goto, open, press, has, read, signIn } = own;
  await signIn("farm1");
  const herd = await stock(own, digit);
  const [cow] = herd.due;
  const id = () => page.url().match(/\/(\d+)$/)[1];

  // Home, and a list of work with what is due.
  await open("/", "day-home");
  await has("main", words.work);
  const list = page.locator("h3:has(a[href='/work/animals/calving'])");
  const count = await list.locator(".count").innerText();
  assert.equal(await list.locator("a").innerText(), words.due);
  await press("h3 a[href='/work/animals/calving']");
  await sound("day-work");
  assert.equal(await page.locator("h1 .count").innerText(), count);
  for (const { id } of herd.due) assert.equal(await page.locator(`tbody a[href='/book/animals/${id}']`).count(), 1);

  // A test day of thirty cows.
  await goto("/book/milk-tests");
  await press("a[href='/book/milk-tests/grid']");
  await sound("day-grid");
  await testDay(own, herd, day(25));
  await sound("day-tests");
  await has(".done", words.entered);
  await assertTested(own, herd, day(25));

  // The card of a cow, a calving, and the calf.
  await open(`/book/animals/${cow.id}`, "day-card");
  await has("h1", cow.name, cow.identNumber);
  await calving(own, herd.calf(1), async (name) => {
    await sound(`day-${name}`);
    if (name === "calving") await has("main a[href^='/book/animals/new?']", words.calf);
  });
  await sound("day-born");
  await has("main ul.ways", herd.calf(1));
  assert.equal(await page.locator("main a[href^='/book/animals/new?']").count(), 0);
  await assertBorn(own, herd, cow, herd.calf(1));

  // An animal is culled, and offers no event any more.
  await goto(`/book/animals/${herd.leaver.id}`);
  await press("nav.acts a[href$='/move/state']");
  await sound("day-leaving");
  await press("main a[href$='/move/state/culled']");
  await sound("day-culling");
  const [reason] = (await read("/api/disposal-reasons?limit=1&depth=0&where[state][equals]=culled")).docs;
  await page.selectOption("select[name=disposalReason]", `[${reason.id}]`);
  await page.fill("input[name=disposalDate]", day(1));
  await hand(own).store("button[name=state][value=culled]");
  const left = await read(`/api/animals/${herd.leaver.id}?depth=0`);
  assert.deepEqual([left.state, left.disposalReason, left.disposalDate.slice(0, 10)], ["culled", reason.id, day(1)]);
  await open(`/book/animals/${herd.leaver.id}`, "day-left");
  await has(".chips", words.culled);
  assert.equal(await page.locator("nav.acts").count(), 0);

  // A package, of which a row is mended.
  const [first, second] = herd.cows;
  const rows = `${first.identNumber};${day(3)};31,5\n${second.identNumber};${day(3)};305\n`;
  await goto("/book/data-submissions/new");
  const buffer = Buffer.from(`Инд.№;Дата замера;Удой за день, кг\n${rows}`);
  await page.locator("#file").setInputFiles({ name: "milk.csv", mimeType: "text/csv", buffer });
  await page.selectOption("select[name=kind]", "productivity");
  await hand(own).store();
  const sent = id();
  await own.taken(sent);
  await open(`/book/data-submissions/${sent}`, "day-package");
  await has("#summary", words.taken);
  await page.fill("#rows input[type=text][value='305']", words.milk);
  await press("#rows form[method=post] button[type=submit]");
  await sound("day-mended");
  await has("#summary", words.mended);
  const [mended] = (await read(`/api/milk-tests?limit=1&depth=0&sort=-date&where[animal][equals]=${second.id}`)).docs;
  assert.deepEqual([mended.date.slice(0, 10), mended.milkYield], [day(3), 30.5]);

  // A request about two animals.
  await open("/book/verification-requests/new", "day-ask");
  const asked = [herd.healthy, herd.unborn];
  await page.fill("#f-animals", asked.map(({ identNumber }) => identNumber).join("\n"));
  await hand(own).store();
  await sound("day-request");
  for (const { id } of asked) assert.ok(await page.locator(`main a[href='/book/animals/${id}']`).count());
  const request = await read(`/api/verification-requests/${id()}?depth=0`);
  assert.deepEqual([request.status, request.animals], ["new", asked.map(({ id }) => id)]);
  return { ...herd, request: request.id, package: sent };
}

async function ofOfficer(own, words, sent) {
  const { page, sound, goto, press, has, read, signIn } = own;
  const remark = "Проверьте удои: 30,5 кг было 305.";
  await signIn("association");

  // The queue of requests; one is taken.
  await sound("day-office");
  const queue = "form[action='/work/verification-requests/take']";
  await page.check(`${queue} tr:has(a[href='/book/verification-requests/${sent.request}']) input[name=id]`);
  await press(`${queue} button[type=submit]`);
  await has(".done", words.mine);
  const { user } = await read("/api/users/me?depth=0");
  const request = `/api/verification-requests/${sent.request}?depth=0`;
  assert.equal((await read(request)).review.assignee, user.id);

  // What the checks found about its animals, and the approval, which holds one back.
  await press(`${queue} a[href='/book/verification-requests/${sent.request}']`);
  await press("button[name=status][value=checking]");
  await sound("day-findings");
  await has("#decision", words.held, words.unborn);
  assert.deepEqual((await page.locator("#decision dl.values dd").allInnerTexts()).slice(0, 2), ["1", "1"]);
  await press("button[name=status][value=approved]");
  await sound("day-approved");
  await has(".done", words.approved);
  const { status, review } = await read(request);
  assert.deepEqual([status, review.approvedCount, review.heldCount], ["approved", 1, 1]);
  const trust = async ({ id }) => (await read(`/api/animals/${id}?depth=0`)).trustLevel;
  assert.equal(await trust(sent.healthy), 3);
  assert.notEqual(await trust(sent.unborn), 3);

  // A package goes back with a remark.
  await goto(`/book/data-submissions/${sent.package}`);
  await press("button[name=status][value=checking]");
  await sound("day-review");
  await page.fill("form:has(button[name=status][value=uploaded]) textarea", remark);
  await press("button[name=status][value=uploaded]");
  await sound("day-back");
  await has(".done", words.back);
  await has("main", remark);
  const { status: now, review: said } = await read(`/api/data-submissions/${sent.package}?depth=0`);
  assert.deepEqual([now, said.comment], ["uploaded", remark]);

  await quality(own, words);
  await certificate(own, words);
}

/** The quality of data by farm leads to the findings of that farm, as many as it says. */
async function quality({ page, sound, goto, has, go, read }, words) {
  const farm = page.locator("main tr:has(th a[href^='/book/check-findings?'])").first();
  let counts;
  // Checks of what was just written may still run.
  for (let turn = 0; turn < 5 && (!counts || counts[0] !== counts[1]); turn += 1) {
    await goto("/");
    await has("main", words.quality);
    const numbers = await farm.locator("td").allInnerTexts();
    await go(() => farm.locator("a").click());
    const listed = Number(await page.locator("h1 .count").innerText());
    counts = [numbers.map(Number).reduce((sum, one) => sum + one, 0), listed];
  }
  await sound("day-quality");
  assert.ok(counts[0] > 0 && counts[0] === counts[1], `${counts}`);
  const conditions = new URL(page.url()).search;
  const { docs } = await read(`/api/check-findings${conditions}&depth=0&limit=100`);
  assert.ok(docs.length > 0 && docs.every((one) => one.state === "open" && one.organization === docs[0].organization));
}

/** A certificate is revoked, another one issued, and the paper of each checked. */
async function certificate({ page, sound, goto, open, press, has, read }, words) {
  const form = "zootechnicalCertificate";
  const valid = `where[type][equals]=${form}&where[issuedAt][exists]=true&where[revoked.at][exists]=false`;
  const [old] = (await read(`/api/documents?limit=1&depth=0&${valid}`)).docs;
  await goto(`/book/documents/${old.id}`);
  await press("main a[href$='/move/issuedAt/revoked']");
  await sound("day-revoke");
  await page.fill("main textarea", "Кличка изменена.");
  await press("main form.sheet button[type=submit]");
  assert.ok((await read(`/api/documents/${old.id}?depth=0`)).revoked.at);

  await goto(`/book/animals/${old.animal}`);
  await press("main a[href$='/certificates']");
  await sound("day-conditions");
  const issue = `a[href*='for-animals?type=${form}']`;
  const section = `section:has(${issue})`;
  await has(section, words.met);
  const conditions = (sign) => page.locator(`${section} ${sign}`).count();
  assert.deepEqual([await conditions(".met") > 5, await conditions(".unmet")], [true, 0]);
  await press(issue);
  await sound("day-issue");
  await press("main form.sheet > button[type=submit]:not(.enter)");
  await has("main [role=status]", words.ready);
  await press("main button[name=_make]");
  await sound("day-issued");
  await has("main [role=status]", words.made);
  await press("main [role=status] a[href^='/book/documents/']");
  await sound("day-certificate");
  const [, id] = page.url().match(/\/book\/documents\/(\d+)$/);
  const { number, publicCode, animal, revoked } = await read(`/api/documents/${id}?depth=0`);
  assert.match(number, /^RU-\d{4}-\d{4}$/);
  assert.deepEqual([animal, revoked?.at ?? null], [old.animal, null]);
  for (const [paper, code, sign] of [[number, publicCode, ".good"], [old.number, old.publicCode, ".bad"]]) {
    await open(`/certificate/${paper}?k=${code}`, "day-check");
    assert.equal(await page.locator(sign).count(), 1, paper);
    await has("body", paper);
  }
}
