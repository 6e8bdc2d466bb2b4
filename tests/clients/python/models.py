"""Reads what `served.py` wrote, with models that others wrote or that a generator made of the official schemas.

python models.py PARSER SERVED REFUSALS [BUNDLE], where PARSER is `icar-pydantic` or a file of datamodel-code-generator,
and BUNDLE is as `served.py` had it.
"""

import collections
import importlib.metadata
import importlib.util
import json
import sys
import typing

from pydantic import BaseModel, RootModel, TypeAdapter, ValidationError
from refusals import Refusals

parser, served, refusals, *bundle = sys.argv[1:]
PUBLISHED = "icar-pydantic"
name = PUBLISHED if parser == PUBLISHED else "datamodel-code-generator"


def modules():
    if parser == PUBLISHED:
        return [importlib.import_module(f"icar.{part}") for part in ("resources", "collections")]
    specification = importlib.util.spec_from_file_location("official", parser)
    # Its models refer to one another by name.
    module = sys.modules["official"] = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return [module]


def standard(title):
    """A name as the standard writes it."""
    return title[0].lower() + title[1:]


def within(annotation):
    """The models that a type is made of."""
    parts = typing.get_args(annotation)
    if parts:
        return [model for part in parts for model in within(part)]
    return [annotation] if isinstance(annotation, type) and issubclass(annotation, BaseModel) else []


def model_of(what):
    sort, of = what.split()
    if sort == "collection":
        return lists.get(of)
    # Of a resource that is gone, the members of every resource are left.
    model = models.get("icarResource" if sort == "tombstone" else of)
    return list[model] if sort == "results" else model


def place(steps):
    return "/".join("*" if isinstance(step, int) else str(step) for step in steps)


models = {
    standard(title): model
    for module in modules()
    for title, model in vars(module).items()
    if isinstance(model, type) and issubclass(model, BaseModel) and not issubclass(model, RootModel)
}
lists = {
    standard(member.__name__): model
    for model in models.values()
    if "member" in model.model_fields
    for member in within(model.model_fields["member"].annotation)
}
adapters, read, beyond = {}, collections.Counter(), collections.Counter()
refused = Refusals(refusals, name)
with open(served, encoding="utf-8") as file:
    for line in map(json.loads, file):
        what, text = line["what"], json.dumps(line["body"])
        shown = f"{line['at']}: {text}"
        if what not in adapters:
            model = model_of(what)
            adapters[what] = model and TypeAdapter(model)
        if adapters[what] is None:
            refused.add(what, "no-model", "", None, shown)
            continue
        try:
            # Strictly: a number is not a text, nor a text a number.
            adapters[what].validate_json(text, strict=True)
        except ValidationError as fault:
            for one in fault.errors(include_url=False):
                refused.add(what, one["type"], place(one["loc"]), one["input"], shown)
            continue
        read[what] += 1
        try:
            if "collection" not in what:
                adapters[what].validate_json(text, extra="forbid")
        except ValidationError as fault:
            beyond.update(place(one["loc"]) for one in fault.errors() if one["type"] == "extra_forbidden")

sorts = collections.Counter()
for what, number in read.items():
    sorts[what.split()[0]] += number
types = len({what.split()[1] for what in read})
print(f"{name} {importlib.metadata.version(name)}: {read.total()} documents of {types} types read: {dict(sorts)}")
print(f"  members that it has no field for: {dict(beyond)}")
sys.exit(not refused.report(bool(bundle)))
