"""The client `gql`, which checks documents against the schema before it sends them: reads, writes a milk test, and
meets refusals.

python documents.py URL SCHEMA, where SCHEMA is what `herdbook schema --graphql` prints.
"""

import sys
from pathlib import Path

from gql import Client, gql
from gql.transport.exceptions import TransportQueryError
from gql.transport.httpx import HTTPXTransport
from graphql import GraphQLError, build_schema, lexicographic_sort_schema, print_schema

url, printed = sys.argv[1:]
password = "demo-herdbook"


def client(token=None):
    """A client that learns the schema by introspection."""
    headers = {"Authorization": f"JWT {token}"} if token else {}
    transport = HTTPXTransport(url=f"{url}/api/graphql", headers=headers, timeout=60)
    return Client(transport=transport, fetch_schema_from_transport=True)


def refused(session, document, **variables):
    """The one error that a request is refused with."""
    document.variable_values = variables
    try:
        answer = session.execute(document)
    except TransportQueryError as fault:
        [error] = fault.errors
        return error["extensions"]
    raise AssertionError(f"not refused: {answer}")


def execute(session, document, **variables):
    document.variable_values = variables
    return session.execute(document)


sign_in = gql(
    """mutation ($email: String!, $password: String!) {
      loginUser(email: $email, password: $password) { token user { email organization { id } } }
    }"""
)
cows = gql(
    """query ($where: Animal_where) {
      Animals(where: $where, first: 2, sort: "id") {
        totalDocs
        docs {
          id
          sex
          calvings(limit: 0, count: true) { totalDocs docs { date } }
          pedigree(generations: 3) { nodes { number generation doc { id } } }
        }
      }
    }"""
)
create = gql(
    """mutation ($data: mutationMilkTestInput!) {
      createMilkTest(data: $data) { id milkYield animal { id } }
    }"""
)
remove = gql("mutation ($id: Int!) { deleteMilkTest(id: $id) { id } }")

with client() as stranger:
    # Introspection and the command tell the same schema, as far as introspection tells it.
    by_introspection = print_schema(lexicographic_sort_schema(stranger.client.schema))
    same = print_schema(lexicographic_sort_schema(build_schema(Path(printed).read_text(encoding="utf-8"))))
    assert by_introspection == same, "introspection and the printed schema differ"
    try:
        stranger.execute(gql("{ Animals { docs { id nothingOfTheKind } } }"))
        raise AssertionError("a field that is not in the schema was sent")
    except GraphQLError as fault:
        assert "nothingOfTheKind" in fault.message, fault
    wrong = refused(stranger, sign_in, email="farm1@demo.herdbook", password="wrong")
    assert wrong["statusCode"] == 401, wrong
    signed_in = execute(stranger, sign_in, email="farm1@demo.herdbook", password=password)["loginUser"]
    assert signed_in["user"]["email"] == "farm1@demo.herdbook", signed_in

with client(signed_in["token"]) as farm:
    where = {
        "owner": {"equals": signed_in["user"]["organization"]["id"]},
        "sex": {"equals": "female"},
        "state": {"equals": "alive"},
        "calvings__where": {"id": {"exists": True}},
    }
    found = execute(farm, cows, where=where)["Animals"]
    assert len(found["docs"]) == 2 < found["totalDocs"], found
    for cow in found["docs"]:
        calvings = cow["calvings"]
        assert cow["sex"] == "female" and calvings["totalDocs"] == len(calvings["docs"]) > 0, cow
        assert cow["pedigree"]["nodes"][0] == {"number": 1, "generation": 0, "doc": {"id": cow["id"]}}, cow

    data = {"animal": found["docs"][0]["id"], "date": "2026-03-12", "milkYield": 27.5, "source": "owner"}
    written = execute(farm, create, data=data)["createMilkTest"]
    assert written["milkYield"] == 27.5 and written["animal"]["id"] == data["animal"], written
    invalid = refused(farm, create, data={**data, "date": "2026-03-13", "milkYield": -1})
    assert invalid["statusCode"] == 400 and invalid["data"]["errors"][0]["path"] == "milkYield", invalid
    gone = execute(farm, remove, id=written["id"])["deleteMilkTest"]
    assert gone["id"] == written["id"], gone
    # As in REST, a change does not tell whether there is a record.
    missing = refused(farm, remove, id=written["id"])
    assert missing["name"] == "Forbidden" and missing["statusCode"] == 403, missing

types = len(stranger.client.schema.type_map)
print(f"gql: {types} types of the schema, {found['totalDocs']} cows found, a milk test written and deleted")
