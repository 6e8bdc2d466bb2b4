"""A client that is generated from the server's own description: reads and writes a milk test.

python typed.py URL, with the generated package on the path.
"""

import datetime
import json
import sys

from herdbook_client import AuthenticatedClient, Client
from herdbook_client.api.events_milk_tests import (
    create_test_day_milking,
    delete_test_day_milking,
    find_one_test_day_milking,
)
from herdbook_client.api.herd_animals import find_animals
from herdbook_client.api.people_sign_in import login_user
from herdbook_client.models import LoginUserBody, MilkTestsCreate

url = sys.argv[1]
body = LoginUserBody(email="farm1@demo.herdbook", password="demo-herdbook")
signed_in = login_user.sync(client=Client(base_url=url), body=body, depth=0)
client = AuthenticatedClient(base_url=url, token=signed_in.token)

where = {
    "owner": {"equals": signed_in.user.organization},
    "sex": {"equals": "female"},
    "state": {"equals": "alive"},
    "birthDate": {"less_than": "2023-01-01"},
}
cows = find_animals.sync(client=client, where=json.dumps(where), limit=1, depth=0)
cow = cows.docs[0].id

new = MilkTestsCreate(animal=cow, date=datetime.date(2026, 3, 10), milk_yield=27.5)
written = create_test_day_milking.sync(client=client, body=new, depth=0)
test = written.doc
assert test.milk_yield == 27.5, written
read = find_one_test_day_milking.sync(client=client, id=test.id, depth=0)
assert read.animal == cow, read
gone = delete_test_day_milking.sync(client=client, id=test.id, depth=0)
assert gone.doc.id == test.id, gone
print(f"openapi-python-client: {cows.total_docs} cows found, a milk test written, read and deleted")
