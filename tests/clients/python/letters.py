"""Emails through a mail server that others wrote (aiosmtpd), with STARTTLS and a password, as an installation has one.

The server refuses the first password, puts one recipient off (greylisting), hangs up on another in the middle of an
email and does not know a third. Each email that can arrive arrives once, in the language of its reader, as text and
HTML; one request ends those that may be ended. A server without TLS, or of an unknown authority, gets nothing.

python letters.py HERDBOOK FOLDER
"""

import email
import email.policy
import json
import logging
import os
import pathlib
import re
import secrets
import socket
import sqlite3
import ssl
import subprocess
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
import warnings

import trustme
from aiosmtpd.controller import Controller
from aiosmtpd.smtp import AuthResult

# Connections that we end are no news.
logging.getLogger("mail.log").setLevel(logging.CRITICAL)
warnings.filterwarnings("ignore", category=DeprecationWarning)
herdbook, folder = sys.argv[1], pathlib.Path(sys.argv[2])
PASSWORD = "demo-herdbook"
RU, EN, LATE, CUT, GONE = ("farm1", "farm2", "partner", "viewer1", "association")
USER, WORD = b"herdbook", b"words of the book"
# An email is tried again after 30 s, and looked for every 15 s.
PATIENCE = 150


def address(name):
    return f"{name}@demo.herdbook"


class Server:
    """What the mail server does, and what it saw."""

    def __init__(self):
        self.delivered, self.tried, self.signed_in, self.passwords, self.first = [], [], [], 0, None

    def authenticated(self, server, session, envelope, mechanism, auth_data):
        self.passwords += 1
        # As after a change of the password that was mended since: the first connection fails, by every mechanism.
        self.first = self.first or session.peer
        good = (auth_data.login, auth_data.password) == (USER, WORD) and session.peer != self.first
        return AuthResult(success=good, handled=False)

    async def handle_RCPT(self, server, session, envelope, to, options):
        self.tried.append(to)
        if to == address(LATE) and self.tried.count(to) == 1:
            return "451 4.7.1 Greylisted, try again later"
        if to == address(GONE):
            return "550 5.1.1 No such user"
        envelope.rcpt_tos.append(to)
        return "250 OK"

    async def handle_DATA(self, server, session, envelope):
        [to] = envelope.rcpt_tos
        if to == address(CUT) and self.tried.count(to) == 1:
            server.transport.abort()
            return "250 never heard"
        letter = email.message_from_bytes(envelope.content, policy=email.policy.default)
        letter.head = envelope.content.partition(b"\r\n\r\n")[0]
        self.delivered.append((to, letter))
        self.signed_in.append(session.authenticated and session.ssl is not None)
        return "250 OK"

    def to(self, name):
        return [letter for to, letter in self.delivered if to == address(name)]


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def listening(server, tls):
    """Our server on a free port; with TLS it wants STARTTLS and a password."""
    protected = {"tls_context": tls, "require_starttls": True, "auth_required": True, "authenticator": server.authenticated}
    # Without TLS it takes a password in the clear, and we must not give it one.
    open_to_all = {"auth_require_tls": False, "authenticator": server.authenticated}
    controller = Controller(server, hostname="127.0.0.1", port=free_port(), **(protected if tls else open_to_all))
    controller.start()
    return controller


class Book:
    """A served book whose emails go to a port."""

    def __init__(self, port, more=()):
        log = folder / f"serve-{port}.log"
        self.log, self.out = log, open(folder / f"serve-{port}.out", "w+")
        variables = {
            "HERDBOOK_MAIL_TRANSPORT": "smtp", "HERDBOOK_MAIL_HOST": "localhost", "HERDBOOK_MAIL_PORT": str(port),
            "HERDBOOK_MAIL_USER": USER.decode(), "HERDBOOK_MAIL_PASSWORD": WORD.decode(),
            "HERDBOOK_MAIL_FROM": "Племенная книга <book@herdbook.example>", "HERDBOOK_SERVER_URL": "https://herdbook.example",
        }
        command = [herdbook, "serve", "--database-url", database, "--listen", "127.0.0.1:0", "--log", "warn"]
        self.process = subprocess.Popen(command, stdout=self.out, stderr=open(log, "w"), env={**settings, **variables, **dict(more)}, cwd=folder)
        until(lambda: '"ready"' in pathlib.Path(self.out.name).read_text() or self.process.poll() is not None, "the server is ready")
        log_text = pathlib.Path(self.out.name).read_text()
        assert '"ready"' in log_text, log.read_text()
        self.port = re.search(r'127\.0\.0\.1:(\d+)', log_text)[1]
        self.tokens = {}

    def ask(self, who, method, path, body=None, form=False):
        headers = {}
        if who:
            if who not in self.tokens:
                signed = self.ask("", "POST", "/api/users/login?depth=0", {"email": address(who), "password": PASSWORD})
                self.tokens[who] = signed["token"]
            headers["Authorization"] = f"JWT {self.tokens[who]}"
        data = None
        if body is not None:
            data = urllib.parse.urlencode(body).encode() if form else json.dumps(body).encode()
            headers["Content-Type"] = "application/x-www-form-urlencoded" if form else "application/json"
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}{path}", data, headers, method=method)
        with urllib.request.urlopen(request) as answer:
            body = answer.read()
            return json.loads(body) if "json" in answer.headers["Content-Type"] else body.decode()

    def forgot(self, name):
        self.ask("", "POST", "/api/users/forgot-password", {"email": address(name)})

    def end(self):
        self.process.terminate()
        self.process.wait(60)


def until(holds, what, patience=PATIENCE):
    end = time.monotonic() + patience
    while not holds():
        assert time.monotonic() < end, f"not in {patience} s: {what}"
        time.sleep(0.2)


