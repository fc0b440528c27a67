"""The small files of a packet, each a text made from its contents.

One of them describes the packet as a Frictionless Data Package, which other tools read.
Version 2 of the standard: https://datapackage.org/standard/data-package/
"""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from understudy.report import files
from understudy.report.contents import Contents
from understudy.report.dictionary import columns_csv, values_csv
from understudy.report.files import FORMAT, Stored
from understudy.report.guarantee_file import json_schema, statement_text
from understudy.report.ledger_extract import ALONE, cumulative_sentences
from understudy.report.packet_counts import PacketCounts, find_counts
from understudy.report.report import (
    describe_released,
    describe_weight_totals,
    list_set_aside,
    write_report,
)
from understudy.table.formula_safety import NOTE, escape_formula
from understudy.table.omissions import WHY, Omission
from understudy.table.rules.sentences import describe_rules
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
            "schema": published_schema(contents.mark_schema(name)),
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
    derived = {each.name: {"description": each.sentence} for each in shown.derived}
    derived |= {each.name: {"description": each.sentence} for each in shown.recodings}
    fields = {
        each["name"]: _field({**each, **derived.get(each["name"], {})})
        for each in json.loads(shown.full.to_json())["fields"]
    }
    empty = {each.name: _field_of_empty(each) for each in shown.omissions if each.empty}
    return {
        "fields": [{**fields, **empty}[name] for name in shown.header],
        "missingValues": [""],
    }


def _field_of_empty(omission: Omission) -> dict[str, Any]:
    """Return the field of a column that is kept without values."""
    return {
        "name": escape_formula(omission.name),
        "description": f"Left out: {WHY[omission.why]}. It has no values.",
        "type": "string",
    }


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
    field["missingValues"] = [] if required else _missing_as_written(field["missingValues"])
    return field


def _missing_as_written(values: Sequence[Any]) -> list[Any]:
    """Return the missing values that occur in a CSV file: the first text of each code for missing,
    with its meaning where it has one."""
    first: dict[str, Any] = {}
    for entry in values:
        if isinstance(entry, dict):
            label = entry.get("label", "")
            first.setdefault(label, {**entry, "value": escape_formula(entry["value"])})
        else:
            first.setdefault("", escape_formula(entry))
    return list(first.values())


_WIDTH: Final = 78


def make_documents(
    contents: Contents, stored: Mapping[str, Stored], present: Sequence[str]
) -> dict[str, str]:
    """Return every file but the tables, the PDF and the sums, by name.

    Args:
        contents: what the packet is made from.
        stored: size and hash of the files of the tables.
        present: the name of every file that the packet holds, in order.
    """
    names, statement = contents.names, contents.statement
    figures = {names.outputs: json_text(contents.figures.found)} if names.figures else {}
    stored = {**stored, **{name: Stored.of(text.encode()) for name, text in figures.items()}}
    counted = _find_counts(contents)
    return {
        **figures,
        **({} if counted is None else counted.make_documents()),
        files.README: make_readme(contents, present),
        files.REPORT: write_report(contents, present),
        files.STATEMENT_TEXT: statement_text(statement.said),
        files.STATEMENT: statement.to_json(),
        files.STATEMENT_SCHEMA: json_schema(statement.plan.kind, alone=statement.alone),
        files.PLAN: json_text(statement.plan.publish()),
        files.SCHEMA: statement.schema.to_json(),
        **_dictionaries(contents),
        files.DATA_PACKAGE: make_data_package(contents, stored),
        files.LEDGER: json_text(contents.ledger.as_dict()),
        files.VERSIONS: json_text(contents.versions.as_dict()),
        files.PACKET: json_text(describe_packet(contents, present)),
    }


def _find_counts(contents: Contents) -> PacketCounts | None:
    """Return the noisy tables of a packet; None if it has none."""
    figures, statement = contents.figures.found, contents.statement
    return find_counts(figures, statement.schema, stained=contents.stained)


def _dictionaries(contents: Contents) -> dict[str, str]:
    """Return the data dictionary of the first table's columns, and of each table of others."""
    schemas = {"": contents.dictionary_schema}
    schemas |= {f"{name}-": contents.mark_schema(name) for name in contents.names.apart}
    return {
        f"{prefix}{name}": text
        for prefix, schema in schemas.items()
        for name, text in (
            (files.DICTIONARY, columns_csv(schema, f"{prefix}{files.VALUES}")),
            (files.VALUES, values_csv(schema)),
        )
    }


