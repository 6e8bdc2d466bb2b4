// Passkeys on the pages, with an authenticator of Chromium in place of a device: one is added to an account, signs in, is
// renamed, and signs in no more after it was removed. Without scripts, and in browsers without passkeys, none are offered.
// node passkeys.mjs URL BROWSER

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { chromium } from "playwright-core";

const [url, executablePath] = process.argv.slice(2);
const axe = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-dev-shm-usage"] });
try {
  for (const [locale, email] of [["ru-RU", "farm1@demo.herdbook"], ["en-US", "farm2@demo.herdbook"]]) await walked(locale, email);
  await unoffered({ javaScriptEnabled: false }, "without scripts");
  await unoffered({}, "without passkeys", () => { delete window.PublicKeyCredential; });
} finally {
  await browser.close();
}
console.log(`Chromium ${browser.version()}: passkeys in Russian and English`);

async function walked(locale, email) {
  const context = await browser.newContext({ locale, viewport: { width: 390, height: 900 } });
  const page = await context.newPage();
  const faults = [];
  page.on("pageerror", (fault) => faults.push(String(fault)));
  page.on("console", (line) => line.text().includes("Content Security Policy") && faults.push(line.text()));
  const devices = await context.newCDPSession(page);
  await devices.send("WebAuthn.enable");
  const { authenticatorId } = await devices.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2", transport: "internal", hasResidentKey: true, hasUserVerification: true,
      isUserVerified: true, automaticPresenceSimulation: true,
    },
  });
  const offer = page.locator("form.passkey[data-kind=get]");
  const fault = (form) => form.locator("[role=alert]");
  const sound = async (name) => {
    // The policy of our pages keeps axe out; the protocol of the browser does not.
    await devices.send("Runtime.evaluate", { expression: axe });
    const { violations } = await page.evaluate(() => window.axe.run(document));
    assert.deepEqual(violations.map((one) => `${one.id}: ${one.nodes[0].html}`), [], `${name} ${locale}`);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    assert.ok(wide <= 0, `${name} is ${wide} px wider than the window`);
  };

  // A device without a key of this service gives none.
  await page.goto(`${url}/sign-in?next=%2Faccount`);
  await offer.locator("button").click();
  await fault(offer).getByText(/\S/).waitFor();
  assert.equal(new URL(page.url()).pathname, "/sign-in");
  await sound("sign-in");

  // Added with the password, which is judged first.
  await page.fill("#email", email);
  await page.fill("#password", "demo-herdbook");
  await page.click("form[method=post]:not(.passkey) button[type=submit]:not(.link)");
  await page.waitForURL(`${url}/account`);
  const add = page.locator("form.passkey[data-kind=create]");
  await page.fill("#new-name", "Phone");
  await page.fill("#new-password", "not this one");
  await add.locator("button").click();
  await fault(add).getByText(/\S/).waitFor();
  assert.equal(await page.locator("article.passkey").count(), 0);
  await page.fill("#new-password", "demo-herdbook");
  await add.locator("button").click();
  await page.locator("article.passkey h3").getByText("Phone").waitFor();
  assert.equal((await devices.send("WebAuthn.getCredentials", { authenticatorId })).credentials.length, 1);
  await sound("account");

  // It signs in, and leads to where the visitor wanted to go.
  const signOut = async () => {
    await page.click("form[action='/sign-out'] button");
    await page.waitForURL(`${url}/`);
  };
  await signOut();
  await page.goto(`${url}/sign-in?next=%2Fbook%2Fanimals`);
  await offer.locator("button").click();
  await page.waitForURL(`${url}/book/animals`);
  const sessions = await page.evaluate(async () => (await fetch("/api/users/sessions")).json());
  assert.equal(sessions.docs.find((one) => one.current).kind, "passkey");

  // Another name, and no more.
  await page.goto(`${url}/account`);
  await page.locator("article.passkey summary").click();
  await page.locator("article.passkey input[name=name]").fill("Tablet");
  await page.locator("article.passkey form:not([action$='/remove']) button").click();
  await page.locator("article.passkey h3").getByText("Tablet").waitFor();
  await page.locator("article.passkey summary").click();
  await page.locator("article.passkey input[name=password]").fill("demo-herdbook");
  await page.locator("article.passkey form[action$='/remove'] button").click();
  await page.waitForURL(`${url}/account`);
  assert.equal(await page.locator("article.passkey").count(), 0);
  await signOut();

  // The device still has the key, and the service takes it no more.
  assert.equal((await devices.send("WebAuthn.getCredentials", { authenticatorId })).credentials.length, 1);
  await page.goto(`${url}/sign-in`);
  const refused = page.waitForResponse((answer) => answer.url().endsWith("/passkey-login"));
  await offer.locator("button").click();
  assert.equal((await refused).status(), 401);
  const sentence = locale === "ru-RU" ? "Ключ доступа не принят." : "The passkey was not accepted.";
  await fault(offer).getByText(sentence).waitFor();
  assert.equal(new URL(page.url()).pathname, "/sign-in");
  assert.deepEqual(faults, []);
  await context.close();
}

// The way by password is there, and no button for a passkey.
async function unoffered(options, name, before) {
  const context = await browser.newContext(options);
  if (before) await context.addInitScript(before);
  const page = await context.newPage();
  await page.goto(`${url}/sign-in`);
  assert.ok(await page.locator("#password").isVisible(), name);
  assert.equal(await page.locator("form.passkey").isVisible(), false, name);
  await context.close();
}