def waiting():
    """Emails that the book would still send."""
    with sqlite3.connect(f"file:{folder}/book.db?mode=ro", uri=True) as book:
        return book.execute("SELECT count(*) FROM mail_outbox").fetchone()[0]


folder.mkdir(parents=True, exist_ok=True)
authority = trustme.CA()
authority.cert_pem.write_to_path(folder / "authority.pem")
tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
authority.issue_cert("localhost").configure_cert(tls)
database = f"sqlite://{folder}/book.db"
settings = {**os.environ, "HERDBOOK_SECURITY_SECRET": secrets.token_urlsafe(32)}
trusting = {"HERDBOOK_MAIL_CERTIFICATES": str(folder / "authority.pem")}
for command in (["migrate"], ["generate", "--animals", "200"]):
    subprocess.run([herdbook, *command, "--database-url", database], check=True, env=settings, cwd=folder, capture_output=True)

server = Server()
controller = listening(server, tls)
book = Book(controller.port, trusting)
try:
    accounts = {}
    for name, language in ((RU, "ru"), (EN, "en")):
        found = book.ask("association", "GET", f"/api/users?depth=0&where[email][equals]={address(name)}")["docs"][0]
        accounts[name] = found
        book.ask(name, "PATCH", f"/api/users/{found['id']}?depth=0", {"language": language})
    for name in (RU, EN, LATE, CUT, GONE):
        book.forgot(name)
    day = time.strftime("%Y-%m-%d", time.gmtime(time.time() + 90 * 86400))
    assignment = {"kind": "productivity", "dataset": "milkTests", "periodFrom": "2026-02-01", "periodTo": "2026-02-28", "dueDate": day}
    for name in (RU, EN):
        book.ask("association", "POST", "/api/upload-assignments?depth=0", {**assignment, "organization": accounts[name]["organization"]})
    # Nothing is left that would be sent once more.
    until(lambda: waiting() == 0, "every email left, or was given up")
    counts = {name: len(server.to(name)) for name in (RU, EN, LATE, CUT, GONE)}
    assert counts == {RU: 2, EN: 2, LATE: 1, CUT: 1, GONE: 0}, counts
    assert server.tried.count(address(GONE)) == 1, "what is refused for good is not tried again"
    assert server.tried.count(address(LATE)) == 2 and server.tried.count(address(CUT)) == 2, server.tried
    assert server.passwords >= 2 and all(server.signed_in), (server.passwords, server.signed_in)

    known = {RU: ("Здравствуйте", "ru"), EN: ("Hello", "en")}
    ends = {}
    for name in (RU, EN):
        for letter in server.to(name):
            assert letter.get_content_type() == "multipart/alternative"
            plain, page = letter.iter_parts()
            assert (plain.get_content_type(), page.get_content_type()) == ("text/plain", "text/html")
            text, html, subject = plain.get_content(), page.get_content(), letter["Subject"]
            hello, language = known[name]
            assert text.startswith(hello) and hello in html, (name, text, html)
            assert bool(re.search("[а-яё]{4}", subject)) == (name == RU), subject
            assert f'lang="{language}"' in html, html
            # What is not ASCII goes out in encoded words: the subject, and the name of the sender.
            assert letter.head.isascii() and b"=?utf-8?" in letter.head, letter.head
            assert str(letter["From"]) == "Племенная книга <book@herdbook.example>", letter["From"]
            links = set(re.findall(r"https://herdbook\.example/\S+", text))
            assert links and all(link.replace("&", "&amp;") in html for link in links), (links, html)
            if "reset-password" in text:
                assert letter["List-Unsubscribe"] is None, "an email about an account has no end"
            else:
                link = re.fullmatch(r"<(https://herdbook\.example/api/users/unsubscribe\?token=\S+)>", letter["List-Unsubscribe"])[1]
                assert letter["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click" and link in links, links
                ends[name] = link
    assert set(ends) == {RU, EN}, ends
    ids = [letter["Message-ID"] for _, letter in server.delivered]
    assert len(set(ids)) == len(ids), ids

    # The button of a mail program ends them; the other farm goes on to get them.
    place = ends[RU].removeprefix("https://herdbook.example")
    book.ask("", "POST", place, {"List-Unsubscribe": "One-Click"}, form=True)
    assert book.ask(RU, "GET", f"/api/users/{accounts[RU]['id']}?depth=0")["notifySubmissions"] is False
    for name in (RU, EN):
        more = {**assignment, "periodFrom": "2026-03-01", "periodTo": "2026-03-31", "organization": accounts[name]["organization"]}
        book.ask("association", "POST", "/api/upload-assignments?depth=0", more)
    until(lambda: waiting() == 0, "the second emails left")
    assert (len(server.to(RU)), len(server.to(EN))) == (2, 3), server.tried
finally:
    book.end()
    controller.stop()

# Neither a server that offers no TLS, nor one that nobody vouches for, gets a password or an email; both wait.
for tls_of, more, what in ((None, trusting, "without TLS"), (tls, {}, "of an unknown authority")):
    other = Server()
    controller = listening(other, tls_of)
    book = Book(controller.port, more)
    try:
        before = waiting()
        book.forgot(EN)
        until(lambda: "waits for another attempt" in book.log.read_text(), f"the email to a server {what} waits")
        assert (other.delivered, other.tried, other.passwords) == ([], [], 0), what
        assert waiting() == before + 1, what
    finally:
        book.end()
        controller.stop()

print(f"aiosmtpd: {len(server.delivered)} emails in {len(server.tried)} attempts; none without TLS or an authority that is known")
