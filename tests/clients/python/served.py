"""Everything that the exchange serves of a running demonstration book, after a partner sent documents of every type.

python served.py URL OUT REFUSALS [BUNDLE], where BUNDLE are the official schemas as one file. A line of OUT is one
distinct body: what it is in the words of the standard, which address had it first, and itself.
"""

import collections
import json
import pathlib
import sys
import time

import httpx
import icar.resources
from partner import Maker, addressed
from pydantic.json_schema import models_json_schema
from refusals import Refusals

TOP = "/ade/v1"
url, out, refusals, *bundle = sys.argv[1:]


class Served:
    """The bodies, each once."""

    def __init__(self):
        self.lines = {}
        self.answers = 0
        # What the standard describes in words alone, or not at all: no parser can have a model of it.
        self.unmodelled = collections.Counter()

    def add(self, at, what, body):
        line = {"what": what, "at": at, "body": body}
        self.lines.setdefault((what, json.dumps(body, sort_keys=True)), line)

    def resource(self, at, body):
        deleted = body.get("meta", {}).get("isDeleted")
        self.add(at, f"{'tombstone' if deleted else 'resource'} {body['resourceType']}", body)

    def page(self, at, of, body):
        """A page of a list, and each of its members."""
        self.add(at, f"collection {of}", body)
        for member in body["member"]:
            if "resourceType" in member:
                self.resource(at, member)
            else:
                self.add(at, f"resource {of}", member)


served = Served()


def client(account):
    body = {"email": f"{account}@demo.herdbook", "password": "demo-herdbook"}
    signed_in = httpx.post(f"{url}/api/users/login", json=body).raise_for_status().json()
    return httpx.Client(base_url=url, headers={"Authorization": f"JWT {signed_in['token']}"}, timeout=120)


def ask(who, method, at, status, **more):
    """An answer of this status; what it says, where it refuses, is kept."""
    answer = who.request(method, at, **more)
    while answer.status_code == 429:
        time.sleep(float(answer.headers["Retry-After"]))
        answer = who.request(method, at, **more)
    served.answers += 1
    assert answer.status_code == status, (method, at, answer.status_code, answer.text[:1000])
    if status >= 400:
        served.add(f"{method} {at}", "error icarErrorCollection", answer.json())
    return answer


def listed(at, of, **params):
    """All pages of a list."""
    answer = ask(association, "GET", at, 200, params={"pageSize": 200, **params})
    members = []
    while True:
        served.page(at, of, answer.json())
        members += answer.json()["member"]
        following = answer.json()["view"].get("next")
        if not following:
            return members
        answer = ask(association, "GET", following, 200)


def fed(at):
    """All pages of a feed."""
    params = {"limit": 1000}
    while True:
        context, *elements, continuation = ask(association, "GET", at, 200, params=params).json()
        assert (context["id"], continuation["id"]) == ("@context", "@continuation"), (context, continuation)
        served.unmodelled["first and last elements of feed pages"] += 2
        for element in elements:
            served.resource(at, element)
        if continuation["current"]:
            return
        params["since"] = continuation["token"]


def place(location):
    return f"locations/{location['scheme']}/{location['id']}"


def published():
    """The models of icar-pydantic as schemas, under the names that the standard has for them."""
    models = [model for model in vars(icar.resources).values() if isinstance(model, type)]
    models = [(model, "validation") for model in models if issubclass(model, icar.resources.IcarResource)]
    defs = models_json_schema(models, by_alias=True)[1]["$defs"]
    small = {name: name[0].lower() + name[1:] for name in defs}
    text = json.dumps(defs)
    for name, standard in small.items():
        text = text.replace(f'"#/$defs/{name}"', f'"#/$defs/{standard}"')
    return Maker({small[name]: schema for name, schema in json.loads(text).items()})


def official():
    return Maker(json.loads(pathlib.Path(bundle[0]).read_text(encoding="utf-8"))["$defs"])


