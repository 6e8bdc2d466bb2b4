"""What is refused, by a parser or by the server, and why that is right: `refusals.json`."""

import collections
import json
import re


class Refusals:
    def __init__(self, path, by):
        with open(path, encoding="utf-8") as file:
            self.explained = [one for one in json.load(file) if one["by"] == by]
        self.counts = collections.Counter()
        self.unknown = {}

    def add(self, what, fault, at, value, document):
        """A refusal; of those that nothing explains, the first document of each kind is kept."""
        said = {"what": what, "fault": fault, "at": at, "value": json.dumps(value)}
        for number, one in enumerate(self.explained):
            if all(re.fullmatch(one.get(name, ".*"), text, re.DOTALL) for name, text in said.items()):
                self.counts[number] += 1
                return
        self.unknown.setdefault((what, fault, at), document)

    def report(self, whole):
        """Prints what was refused; whether all of it is explained, and, if all was read, nothing else is."""
        for number, one in enumerate(self.explained):
            print(f"  {self.counts[number]} times {one['fault']}: {one['why']}")
        for (what, fault, at), document in self.unknown.items():
            print(f"REFUSED {what}: {fault} at {at}\n  {document[:1000]}")
        idle = [one for number, one in enumerate(self.explained) if whole and not self.counts[number]]
        for one in idle:
            print(f"EXPLAINED, BUT NOT REFUSED: {one}")
        return not self.unknown and not idle
