"""Time to the first byte of each kind of page of a demonstration book, signed in as one of its farms.

python3 benches/pages/first_byte.py URL [TIMES]
"""

import http.client
import json
import statistics
import sys
import time
import urllib.parse

host = urllib.parse.urlsplit(sys.argv[1]).netloc
times = int(sys.argv[2]) if len(sys.argv) > 2 else 20


def ask(path, headers, body=None):
    """Status, bytes, and milliseconds until the head of the answer, by a connection of its own."""
    connection = http.client.HTTPConnection(host)
    connection.connect()
    begun = time.perf_counter()
    connection.request("POST" if body else "GET", path, body, headers)
    answer = connection.getresponse()
    first = (time.perf_counter() - begun) * 1000
    data = answer.read()
    connection.close()
    return answer.status, data, first


sent = json.dumps({"email": "farm1@demo.herdbook", "password": "demo-herdbook"})
told = json.loads(ask("/api/users/login?depth=0", {"Content-Type": "application/json"}, sent)[1])
signed_in = {"Authorization": f"JWT {told['token']}"}
own = f"limit=1&depth=0&where[ownerOrg][equals]={told['user']['organization']}"
test = json.loads(ask(f"/api/milk-tests?{own}&sort=-lactationNumber&where[daysInMilk][exists]=true", signed_in)[1])["docs"][0]
cow = test["animal"]
browser = {**signed_in, "Accept": "text/html", "Accept-Encoding": "gzip"}
for path in (
    "/", "/book", "/account", "/book/animals", "/book/animals?q=96000100",
    "/book/animals?where[sex][equals]=male&sort=-birthDate", "/book/milk-tests", "/book/milk-tests?page=50",
    "/book/check-findings", f"/book/animals/{cow}", f"/book/milk-tests/{test['id']}", f"/book/animals/{cow}/edit",
    "/book/milk-tests/new", "/book/data-submissions/new", "/api-docs?q=list+animals", f"/api/animals/{cow}/card",
):
    answers = [ask(path, browser) for _ in range(times)]
    assert {status for status, _, _ in answers} == {200}, path
    print(f"| `{path}` | {statistics.median(first for _, _, first in answers):.1f} ms | {len(answers[-1][1]):,} |")