def describe_packet(contents: Contents, present: Sequence[str]) -> dict[str, Any]:
    """Return the title page and the form, as packet.json has them."""
    return {
        "format": FORMAT,
        **contents.cover.model_dump(mode="json"),
        "demonstration": contents.stained,
        "formulas_neutralised": contents.tables.neutralised,
        "files": list(present),
    }


def json_text(value: Mapping[str, Any]) -> str:
    """JSON as every file of a packet has it."""
    return json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def make_readme(contents: Contents, present: Sequence[str]) -> str:
    """Return what a board member reads first."""
    cover, said = contents.cover, contents.statement.said
    blocks = [cover.title.upper(), *_paragraphs(contents)]
    blocks += [*_list_rules(contents), *_list_totals(contents), *_list_relations(contents)]
    blocks.append("THE FILES")
    blocks += [f"  {name}\n{_indent(contents.names.about(name))}" for name in present]
    blocks.append("TO CHECK IT")
    blocks.append(
        _fill(
            "“understudy verify” with the name of this folder, or of its zip file, checks every "
            f"hash, {_describe_kept(contents)}, and that the stated total follows from the "
            "stated settings. It needs nothing confidential. Without that program, “sha256sum "
            "--check SHA256SUMS” checks the hashes."
        )
    )
    blocks.append(f"Made by {said['made_by']}.")
    return "\n\n".join(blocks) + "\n"


def _list_rules(contents: Contents) -> list[str]:
    """Return the rules that every row keeps, in words, with what becomes of records that break
    them, and those that were set aside, with how many rows break them."""
    schema = contents.statement.schema
    kept = [
        (each.text, (each.sentence, each.source, each.policy))
        for each in describe_rules(schema.rules, schema.file_columns)
    ]
    aside = [
        (each.text, (each.sentence, each.source, broken))
        for each, broken in list_set_aside(contents)
    ]
    parts = (("WHAT EVERY ROW KEEPS", kept), ("DECLARED, AND NOT KEPT", aside))
    return [
        block
        for title, rules in parts
        if rules
        for block in (
            title,
            *(f"  {text}\n{_indent(' '.join(filter(None, said)))}" for text, said in rules),
        )
    ]


def _list_relations(contents: Contents) -> list[str]:
    """Return which relations were counted and which were not, if the packet tells it."""
    counted = _find_counts(contents)
    if counted is None:
        return []
    listed = f"{files.RELATIONS} lists every pair. "
    said = " ".join(counted.relations.sentences)
    return [
        "WHAT MAY BE INFERRED",
        _fill(f"{said} {listed}" + INFERRED.format(intervals=files.INTERVALS)),
    ]


INFERRED: Final = (
    "Do not take standard errors from the synthetic table as if its rows were real: they are too "
    "small. {intervals} has intervals that account for the noise, and “understudy intervals” with "
    "the name of this folder answers further questions from the noisy tables."
)


def _list_totals(contents: Contents) -> list[str]:
    """Return the totals that the rows have, with what they count and their source."""
    totals = contents.statement.schema.totals
    return ["KNOWN TOTALS", *(_indent(each.sentence) for each in totals)] if totals else []


def _describe_kept(contents: Contents) -> str:
    if contents.statement.alone:
        return "the table against what was declared"
    return "every output against what was stated and declared"


def _paragraphs(contents: Contents) -> list[str]:
    cover, said = contents.cover, contents.statement.said
    signed = ", ".join(part for part in (cover.by, cover.dated) if part)
    found = [signed, f"Made from: {cover.dataset}" if cover.dataset else "", cover.note]
    found.append(
        "A synthetic table that stands in for a confidential one, and what is promised about it."
        if contents.statement.alone
        else f"{describe_released(contents)}, made from a confidential table, and what is promised "
        "about them together."
    )
    found.append(said["guarantee"]["statement"])
    found += describe_weight_totals(contents)
    if not contents.stained:
        found.append(cumulative_sentences(contents.ledger) or ALONE)
    if contents.tables.neutralised:
        file = "file has" if contents.statement.alone else "files have"
        found.append(f"{NOTE} The Parquet {file} the texts as they are.")
    return ["\n".join(_fill(line) for line in part.split("\n")) for part in found if part]


def _fill(text: str) -> str:
    return textwrap.fill(text, _WIDTH, break_long_words=False, break_on_hyphens=False)


def _indent(text: str) -> str:
    return textwrap.fill(text, _WIDTH, initial_indent="      ", subsequent_indent="      ")
