// A client whose types graphql-codegen makes of the server's schema and of the documents in graphql/: signs in, reads
// cows with calvings and pedigree, writes, reads and deletes a milk test, and reads refusals by type.

import { ClientError, GraphQLClient } from "graphql-request";
import {
  type CowsQuery, CowsDocument, CreateMilkTestDocument, DeleteMilkTestDocument, MilkTestDocument, SignInDocument,
} from "./out/graphql.js";
import type { Animal, MutationMilkTestInput } from "./out/graphql-schema.js";

declare const process: { argv: string[] };

/** What `extensions` of an error tells (docs/graphql.md). */
interface ErrorExtensions { name: string; statusCode: number; data?: { errors: { path: string; message: string }[] } }

const endpoint = `${process.argv[2]!}/api/graphql`;
const password = "demo-herdbook";
const stranger = new GraphQLClient(endpoint);

function ensure<T>(held: T, what: string): asserts held {
  if (!held) throw new Error(what);
}

/** The one error that a request is refused with. */
async function refused(work: Promise<unknown>): Promise<ErrorExtensions> {
  const fault: unknown = await work.then(() => undefined, (fault: unknown) => fault);
  ensure(fault instanceof ClientError, `not refused: ${String(fault)}`);
  const errors = fault.response.errors ?? [];
  ensure(errors.length === 1, JSON.stringify(fault.response));
  return errors[0]!.extensions as unknown as ErrorExtensions;
}

const wrong = await refused(stranger.request(SignInDocument, { email: "farm1@demo.herdbook", password: "wrong" }));
ensure(wrong.statusCode === 401, JSON.stringify(wrong));

const { loginUser } = await stranger.request(SignInDocument, { email: "farm1@demo.herdbook", password });
ensure(loginUser?.token && loginUser.user?.organization, JSON.stringify(loginUser));
const me = loginUser.user.organization;
const farm = new GraphQLClient(endpoint, { headers: { Authorization: `JWT ${loginUser.token}` } });

// The schema's own types hold for what the client reads.
type Cow = NonNullable<CowsQuery["Animals"]>["docs"][number];
const key = (cow: Pick<Cow, "id">): Animal["id"] => cow.id;

const read = await farm.request(CowsDocument, {
  where: { owner: { equals: me.id }, sex: { equals: "female" }, state: { equals: "alive" }, calvings__where: { id: { exists: true } } },
  first: 2,
});
ensure(read.Animals && read.Animals.docs.length === 2, JSON.stringify(read));
ensure(read.Animals.totalDocs > 2, "more cows than on the page");
for (const cow of read.Animals.docs) {
  ensure(cow.sex === "female" && cow.owner?.name === me.name, JSON.stringify(cow));
  const calvings = cow.calvings;
  ensure(calvings && calvings.docs.length > 0 && calvings.totalDocs === calvings.docs.length, JSON.stringify(calvings));
  ensure(calvings.docs.every((calving) => /^\d{4}-\d\d-\d\dT/.test(calving.date)), JSON.stringify(calvings));
  const root = cow.pedigree?.nodes.find((node) => node.number === 1);
  ensure(root?.generation === 0 && root.doc?.id === cow.id, JSON.stringify(cow.pedigree));
}
const cow = read.Animals.docs[0]!;

const data: MutationMilkTestInput = { animal: key(cow), date: "2026-02-12", milkYield: 28.5, source: "owner" };
const { createMilkTest: written } = await farm.request(CreateMilkTestDocument, { data });
ensure(written && written.milkYield === 28.5 && written.animal?.id === cow.id, JSON.stringify(written));
const { MilkTest: again } = await farm.request(MilkTestDocument, { id: written.id });
ensure(again?.animal?.owner?.id === me.id, JSON.stringify(again));

const invalid = await refused(farm.request(CreateMilkTestDocument, { data: { ...data, date: "2026-02-13", milkYield: -1 } }));
ensure(invalid.name === "ValidationError" && invalid.statusCode === 400, JSON.stringify(invalid));
ensure(invalid.data?.errors[0]?.path === "milkYield", JSON.stringify(invalid));
const forbidden = await refused(stranger.request(CreateMilkTestDocument, { data: { ...data, date: "2026-02-13" } }));
ensure(forbidden.name === "Forbidden" && forbidden.statusCode === 403, JSON.stringify(forbidden));

const { deleteMilkTest: gone } = await farm.request(DeleteMilkTestDocument, { id: written.id });
ensure(gone?.id === written.id, JSON.stringify(gone));
const missing = await refused(farm.request(MilkTestDocument, { id: written.id }));
ensure(missing.name === "NotFound" && missing.statusCode === 404, JSON.stringify(missing));

console.log(`graphql-codegen: ${read.Animals.totalDocs} cows listed, a milk test written, read and deleted, 4 requests refused`);
