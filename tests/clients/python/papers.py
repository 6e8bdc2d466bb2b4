"""What is printed as PDF, read by programs of others: poppler finds the words in both languages, the tags and the claim
to be PDF/A-2a; qpdf finds no fault in the structure.

python papers.py URL FOLDER
"""

import json
import pathlib
import re
import subprocess
import sys
import time
import urllib.error
import urllib.request

url, folder = sys.argv[1], pathlib.Path(sys.argv[2])
folder.mkdir(parents=True, exist_ok=True)


def fetch(path, token="", body=None, kind="application/json", method=None):
    request = urllib.request.Request(url + path, body, {"Accept": "*/*"}, method=method)
    if body is not None:
        request.add_header("Content-Type", kind)
    if token:
        request.add_header("Authorization", f"JWT {token}")
    try:
        with urllib.request.urlopen(request) as answer:
            return answer.read()
    except urllib.error.HTTPError as refused:
        raise AssertionError(f"{path}: {refused.code} {refused.read().decode()}") from refused


def read(path, token="", **more):
    return json.loads(fetch(path, token, **more))


def sent(method, path, token, data):
    return read(path, token, body=json.dumps(data).encode(), method=method)["doc"]


def token(name):
    account = {"email": f"{name}@demo.herdbook", "password": "demo-herdbook"}
    return read("/api/users/login", body=json.dumps(account).encode())["token"]


def printed(name, path, token, words):
    """A paper has these words, and no fault."""
    file = folder / f"{name}.pdf"
    file.write_bytes(fetch(path, token))
    text = subprocess.run(["pdftotext", "-layout", file, "-"], check=True, capture_output=True, text=True).stdout
    absent = [word for word in words if word not in text]
    assert not absent, (name, absent, text)
    info = subprocess.run(["pdfinfo", file], check=True, capture_output=True, text=True).stdout
    assert re.search(r"Tagged: +yes", info), (name, info)
    meta = subprocess.run(["pdfinfo", "-meta", file], check=True, capture_output=True, text=True).stdout
    said = [re.search(rf"pdfaid:{member}\W+(\w+)", meta)[1] for member in ("part", "conformance")]
    assert said == ["2", "A"], (name, meta)
    subprocess.run(["qpdf", "--check", file], check=True, capture_output=True)
    return file.stat().st_size


farm, office = token("farm1"), token("association")
cow = read("/api/animals?where[sex][equals]=female&where[lactations][exists]=true&limit=1&depth=0&sort=birthDate", farm)["docs"][0]
number = cow["identNumber"]
sizes = {
    language: printed(f"card-{language}", f"/api/animals/{cow['id']}/card?language={language}", farm, [number, *words])
    for language, words in {"ru": ["Родословная", "Лактации"], "en": ["Pedigree", "Lactations"]}.items()
}

table = f"Инд.№;Дата замера;Удой за день, кг\n{number};01.02.2023;31,5\n"
form = (
    '--cow\r\nContent-Disposition: form-data; name="_payload"\r\n\r\n{"kind": "productivity"}\r\n'
    '--cow\r\nContent-Disposition: form-data; name="file"; filename="papers.csv"\r\nContent-Type: text/csv\r\n\r\n'
    f"{table}\r\n--cow--\r\n"
)
package = read("/api/data-submissions?depth=0", farm, body=form.encode(), kind="multipart/form-data; boundary=cow")["doc"]
for _ in range(600):
    if read(f"/api/data-submissions/{package['id']}?depth=0", farm)["intake"]["state"] == "read":
        break
    time.sleep(0.1)
sizes["protocol"] = printed(
    "protocol", f"/api/data-submissions/{package['id']}/protocol?format=pdf&language=ru", farm, [package["number"], "Протокол"]
)


def verified(animal):
    """Whether the Association approves an animal: an open finding may hold it back."""
    request = sent("POST", "/api/verification-requests?depth=0", farm, {"purpose": "certificate", "animals": [animal["id"]]})
    path = f"/api/verification-requests/{request['id']}"
    sent("PATCH", f"{path}?depth=0", office, {"status": "checking"})
    held = read(f"{path}/decision", office)["heldCount"]
    decision = {"status": "approved"} if held == 0 else {"status": "rejected", "review": {"comment": "Held back."}}
    sent("PATCH", f"{path}?depth=0", office, decision)
    return held == 0


def certified():
    """A certificate of an animal of the farm, which the Association verified and whose parents a test confirmed."""
    kind = "zootechnicalCertificate"
    mine = read("/api/animals?where[owner][equals]=2&where[father][exists]=true&limit=300&depth=0", office)["docs"]
    for animal in mine:
        conditions = read(f"/api/animals/{animal['id']}/certificate-conditions?type={kind}", office)["conditions"]
        unmet = {one["code"] for one in conditions if not one["met"]}
        if unmet <= {"certificate-trust", "certificate-parentage", "certificate-index"} and verified(animal):
            break
    else:
        raise AssertionError("no animal has grandparents and no finding")
    test = {"date": "2026-01-10", "verdict": "confirmed", "authMethod": "byOM"}
    sent("PATCH", f"/api/animals/{animal['id']}?depth=0", office, {"dnaTests": [test]})
    if "certificate-index" in unmet:
        value = {"animal": animal["id"], "ipc": 100, "evaluatedAt": "2026-01-10"}
        sent("POST", "/api/animal-evaluations?depth=0", office, value)
    draft = {"title": "Свидетельство", "type": kind, "animal": animal["id"], "organization": 2, "issuedAt": "2026-03-01"}
    return animal, sent("POST", "/api/documents?depth=0", office, draft)


animal, certificate = certified()
for language, words in {"ru": ["Зоотехническое"], "en": ["Zootechnical"]}.items():
    sizes[f"certificate-{language}"] = printed(
        f"certificate-{language}",
        f"/api/documents/{certificate['id']}/certificate?format=pdf&language={language}",
        farm,
        [certificate["number"], animal["identNumber"], *words],
    )
print(f"poppler and qpdf: {', '.join(f'{name} {size} bytes' for name, size in sizes.items())}")
