"use strict";
const EXAMPLES = [
  [`# A cow with its calvings, movements and pedigree. Sign in to see more.
query Animal {
  Animals(limit: 1, where: {calvings__where: {id: {exists: true}}}, sort: "-pedigreeDepth") {
    totalDocs
    docs {
      id
      identNumber
      name
      birthDate
      owner { name }
      calvings(sort: "-date") { docs { date result ease } }
      movements(sort: "-date") { docs { date kind } }
      pedigree(generations: 3) {
        pedigreeDepth
        nodes { number generation doc { identNumber name } }
      }
    }
  }
}`, ""],
  [`query Page($first: Int!, $after: String) {
  Animals(first: $first, after: $after, sort: "-birthDate") {
    docs { id name birthDate breed { name } }
    totalDocs
    endCursor
  }
}`, `{"first": 10}`],
  [`query TestDays {
  MilkTests(limit: 20, sort: "-date") {
    docs { date dailyYield animal { name herd { name } } }
    totalDocs
  }
}`, ""],
  [`query Farms {
  Organizations(limit: 5) {
    docs {
      name
      herds { docs { name animals(limit: 3, count: true) { totalDocs docs { name } } } }
    }
  }
}`, ""],
  [`query WhoAmI {
  meUser { exp strategy user { email role } }
  Access { canAccessAdmin animals { create { permission } } }
}`, ""],
  [`query Type($name: String!) {
  __type(name: $name) {
    description
    fields { name description type { name kind ofType { name kind } } }
  }
}`, `{"name": "Animal"}`],
];

// With the cookie of the visitor, who sees the data that he may see.
async function fetcher(request, options) {
  const answer = await fetch("/api/graphql", {
    method: "POST",
    credentials: "same-origin",
    headers: { ...options?.headers, "Content-Type": "application/json", "Accept": "application/json" },
    body: JSON.stringify(request),
  });
  return answer.json();
}

async function visitor() {
  const { data } = await fetcher({ query: "{meUser{user{email}}}" });
  const email = data?.meUser?.user?.email;
  document.getElementById("who").textContent = email ?? "";
  document.getElementById("in").hidden = Boolean(email);
  document.getElementById("out").hidden = !email;
}

// What was open last, as its tab has it: where GraphiQL finds anything else, it adds another tab.
function resumed(storage) {
  const stored = JSON.parse(storage.getItem("graphiql:tabState") ?? "null");
  const last = stored?.tabs[stored.activeTabIndex];
  for (const name of last ? ["query", "variables"] : []) storage.setItem(`graphiql:${name}`, last[name] ?? "");
  return storage;
}

ReactDOM.createRoot(document.getElementById("graphiql")).render(React.createElement(GraphiQL, {
  fetcher,
  defaultTabs: EXAMPLES.map(([query, variables]) => ({ query, variables, headers: null })),
  defaultQuery: "",
  // What was typed goes with the tab of the browser: a mutation may have a password.
  storage: resumed(sessionStorage),
}));
visitor();
