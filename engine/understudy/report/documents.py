"""The small files of a packet, each a text made from its contents."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Mapping, Sequence
from typing import Any, Final

from understudy.report import files
from understudy.report.contents import Contents
from understudy.report.cumulative import ALONE, cumulative_sentences
from understudy.report.data_package import make_data_package
from understudy.report.dictionary import columns_csv, values_csv
from understudy.report.files import FORMAT, Stored
from understudy.report.guarantee_file import json_schema, statement_text
from understudy.report.report import describe_released, write_report
from understudy.table.formula_safety import NOTE

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
    return {
        **figures,
        files.README: make_readme(contents, present),
        files.REPORT: write_report(contents, present),
        files.STATEMENT_TEXT: statement_text(statement.said),
        files.STATEMENT: statement.to_json(),
        files.STATEMENT_SCHEMA: json_schema(statement.plan.kind, alone=statement.alone),
        files.PLAN: json_text(statement.plan.published()),
        files.SCHEMA: statement.schema.to_json(),
        **_dictionaries(contents),
        files.DATA_PACKAGE: make_data_package(contents, stored),
        files.LEDGER: json_text(contents.ledger.as_dict()),
        files.VERSIONS: json_text(contents.versions.as_dict()),
        files.PACKET: json_text(describe_packet(contents, present)),
    }


def _dictionaries(contents: Contents) -> dict[str, str]:
    """Return the data dictionary of the first table's columns, and of each table of others."""
    schemas = {"": contents.dictionary_schema}
    schemas |= {f"{name}-": contents.shown(name) for name in contents.names.apart}
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
    blocks = [cover.title.upper(), *_paragraphs(contents), "THE FILES"]
    blocks += [f"  {name}\n{_indented(contents.names.about(name))}" for name in present]
    blocks.append("TO CHECK IT")
    blocks.append(
        _filled(
            "“understudy verify” with the name of this folder, or of its zip file, checks every "
            f"hash, {_kept(contents)}, and that the stated total follows from the "
            "stated settings. It needs nothing confidential. Without that program, “sha256sum "
            "--check SHA256SUMS” checks the hashes."
        )
    )
    blocks.append(f"Made by {said['made_by']}.")
    return "\n\n".join(blocks) + "\n"


def _kept(contents: Contents) -> str:
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
    if not contents.stained:
        found.append(cumulative_sentences(contents.ledger) or ALONE)
    if contents.tables.neutralised:
        file = "file has" if contents.statement.alone else "files have"
        found.append(f"{NOTE} The Parquet {file} the texts as they are.")
    return ["\n".join(_filled(line) for line in part.split("\n")) for part in found if part]


def _filled(text: str) -> str:
    return textwrap.fill(text, _WIDTH, break_long_words=False, break_on_hyphens=False)


def _indented(text: str) -> str:
    return textwrap.fill(text, _WIDTH, initial_indent="      ", subsequent_indent="      ")
