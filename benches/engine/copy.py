"""Copies animals, milk tests and organisations of a SQLite book into the tables of the engine:

    python3 copy.py book.db engine.db

Rows keep their ids; columns go over by their names, times as the engine writes them.
"""
import sqlite3
import sys
from datetime import datetime, timezone

# A table of ours and the same of the engine; links to what is not copied are left out.
TABLES = [("organizations", "organizations"), ("animals", "animals"), ("milk_tests", "milk_tests")]


def columns(database, table):
    return {row[1]: row[2] for row in database.execute(f'PRAGMA table_info("{table}")')}


def time(value):
    if not isinstance(value, int):
        return value
    moment = datetime.fromtimestamp(value / 1000, timezone.utc)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def main(book, engine):
    ours, theirs = sqlite3.connect(book), sqlite3.connect(engine)
    theirs.execute("PRAGMA foreign_keys = OFF")
    for source, target in TABLES:
        have, want = columns(ours, source), columns(theirs, target)
        # The engine calls the column of a relation by the field and `_id`.
        pairs = [(name, to) for name in have for to in (name, f"{name}_id") if to in want]
        times = [want[to].upper() == "TEXT" and have[name] == "INTEGER" for name, to in pairs]
        select = ",".join(f'"{name}"' for name, _ in pairs)
        insert = ",".join(f'"{to}"' for _, to in pairs)
        marks = ",".join("?" for _ in pairs)
        theirs.execute(f'DELETE FROM "{target}"')
        rows = ([time(v) if t else v for v, t in zip(row, times)] for row in ours.execute(f'SELECT {select} FROM "{source}"'))
        theirs.executemany(f'INSERT INTO "{target}" ({insert}) VALUES ({marks})', rows)
        print(target, theirs.execute(f'SELECT count(*) FROM "{target}"').fetchone()[0], "rows,", len(pairs), "columns")
    theirs.commit()


main(*sys.argv[1:])
