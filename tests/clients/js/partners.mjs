// The programs of the page for partners, taken from the page and run as they stand there: each role in curl, Python and
// TypeScript, and in C# where dotnet is.
// node partners.mjs URL FOLDER

import assert from "node:assert/strict";
import { execFile, execFileSync } from "node:child_process";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";
import { promisify } from "node:util";

const [url, folder] = process.argv.slice(2);
const run = promisify(execFile);
const work = path.join(folder, "partners");
const password = "demo-herdbook";
const tsc = createRequire(import.meta.url).resolve("typescript/bin/tsc");
const has = (program) => { try { execFileSync("which", [program]); return true; } catch { return false; } };

const farm = await signedIn("farm1");
const partner = await signedIn("partner");
await ask(farm, "POST", "/api/mandates?depth=0", { receiver: partner.organization, datasets: ["test-day-results"] });
const [location] = (await ask(farm, "GET", "/ade/v1/locations")).member;
const place = `/ade/v1/locations/${location.identifier.scheme}/${location.identifier.id}`;
const cows = (await ask(farm, "GET", `${place}/animals?pageSize=200`)).member;
const cow = cows.find((one) => one.gender === "Female" && one.status === "Alive" && one.lactationStatus && one.lactationStatus !== "Dry");
const bulls = await ask(partner, "GET", "/api/animals?where[sex][equals]=male&where[birthDate][less_than]=2024-01-01&limit=1&depth=0");

// What each role is answered: making its key, and then.
const ROLES = {
  farm: [farm, [200, 200, "send", 200, 422, 200, 200]],
  robot: [farm, [200, 200, "send", 200, 422, 200, 200]],
  laboratory: [partner, [200, "send", 200, 422]],
  recording: [partner, [200, "send", 200, 422]],
  registry: [partner, [200, 200]],
};
// A program that is known to compile is run by the file of its name.
const LANGUAGES = { curl: ["sh", shell], python: ["py", python], typescript: ["ts", node], csharp: ["cs", dotnet] };

await rm(work, { recursive: true, force: true });
const languages = [];
for (const [language, [ending, start]] of Object.entries(LANGUAGES)) {
  if (language === "csharp" && !has("dotnet")) {
    console.log("C#: NOT RUN: no dotnet.");
    continue;
  }
  const home = path.join(work, language);
  await mkdir(home, { recursive: true });
  for (const [role, [who, expected]] of Object.entries(ROLES)) {
    const [making, ...rest] = await programs(who, role, language);
    const filled = making.replace("YOUR-EMAIL", who.email).replace("YOUR-PASSWORD", password);
    const made = await start(home, `${role}-key.${ending}`, filled);
    assert.deepEqual(statuses(made), [200, 201], `${language} ${role}: ${made}`);
    const [key] = made.match(/^hbk_\S+$/m) ?? [];
    assert.ok(key, `${language} ${role} shows its key: ${made}`);
    const animal = role === "registry" ? bulls.docs[0].identNumber : cow.identifier.id;
    const program = rest.join("\n").replace("YOUR-KEY", key)
      .replace("YOUR-LOCATION", location.identifier.id).replace("YOUR-ANIMAL", animal);
    assert.ok(!program.includes("YOUR-"), program);
    const answers = await start(home, `${role}.${ending}`, program);
    // The first language sends what is new, the others send it again.
    const first = language === Object.keys(LANGUAGES)[0] ? 201 : 200;
    assert.deepEqual(statuses(answers), expected.map((one) => (one === "send" ? first : one)), `${language} ${role}: ${answers}`);
    if (expected.includes(422)) assert.match(answers, /animal-not-found/, `${language} ${role}`);
    if (role === "registry") assert.match(answers, /"member":\[{"resourceType"/, `${language}: the bull is found: ${answers}`);
  }
  languages.push(language);
}
console.log(`${Object.keys(ROLES).length} roles each in ${languages.join(", ")}`);

async function signedIn(name) {
  const email = `${name}@demo.herdbook`;
  const { token, user } = await ask(undefined, "POST", "/api/users/login?depth=0", { email, password });
  return { email, authorization: `JWT ${token}`, organization: user.organization };
}

async function ask(who, method, at, body) {
  const headers = { "Content-Type": "application/json", ...(who && { Authorization: who.authorization }) };
  const answer = await fetch(url + at, { method, headers, body: body && JSON.stringify(body) });
  assert.ok(answer.ok, `${method} ${at}: ${answer.status}`);
  return answer.json();
}

/** The programs of a page: how the key is made, the head of the other one, and its steps. */
async function programs(who, role, language) {
  const headers = { Accept: "text/html", Authorization: who.authorization };
  const html = await (await fetch(`${url}/partners/${role}?in=${language}`, { headers })).text();
  const found = [...html.matchAll(/<section class="program"[^>]*><pre><code>([^]*?)<\/code>/g)];
  assert.ok(found.length > 2, html);
  const signs = { lt: "<", gt: ">", quot: '"', amp: "&" };
  return found.map(([, text]) => text.replace(/&(lt|gt|quot|amp);/g, (_, name) => signs[name]));
}

/** The statuses that a program showed, each in a line of its own. */
function statuses(text) {
  return [...text.matchAll(/^(\d{3})$/gm)].map(([, status]) => Number(status));
}

async function shell(home, name, program) {
  await writeFile(path.join(home, name), program);
  return (await run("bash", ["-euo", "pipefail", name], { cwd: home })).stdout;
}

async function python(home, name, program) {
  await writeFile(path.join(home, name), program);
  return (await run("python3", [name], { cwd: home })).stdout;
}

/** Checked as strictly as the compiler can. */
async function node(home, name, program) {
  await writeFile(path.join(home, name), program);
  const options = ["--strict", "--moduleDetection", "force", "--target", "es2022", "--module", "esnext", "--lib", "es2022,dom"];
  await run(process.execPath, [tsc, ...options, "--outDir", "out", name], { cwd: home }).catch((fault) => assert.fail(fault.stdout));
  await writeFile(path.join(home, "package.json"), '{"type":"module"}');
  return (await run("node", [path.join("out", name.replace(".ts", ".js"))], { cwd: home })).stdout;
}

async function dotnet(home, name, program) {
  const project = path.join(home, name.replace(".cs", ""));
  await run("dotnet", ["new", "console", "--force", "--output", project]);
  await writeFile(path.join(project, "Program.cs"), program);
  return (await run("dotnet", ["run", "--project", project])).stdout;
}
