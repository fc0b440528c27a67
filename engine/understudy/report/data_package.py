"""The packet as a Frictionless Data Package, which other tools read.

Descriptor of version 2 of the standard: https://datapackage.org/standard/data-package/
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from understudy.report.contents import Contents
from understudy.report.files import Stored
from understudy.table.formula_safety import escape_formula
from understudy.table.schema import Schema

_PROFILE: Final = "https://datapackage.org/profiles/2.0/datapackage.json"


def make_data_package(contents: Contents, stored: Mapping[str, Stored]) -> str:
    """Return the text of datapackage.json.

    Args:
        contents: the packet.
        stored: size and hash of the files of the tables and figures.
    """
    cover = contents.cover
    document: dict[str, Any] = {
        "$schema": _PROFILE,
        "name": make_slug(cover.title),
        "title": cover.title,
        "description": _description(contents),
        "resources": [*_resources(contents, stored)],
    }
    if cover.by:
        document["contributors"] = [{"title": cover.by}]
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def _resources(contents: Contents, stored: Mapping[str, Stored]) -> Iterator[dict[str, Any]]:
    """Yield every table in both its forms, and the figures."""
    names = contents.names
    for name in names.tables:
        yield _resource(name, names.csv(name), "csv", "text/csv", stored) | {
            "type": "table",
            "encoding": "utf-8",
            "dialect": {"delimiter": ",", "quoteChar": '"', "doubleQuote": True},
            "schema": published_schema(contents.shown(name)),
        }
        media = "application/vnd.apache.parquet"
        yield _resource(f"{name}-parquet", names.parquet(name), "parquet", media, stored)
    if names.figures:
        yield _resource("outputs", names.outputs, "json", "application/json", stored)


def make_slug(title: str) -> str:
    """Return a title as a name of the standard: lower-case letters, digits and hyphens."""
    plain = re.sub(r"[^a-z0-9]+", "-", title.casefold()).strip("-")[:60].strip("-")
    return plain or "synthetic-table"


def _description(contents: Contents) -> str:
    said = contents.statement.said
    parts = [said["guarantee"]["statement"], contents.cover.note]
    return "\n\n".join(part for part in parts if part)


def _resource(
    name: str, path: str, kind: str, media: str, stored: Mapping[str, Stored]
) -> dict[str, Any]:
    file = stored[path]
    return {
        "name": name,
        "path": path,
        "format": kind,
        "mediatype": media,
        "bytes": file.size,
        "hash": f"sha256:{file.sha256}",
    }


def published_schema(shown: Schema) -> dict[str, Any]:
    """Return the Table Schema, its texts as they stand in the CSV file."""
    fields = [_field(each) for each in json.loads(shown.to_json())["fields"]]
    return {"fields": fields, "missingValues": [""]}


def _field(field: dict[str, Any]) -> dict[str, Any]:
    unit = field.get("understudy", {}).get("unit")
    field = {name: value for name, value in field.items() if name != "understudy"}
    field |= {"unit": unit} if unit else {}
    field["name"] = escape_formula(field["name"])
    constraints = field["constraints"]
    if "enum" in constraints:
        constraints["enum"] = [escape_formula(value) for value in constraints["enum"]]
        field["categories"] = [
            {"value": escape_formula(each["value"]), "label": each["label"]}
            for each in field.get("categories", ())
        ] or constraints["enum"]
    elif field["type"] in ("integer", "number"):
        # A bound that JSON cannot hold exactly stands there as a text.
        for end in ("minimum", "maximum"):
            constraints[end] = (
                float(constraints[end]) if isinstance(constraints[end], str) else constraints[end]
            )
    required = constraints["required"]
    field["missingValues"] = [] if required else [escape_formula(field["missingValues"][0])]
    return field
