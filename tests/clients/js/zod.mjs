// Reads what `served.py` wrote, with schemas of zod that @hey-api/openapi-ts makes of the official ones.
// node zod.mjs SCHEMAS SERVED REFUSALS, where SCHEMAS is what `wrapped.py` makes of the official ones

import { createClient } from "@hey-api/openapi-ts";
import { createReadStream } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";
import typescript from "typescript";
import { z } from "zod";

const name = "@hey-api/openapi-ts";
const [schemas, served, refusals] = process.argv.slice(2);
const { version } = JSON.parse(await readFile(`node_modules/${name}/package.json`, "utf8"));
const explained = JSON.parse(await readFile(refusals, "utf8")).filter((one) => one.by === name);
// As a client has it that sets nothing, and as one that takes times of any offset.
const models = await generated("plain", {});
const offsets = await generated("offsets", { dates: { offset: true } });
const lists = collections(JSON.parse(await readFile(schemas, "utf8")).components.schemas);

async function generated(name, options) {
  const folder = path.resolve("out/ade", name);
  const plugins = [{ name: "zod", ...options }];
  await createClient({ input: schemas, output: folder, plugins, logs: { level: "silent" } });
  const source = await readFile(path.join(folder, "zod.gen.ts"), "utf8");
  const compilerOptions = { module: "esnext", target: "es2022" };
  const file = path.join(folder, "zod.mjs");
  await writeFile(file, typescript.transpileModule(source, { compilerOptions }).outputText);
  return import(pathToFileURL(file).href);
}

/** The names of the collections by the type of their members. */
function collections(schemas) {
  const found = new Map();
  for (const [name, { allOf = [] }] of Object.entries(schemas)) {
    for (const { properties } of allOf) {
      const of = properties?.member?.items?.$ref;
      if (of) found.set(of.split("/").pop(), name);
    }
  }
  return found;
}

function modelOf(what, models) {
  const [sort, of] = what.split(" ");
  // Of a resource that is gone, the members of every resource are left.
  const name = { collection: lists.get(of), tombstone: "icarResource" }[sort] ?? of;
  const model = models[`z${name[0].toUpperCase()}${name.slice(1)}`];
  return sort === "results" ? z.array(model) : model;
}

/** Whether a refusal is one that is explained. */
function isExplained(said) {
  const fits = (one, [name, text]) => new RegExp(`^(?:${one[name] ?? ".*"})$`, "s").test(text);
  const found = explained.find((one) => Object.entries(said).every((part) => fits(one, part)));
  if (found) counts.set(found, (counts.get(found) ?? 0) + 1);
  return found;
}

const [made, read, counts, unknown] = [new Map(), new Map(), new Map(), new Map()];
let withOffsets = 0;
for await (const line of createInterface({ input: createReadStream(served) })) {
  const { what, at, body } = JSON.parse(line);
  if (!made.has(what)) made.set(what, [modelOf(what, models), modelOf(what, offsets)]);
  const [strict, lenient] = made.get(what);
  const result = strict.safeParse(body);
  if (result.success || lenient.safeParse(body).success) {
    read.set(what, (read.get(what) ?? 0) + 1);
    withOffsets += !result.success;
  }
  for (const { code, path } of result.error?.issues ?? []) {
    const place = path.map((step) => (typeof step === "number" ? "*" : step)).join("/");
    const value = JSON.stringify(path.reduce((part, step) => part?.[step], body)) ?? "";
    if (!isExplained({ what, fault: code, at: place, value })) {
      unknown.set(`${what}: ${code} at ${place}`, `${at}: ${JSON.stringify(body).slice(0, 1000)}`);
    }
  }
}

const sorts = {};
let total = 0;
for (const [what, number] of read) {
  const sort = what.split(" ")[0];
  sorts[sort] = (sorts[sort] ?? 0) + number;
  total += number;
}
const types = new Set([...read.keys()].map((what) => what.split(" ")[1])).size;
console.log(`${name} ${version} with zod: ${total} documents of ${types} types read:`, JSON.stringify(sorts));
console.log(`  ${withOffsets} of them with its option dates.offset`);
for (const [one, number] of counts) console.log(`  ${number} times ${one.fault}: ${one.why}`);
for (const [fault, document] of unknown) console.log(`REFUSED ${fault}\n  ${document}`);
const idle = explained.filter((one) => !counts.has(one));
for (const one of idle) console.log("EXPLAINED, BUT NOT REFUSED:", JSON.stringify(one));
process.exit(unknown.size + idle.length > 0 ? 1 : 0);