def send():
    """What a partner sends: documents of each type, made of either description of the standard."""
    makers = {"published": published()} | ({"official": official()} if bundle else {})
    animals = ask(farm, "GET", f"{TOP}/{place(home)}/animals", 200, params={"pageSize": 200}).json()["member"]
    cows = [
        cow["identifier"]
        for cow in animals
        if cow["gender"] == "Female" and cow["status"] == "Alive" and cow["birthDate"] < "2024"
    ]
    # Facts of a verified animal wait for a request of correction; those of a draft are taken or refused.
    params = {"where": json.dumps({"trustLevel": {"equals": 0}}), "limit": 200, "depth": 0}
    drafts = {one["identNumber"] for one in ask(farm, "GET", "/api/animals", 200, params=params).json()["docs"]}
    draft = next(cow for cow in cows if cow["id"] in drafts)
    offered = ask(association, "GET", f"{TOP}/datasets/animal-sets/changes", 200).json()[1]
    # What ends a life or a stay comes last.
    order = sorted(types, key=lambda one: (one["collection"].endswith(("deaths", "departures")), one["collection"]))
    for turn, one in enumerate(order):
        name, resource = one["collection"], one["resourceType"]
        cow = draft if name == "animals" else cows[turn % len(cows)]
        fixed = {"icarAnimalIdentifierType": cow, "icarLocationIdentifierType": home}
        documents = []
        for origin, maker in makers.items():
            for number, document in enumerate(maker.documents(resource, fixed)):
                if "animalSetId" in document:
                    document["animalSetId"] = offered["id"]
                documents.append(addressed(document, resource, f"{name}-{origin}-{number}", home))
        if documents:
            yield resource, *delivered(one, documents)


def delivered(one, documents):
    """Sends documents of one set in each way that it has; which are stored, and why the others are not."""
    name, verbs, stored, refused = one["collection"], one["verbs"], [], []
    # Some types come from accredited organisations and the Association only.
    sender = association if one.get("senders") else farm
    at, batch, push = (
        f"{TOP}/{place(home)}/{name}",
        f"{TOP}/batches/{place(home)}/{name}",
        f"{TOP}/datasets/{name}/resources",
    )
    # A push is all or nothing; all go so where there is no other way.
    alone, together = (documents[:2], documents[2:]) if "batch" in verbs else (documents, [])
    for document in alone:
        way, body = (at, document) if "post" in verbs else (push, [document])
        answer = sender.post(way, json=body)
        if answer.status_code == 201:
            served.resource(f"POST {way}", answer.json())
            own = ask(sender, "GET", answer.headers["Location"], 200)
            served.resource(f"GET {at}/…", own.json())
        elif answer.status_code != 200:
            served.add(f"POST {way}", "error icarErrorCollection", answer.json())
            if answer.status_code == 405 and "post" not in verbs:
                # Another way or none.
                together = documents if "batch" in verbs else []
                break
            refused.append((document, answer.json()["errors"][0]))
            continue
        stored.append(document)
    if together:
        answer = ask(sender, "POST", batch, 200, json=together)
        served.add(f"POST {batch}", "results icarBatchResult", answer.json())
        for document, result in zip(together, answer.json(), strict=True):
            first = result["messages"][0]
            if first["severity"] == "Error":
                refused.append((document, first))
            else:
                stored.append(document)
        later = ask(sender, "GET", answer.headers["Content-Location"], 200)
        served.add(f"GET {TOP}/batches/…", "results icarBatchResult", later.json())
    # The last of many is retracted.
    if together and len(stored) > 2:
        last = stored[-1]
        gone = {name: last[name] for name in ("resourceType", "location", "animal") if name in last}
        gone["meta"] = last["meta"] | {"isDeleted": True, "modified": "2026-02-02T00:00:00Z"}
        answer = ask(sender, "POST", batch, 200, json=[gone])
        served.add(f"POST {batch}", "results icarBatchResult", answer.json())
    return stored, refused


