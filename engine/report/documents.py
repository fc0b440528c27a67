"""The small files of a packet, each a text made from its contents."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Mapping, Sequence
from typing import Any, Final

from engine.report import files
from engine.report.contents import Contents
from engine.report.data_package import data_package
from engine.report.dictionary import columns_csv, values_csv
from engine.report.files import FORMAT, Names, Stored, about
from engine.report.guarantee_file import as_text, json_schema
from engine.report.report import report
from engine.report.standing import ALONE, together
from engine.table.formula_safety import NOTE

_WIDTH: Final = 78


def documents(
    contents: Contents, stored: Mapping[str, Stored], present: Sequence[str]
) -> dict[str, str]:
    """Every file but the tables, the PDF and the sums, by name.

    Args:
        contents: what the packet is made from.
        stored: size and hash of the two files of the table.
        present: the name of every file that the packet holds, in order.
    """
    names = Names(contents.stained)
    statement = contents.statement
    figures = contents.figures.found
    return {
        **({files.OUTPUTS: as_json(figures)} if figures else {}),
        files.README: readme(contents, present),
        files.REPORT: report(contents, names, present),
        files.STATEMENT_TEXT: as_text(statement.said),
        files.STATEMENT: statement.to_json(),
        files.STATEMENT_SCHEMA: json_schema(statement.plan.kind),
        files.PLAN: as_json(statement.plan.published()),
        files.SCHEMA: statement.schema.to_json(),
        files.DICTIONARY: columns_csv(contents.table.records.schema),
        files.VALUES: values_csv(contents.table.records.schema),
        files.DATA_PACKAGE: data_package(contents, names, stored),
        files.LEDGER: as_json(contents.ledger.as_dict()),
        files.VERSIONS: as_json(contents.versions.as_dict()),
        files.PACKET: as_json(about_packet(contents, present)),
    }


def about_packet(contents: Contents, present: Sequence[str]) -> dict[str, Any]:
    """The title page and the form, as packet.json has them."""
    return {
        "format": FORMAT,
        **contents.cover.model_dump(mode="json"),
        "demonstration": contents.stained,
        "formulas_neutralised": contents.table.neutralised,
        "files": list(present),
    }


def as_json(value: Mapping[str, Any]) -> str:
    """JSON as every file of a packet has it."""
    return json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def readme(contents: Contents, present: Sequence[str]) -> str:
    """What a board member reads first."""
    cover, said = contents.cover, contents.statement.said
    blocks = [cover.title.upper(), *_paragraphs(contents), "THE FILES"]
    blocks += [f"  {name}\n{_indented(about(name))}" for name in present]
    blocks.append("TO CHECK IT")
    blocks.append(
        _filled(
            "“understudy verify” with the name of this folder, or of its zip file, checks every "
            "hash, the table against what was declared, and that the stated total follows from the "
            "stated settings. It needs nothing confidential. Without that program, “sha256sum "
            "--check SHA256SUMS” checks the hashes."
        )
    )
    blocks.append(f"Made by {said['made_by']}.")
    return "\n\n".join(blocks) + "\n"


def _paragraphs(contents: Contents) -> list[str]:
    cover, said = contents.cover, contents.statement.said
    signed = ", ".join(part for part in (cover.by, cover.dated) if part)
    found = [signed, f"Made from: {cover.dataset}" if cover.dataset else "", cover.note]
    found.append(
        "A synthetic table that stands in for a confidential one, and what is promised about it."
    )
    found.append(said["guarantee"]["statement"])
    if not contents.stained:
        found.append(together(contents.ledger) or ALONE)
    if contents.table.neutralised:
        found.append(f"{NOTE} The Parquet file has the texts as they are.")
    return ["\n".join(_filled(line) for line in part.split("\n")) for part in found if part]


def _filled(text: str) -> str:
    return textwrap.fill(text, _WIDTH, break_long_words=False, break_on_hyphens=False)


def _indented(text: str) -> str:
    return textwrap.fill(text, _WIDTH, initial_indent="      ", subsequent_indent="      ")
