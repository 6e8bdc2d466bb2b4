"""Documents that a partner could send, made of a description of their types: all members, and each value of each
list of values.
"""

import datetime

SOURCE = "partner.example"
PREFIX = "#/$defs/"
# Deeper than this, only members that must be there.
DEPTH = 6


class Maker:
    """Makes documents of the types in `defs`, JSON schemas by name."""

    def __init__(self, defs):
        self.defs = defs
        self.fixed = {}

    def documents(self, name, fixed):
        """One with the members that must be there, then as many with all of them as show every value.

        `fixed` tells what some types are, whatever their schema.
        """
        if name not in self.defs:
            return
        self.fixed = fixed
        yield self.value({"$ref": PREFIX + name}, 0, False, ())
        for turn in range(self.longest(name)):
            yield self.value({"$ref": PREFIX + name}, turn, True, ())

    def longest(self, name):
        """The length of the longest list of values that a type has."""
        lengths, seen = [2], set()

        def look(part):
            if isinstance(part, list):
                for inner in part:
                    look(inner)
            elif isinstance(part, dict):
                lengths.append(len(part.get("enum", ())))
                refers = part.get("$ref", "").removeprefix(PREFIX)
                if refers and refers not in seen:
                    seen.add(refers)
                    look(self.defs[refers])
                for inner in part.values():
                    look(inner)

        look(self.defs[name])
        return max(lengths)

    def value(self, schema, turn, whole, within):
        if "$ref" in schema:
            name = schema["$ref"].removeprefix(PREFIX)
            if name in self.fixed:
                return self.fixed[name]
            return self.value(self.defs[name], turn, whole, (*within, name))
        if "const" in schema:
            return schema["const"]
        if "enum" in schema:
            values = [value for value in schema["enum"] if value is not None]
            return values[turn % len(values)]
        for several in ("anyOf", "oneOf"):
            if several in schema:
                options = [option for option in schema[several] if option.get("type") != "null"]
                return self.value(options[turn % len(options)], turn, whole, within)
        kind = schema.get("type")
        if isinstance(kind, list):
            kind = next(one for one in kind if one != "null")
        if kind == "object" or "properties" in schema or "allOf" in schema:
            return self.members(schema, turn, whole, within)
        if kind == "array":
            length = schema.get("minItems", 1 if whole else 0)
            return [self.value(schema.get("items", {}), turn + n, whole, within) for n in range(length)]
        if kind in ("number", "integer"):
            value = schema.get("minimum", 0) + 1 + turn
            value = min(value, schema.get("maximum", value))
            return value + 0.5 if kind == "number" and value + 0.5 <= schema.get("maximum", value + 1) else value
        if kind == "boolean":
            return turn % 2 == 0
        return text(schema, turn)

    def members(self, schema, turn, whole, within):
        properties, required = {}, set()
        self.gather(schema, properties, required)
        made = {}
        for name, inner in properties.items():
            # Most sets need the time, whether or not the standard says so.
            if name not in required and name != "eventDateTime":
                if not whole or len(within) > DEPTH or self.refers_back(inner, within):
                    continue
            made[name] = self.value(inner, turn, whole, within)
        return made

    def gather(self, schema, properties, required):
        if "$ref" in schema:
            self.gather(self.defs[schema["$ref"].removeprefix(PREFIX)], properties, required)
        for part in schema.get("allOf", ()):
            self.gather(part, properties, required)
        properties.update(schema.get("properties", {}))
        required.update(schema.get("required", ()))

    def refers_back(self, schema, within):
        """Whether a member leads to a type that it is part of."""
        if isinstance(schema, list):
            return any(self.refers_back(inner, within) for inner in schema)
        if isinstance(schema, dict):
            if schema.get("$ref", "").removeprefix(PREFIX) in within:
                return True
            return any(self.refers_back(inner, within) for inner in schema.values())
        return False


def text(schema, turn):
    form = schema.get("format")
    day = datetime.date(2026, 2, 1) + datetime.timedelta(days=turn % 28)
    if form == "date-time":
        # Not all senders say it in UTC, nor in whole seconds.
        return f"{day}T06:00:00{('Z', '.250Z', '+02:00')[turn % 3]}"
    if form == "date":
        return str(day)
    if form == "uri":
        return f"https://{SOURCE}/{turn}"
    # The one pattern of the standard is that of years, months and periods of birth.
    return "2025" if "pattern" in schema else f"text {turn}"[: schema.get("maxLength")]


def addressed(document, resource, key, location):
    """As a partner sends it: named, of a location, not deleted."""
    document["resourceType"] = resource
    document["location"] = location
    document["x-partner"] = {"of its own": [1, None]}
    meta = document["meta"] = document.get("meta") or {}
    meta.pop("isDeleted", None)
    meta.update(source=SOURCE, sourceId=key, modified="2026-02-01T00:00:00Z")
    return document