def walk():
    """The lists of each location, and the feed of each set."""
    locations = [one["identifier"] for one in listed(f"{TOP}/locations", "icarLocationResource")]
    described = ask(association, "GET", f"{TOP}/openapi.json", 200).json()["paths"]
    for one in ask(association, "GET", f"{TOP}/datasets", 200).json():
        served.unmodelled["data sets"] += 1
        ask(association, "GET", one["url"], 200)
        fed(one["changes"])
    for location in locations:
        at = f"{TOP}/{place(location)}"
        for one in types:
            for name in (one["collection"], *one["aliases"]):
                # Some older spellings are of batches alone.
                if "get" not in described.get(f"{TOP}/locations/{{location-scheme}}/{{location-id}}/{name}", ()):
                    continue
                needed = {"duration": "P1D"} if name == "observation-summary-metrics" else {}
                members = listed(f"{at}/{name}", one["resourceType"], **needed)
                # The server's own are at an address of their own.
                for member in [one for one in members if one["meta"]["source"] == "org.herdbook"][:1]:
                    own = ask(association, "GET", f"{at}/{name}/{member['meta']['sourceId'].split(':', 1)[1]}", 200)
                    served.resource(f"GET {at}/{name}/…", own.json())
        listed(f"{at}/statistics", "icarStatisticsResource")
        for kind in listed(f"{at}/schemata", "icarSchemeTypeResource"):
            for scheme in listed(f"{at}/schemata/{kind['name']}", "icarSchemeTypeResource"):
                listed(f"{at}/schemata/{kind['name']}/{scheme['name']}", "icarSchemeValueResource")
    listed(f"{TOP}/service-sires", "icarAnimalCoreResource")


def provoke():
    """One answer of each kind in which the exchange refuses a request."""
    at = f"{TOP}/{place(home)}"
    stranger = httpx.Client(base_url=url, timeout=120)
    other = f"{TOP}/locations/{home['scheme']}/999999"
    json_text = {"Content-Type": "application/json"}
    ask(stranger, "GET", f"{TOP}/locations", 401)
    ask(farm, "GET", f"{other}/weights", 404)
    ask(farm, "GET", f"{at}/weights/999999", 404)
    ask(farm, "GET", f"{TOP}/datasets/nothing", 404)
    ask(farm, "GET", f"{TOP}/batches/{'0' * 8}-0000-0000-0000-{'0' * 12}", 404)
    ask(farm, "GET", f"{at}/weights?date-from=yesterday&pageSize=x", 400)
    ask(farm, "GET", f"{at}/weights?colour=red", 400, headers={"Prefer": "handling=strict"})
    ask(farm, "GET", f"{at}/weights", 406, headers={"Accept": "image/png"})
    ask(farm, "GET", f"{TOP}/datasets/everything/changes?since=x", 400)
    ask(farm, "POST", f"{at}/gestations", 405, json={})
    ask(farm, "POST", f"{at}/weights", 400, content="{", headers=json_text)
    ask(farm, "POST", f"{at}/weights", 415, content="{}", headers={"Content-Type": "text/plain"})
    ask(farm, "POST", f"{TOP}/batches/{place(home)}/weights", 400, json=[])
    ask(farm, "POST", f"{TOP}/datasets/weights/resources", 400, json=[{}, {"weight": []}])


association, farm = client("association"), client("farm1")
home = ask(farm, "GET", f"{TOP}/locations", 200).json()["member"][0]["identifier"]
types = ask(association, "GET", TOP, 200).json()["types"]
served.unmodelled["description of the service"] += 1
total, refused = collections.Counter(), Refusals(refusals, "server")
for resource, stored, faults in send():
    total["stored"] += len(stored)
    total["refused"] += len(faults)
    total["types"] += bool(stored)
    for document, why in faults:
        what = f"{resource}-{document['meta']['sourceId'].split('-')[-2]}"
        refused.add(what, why["type"], why.get("instance", ""), why.get("detail"), json.dumps(document))
walk()
provoke()
print(f"sent by a partner: {total['stored']} documents of {total['types']} types stored, {total['refused']} refused")
fine = refused.report(bool(bundle))
with open(out, "w", encoding="utf-8") as file:
    for line in served.lines.values():
        file.write(json.dumps(line, ensure_ascii=False) + "\n")
sorts = collections.Counter(line["what"].split()[0] for line in served.lines.values())
print(f"served: {len(served.lines)} distinct bodies in {served.answers} answers: {dict(sorts)}")
print(f"served, of what no parser has a model: {dict(served.unmodelled)}")
sys.exit(not fine)
