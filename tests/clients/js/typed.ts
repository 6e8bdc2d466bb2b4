// A client whose types are generated from the server's own description: reads and writes a milk test.

import createClient from "openapi-fetch";
import type { components, paths } from "./out/schema";

declare const process: { argv: string[]; exit(code: number): never };

const baseUrl = process.argv[2]!;
const client = createClient<paths>({ baseUrl });

/** Conditions, checked against the structure that the description gives. */
const condition = (where: components["schemas"]["animals-where"]) => JSON.stringify(where);

const signedIn = await client.POST("/api/users/login", {
  body: { email: "farm1@demo.herdbook", password: "demo-herdbook" },
});
const token = signedIn.data!.token;
const headers = { Authorization: `Bearer ${token}` };

const cows = await client.GET("/api/animals", {
  headers,
  params: {
    query: {
      where: condition({ sex: { equals: "female" }, state: { equals: "alive" }, birthDate: { less_than: "2023-01-01" } }),
      limit: 1, depth: 0, sort: "id",
    },
  },
});
const me = (signedIn.data!.user as components["schemas"]["users"]).organization;
const owner = typeof me === "object" && me !== null ? me.id : me;
const mine = await client.GET("/api/animals", {
  headers,
  params: { query: { where: condition({ owner: { equals: owner! }, sex: { equals: "female" }, state: { equals: "alive" },
    birthDate: { less_than: "2023-01-01" } }), limit: 1, depth: 0 } },
});
const cow = mine.data!.docs[0]!.id;

const written = await client.POST("/api/milk-tests", {
  headers,
  body: { animal: cow, date: "2026-02-10", milkYield: 28.5, source: "owner" },
});
if (written.response.status !== 201) throw new Error(JSON.stringify(written.error));
const test: components["schemas"]["milk-tests"] = written.data!.doc;

const read = await client.GET("/api/milk-tests/{id}", { headers, params: { path: { id: test.id } } });
if (read.data!.milkYield !== 28.5) throw new Error(JSON.stringify(read.data));
const gone = await client.DELETE("/api/milk-tests/{id}", { headers, params: { path: { id: test.id } } });
if (gone.response.status !== 200) throw new Error(JSON.stringify(gone.error));
console.log(`openapi-typescript: ${cows.data!.totalDocs} cows listed, a milk test written, read and deleted`);
