"""The official schemas, which are one file of JSON schemas, as a description of OpenAPI, which generators read.

python wrapped.py BUNDLE OUT
"""

import json
import sys

bundle, out = sys.argv[1:]
with open(bundle, encoding="utf-8") as file:
    schemas = json.dumps(json.load(file)["$defs"]).replace("#/$defs/", "#/components/schemas/")
with open(out, "w", encoding="utf-8") as file:
    info = {"title": "ICAR ADE", "version": "1.5.1"}
    described = {"openapi": "3.1.0", "info": info, "paths": {}, "components": {"schemas": json.loads(schemas)}}
    json.dump(described, file)
