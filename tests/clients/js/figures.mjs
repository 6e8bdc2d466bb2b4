// What each kind of page costs a browser that comes for the first time, with nothing stored: the time to the first byte and
// to the first picture (medians of five), the requests, and the bytes over the wire. A table in Markdown.
// node figures.mjs URL BROWSER

import { chromium } from "playwright-core";

const TURNS = 5;
const [url, executablePath] = process.argv.slice(2);
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-dev-shm-usage"] });
const read = async (context, at) => (await context.request.get(url + at)).json();

try {
  const signed = await browser.newContext();
  const data = { email: "farm1@demo.herdbook", password: "demo-herdbook" };
  await signed.request.post(`${url}/api/users/login`, { data });
  const state = await signed.storageState();
  const { user } = await read(signed, "/api/users/me?depth=0");
  const query = `limit=1&depth=0&sort=-lactationNumber&where[ownerOrg][equals]=${user.organization}&where[daysInMilk][exists]=true`;
  const cow = (await read(signed, `/api/milk-tests?${query}`)).docs[0].animal;
  const link = { animals: [cow], scopes: ["origin", "production"], expiresAt: new Date(Date.now() + 864e5).toISOString() };
  const { doc } = await (await signed.request.post(`${url}/api/share-links?depth=0`, { data: link })).json();
  const pages = [
    ["start page of a stranger", "/", false], ["sign-in", "/sign-in", false], ["start page of a farm", "/"], ["all collections", "/book"],
    ["list", "/book/animals"], ["card of a cow", `/book/animals/${cow}`], ["record", "/book/herds/1"], ["form", "/book/milk-tests/new"],
    ["view link", `/share/${doc.token}`, false], ["operations of the API", "/api-docs"], ["search in them", "/api-docs?q=list+animals"],
    ["partners", "/partners", false], ["a partner's way in", "/partners/robot?in=python"],
    ["viewer of the API, a part", "/api-docs/view?tag=Herd%20%C2%B7%20Herds"], ["GraphiQL", "/api/graphql-playground"],
  ];
  console.log("| Page | Address | First byte | First picture | Requests | Bytes over the wire |\n|---|---|---|---|---|---|");
  for (const [name, at, known = true] of pages) {
    const turns = [];
    for (let turn = 0; turn < TURNS; turn += 1) turns.push(await visited(at, known ? state : undefined));
    const median = (of) => turns.map(of).sort((a, b) => a - b)[Math.floor(TURNS / 2)];
    const place = at.replace(/\d+$/, "<id>").replace(/share\/.*/, "share/<token>");
    console.log(`| ${name} | \`${place}\` | ${median((one) => one.byte).toFixed(1)} ms | ${median((one) => one.paint).toFixed(0)} ms | ` +
      `${turns[0].requests} | ${median((one) => one.bytes).toLocaleString("en")} |`);
  }
} finally {
  await browser.close();
}

async function visited(at, storageState) {
  const context = await browser.newContext({ storageState });
  const page = await context.newPage();
  const network = await context.newCDPSession(page);
  await network.send("Network.enable");
  let [requests, bytes] = [0, 0];
  network.on("Network.requestWillBeSent", ({ request }) => { requests += request.url.startsWith("http") ? 1 : 0; });
  network.on("Network.loadingFinished", ({ encodedDataLength }) => { bytes += encodedDataLength; });
  await page.goto(url + at, { waitUntil: "networkidle" });
  const { byte, paint } = await page.evaluate(() => {
    const [own] = performance.getEntriesByType("navigation");
    const [first] = performance.getEntriesByName("first-contentful-paint");
    return { byte: own.responseStart - own.requestStart, paint: first?.startTime ?? NaN };
  });
  await context.close();
  return { byte, paint, requests, bytes };
}
