"""The report for the board: one HTML page without scripts and without outside resources."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from understudy.core import numerals
from understudy.core.numerals import round_down
from understudy.mechanisms.outputs import Output, read_of
from understudy.mechanisms.statement import TABLE, stated_outputs
from understudy.privacy import wording
from understudy.privacy.budget import Budget, Neighbours
from understudy.privacy.strength import AMOUNTS_TO, Belief, belief, strength
from understudy.report import files
from understudy.report.accepted import of_packet
from understudy.report.contents import Contents
from understudy.report.cumulative import ALONE, cumulative_sentences, spelled
from understudy.report.dictionary import Described, described_column
from understudy.report.glances import glances
from understudy.report.papers import papers_of
from understudy.report.pictures import packet_pictures
from understudy.report.svg import Bar, bars
from understudy.report.words import GLOSSARY
from understudy.table.column import origins_said
from understudy.table.formula_safety import NOTE
from understudy.table.schema import Schema

_TEMPLATES: Final = Path(__file__).parent / "templates"
_PRIORS: Final = (0.01, 0.1, 0.5)


def report(contents: Contents, present: Sequence[str]) -> str:
    """Return the text of report.html.

    Args:
        contents: the packet.
        present: every file of the packet, in order.
    """
    said = contents.statement.said
    decided, schema = contents.statement.decided, contents.statement.schema
    papers = papers_of(decided.plan.kind)
    total = _total(said["guarantee"])
    neighbours, pictures = decided.guarantee.neighbours, packet_pictures(decided)
    of = read_of(decided.outputs)
    shown = {
        "cover": contents.cover,
        "said": said,
        "guarantee": said["guarantee"],
        "stain": said.get("stain"),
        "declaration": schema.declaration,
        "origins": origins_said([column.origin for column in schema.columns]),
        **_outputs(contents),
        "settings": papers.settings(decided),
        "number": _Numbering(),
        "headline": None if total is None else wording.headline(total, of, neighbours),
        "grade": "" if total is None else AMOUNTS_TO[strength(total)],
        "beliefs": None if total is None else _beliefs(total, neighbours),
        "together": cumulative_sentences(contents.ledger),
        "alone": ALONE,
        "figure": None if contents.stained else papers.figure(decided),
        "foreseen": [each for each in pictures if each.foresees and not contents.stained],
        "pictures": [each for each in pictures if not (each.foresees or contents.stained)],
        "accepted": of_packet(decided, contents.figures, contents.tables),
        "ledger": _ledger(contents),
        "files": [(name, contents.names.about(name)) for name in present],
        "glossary": sorted((*GLOSSARY, *papers.terms(decided)), key=_alphabetical),
        "versions": contents.versions,
    }
    return environment().get_template("report.html.j2").render(shown)


def _outputs(contents: Contents) -> dict[str, Any]:
    """Return what was released, in words and at a glance."""
    names, made, tables = contents.names, contents.statement.decided, contents.tables.found
    alone, first = contents.statement.alone, next(iter(names.tables), None)
    declared = contents.declared
    shown = [*names.tables[:1], *names.apart]
    return {
        "one_table": alone,
        "thing": "table" if alone else "release",
        "kind": "a synthetic table" if alone else released_in_words(contents).casefold(),
        "outputs": [_told(contents, each) for each in made.outputs],
        "dictionaries": [
            (
                _caption(contents),
                _columns(contents, contents.dictionary_schema, first, files.VALUES),
            ),
            *(
                (
                    f"The columns of the table “{name}”",
                    _columns(contents, contents.shown(name), name, f"{name}-{files.VALUES}"),
                )
                for name in names.apart
            ),
        ],
        "declared": None if declared is None else _columns(contents, declared, None, files.SCHEMA),
        "looks": [(name, len(tables[name]), glances(tables[name])) for name in shown],
        "neutralised": NOTE if contents.tables.neutralised else "",
        "parquet": names.parquet(TABLE) if alone else "",
    }


def _caption(contents: Contents) -> str:
    """Return what the first data dictionary is of."""
    if contents.statement.alone:
        return "The columns of the synthetic table"
    columns = {name: contents.shown(name).columns for name in contents.names.tables}
    if not columns:
        return "The columns that the figures are of"
    tables = [name for name, each in columns.items() if each == contents.dictionary_schema.columns]
    named = ", ".join(f"“{name}”" for name in tables)
    return f"The columns of the {'table' if len(tables) == 1 else 'tables'} {named}"


def _told(contents: Contents, output: Output) -> dict[str, Any]:
    """Return an output, for a list of them."""
    said = stated_outputs(contents.statement.said)[output.name]
    return {"name": output.name, "about": output.about, **said}


def _columns(contents: Contents, schema: Schema, table: str | None, listed: str) -> list[Described]:
    """Return the columns of a table in words; `listed` is the file with long lists of values."""
    own = table is not None and contents.statement.decided.output(table).own_numbers
    return [described_column(each, listed, own_numbers=own) for each in schema.columns]


def released_in_words(contents: Contents) -> str:
    """Return what a packet holds, as a phrase: “3 synthetic tables and 1 file of figures”."""
    tables, figures = len(contents.tables.found), len(contents.figures.found)
    parts = [numerals.count(tables, "synthetic table")] if tables else []
    parts += [numerals.count(figures, "set") + " of figures"] if figures else []
    return " and ".join(parts)


@cache
def environment() -> Environment:
    """Return where templates come from. Whatever is put into one is escaped."""
    found = Environment(
        loader=FileSystemLoader(_TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    found.filters |= {
        "epsilon": numerals.epsilon,
        "delta": numerals.delta,
        "percent": numerals.percent,
        "count": lambda number, noun: numerals.count(number, noun),
    }
    return found


_SPELLED: Final = {"δ": "d", "ε": "e"}


def _alphabetical(term: tuple[str, str]) -> str:
    """Return where a term stands in the order of the alphabet, Greek letters as they are called."""
    return "".join(_SPELLED.get(letter, letter) for letter in term[0]).casefold()


def _total(guarantee: Any) -> Budget | None:
    if guarantee["epsilon"] is None:
        return None
    return Budget(guarantee["epsilon"], guarantee["delta"])


class _Numbering:
    """Numbers for the figures of a report, in the order in which they are drawn."""

    def __init__(self) -> None:
        self._last = 0

    def next(self) -> int:
        """Return the next number, from 1."""
        self._last += 1
        return self._last


@dataclass(frozen=True)
class _Beliefs:
    """What may become of beliefs about one person.

    Attributes:
        chart: of beliefs that the person is in the data, or else about what these hold of them.
        presence, value: in words, for beliefs that the person is in the data, and about what the
            data hold of them; the first is “” where nothing is said of it.
    """

    chart: Markup
    presence: str
    value: str


def _beliefs(total: Budget, neighbours: Neighbours) -> _Beliefs:
    """See `understudy.privacy.strength`, which has the proof."""
    replaced = neighbours is Neighbours.REPLACEMENTS
    found = [belief(prior, total, "replaced" if replaced else "presence") for prior in _PRIORS]
    shown = [
        Bar(f"{100 * each.prior:g} % before", each.at_most, _at_most(each), each.prior)
        for each in found
    ]
    words = _moved(found)
    if replaced:
        return _Beliefs(bars(shown, f"A belief about somebody’s record: {words}."), "", words)
    alt = f"A belief that somebody is in the data: {words}."
    return _Beliefs(
        bars(shown, alt), words, _moved([belief(prior, total, "value") for prior in _PRIORS])
    )


def _moved(found: Sequence[Belief]) -> str:
    if all(wording.says_nothing(each) for each in found):
        return "any of them may become all but certain"
    said = "; ".join(f"{100 * each.prior:g} % becomes {_at_most(each)}" for each in found)
    return f"{said}.{wording.chance_sentence(*found)}".removesuffix(".")


def _at_most(found: Belief) -> str:
    return (
        "all but certain"
        if wording.says_nothing(found)
        else f"at most {wording.at_most_in_words(found)}"
    )


def _ledger(contents: Contents) -> dict[str, Any]:
    """Return what the ledger says, in words."""
    found = contents.ledger
    budget, spent = found.budget, found.spent
    left = None
    if budget is not None:
        room = budget.epsilon - spent.epsilon if spent.bounded else 0.0
        left = round_down(max(0.0, room) if spent.delta <= budget.delta else 0.0)
    return {
        "runs": found.runs,
        "unpromised": found.unpromised,
        "tables": found.tables,
        "spent": spelled(spent) if found.runs > found.unpromised else "nothing",
        "population": None if found.population is None else spelled(found.population),
        "budget": "not set" if budget is None else spelled(budget),
        "left": left,
        "head": found.head,
    }
