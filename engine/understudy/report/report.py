"""The report for the board: one HTML page without scripts and without outside resources.

Its columns at a glance are counts of the release itself, and its pictures are drawn by hand from
the tables of a method's public pictures, so that all of it may be published.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from understudy.charts.public import PublicPicture, public_pictures
from understudy.core import numerals
from understudy.core.numerals import percent, round_down, significant
from understudy.core.refusal import Refusal
from understudy.mechanisms.mechanism import PlannedRun
from understudy.mechanisms.outputs import Output, read_of
from understudy.mechanisms.statement import TABLE, stated_outputs
from understudy.privacy import wording
from understudy.privacy.budget import DELTA, Budget, Neighbours
from understudy.privacy.strength import AMOUNTS_TO, Belief, belief, strength
from understudy.report import files
from understudy.report.acceptance import describe_of_packet
from understudy.report.contents import Contents
from understudy.report.dictionary import ColumnDescription, describe_column
from understudy.report.files import VALUES
from understudy.report.ledger_extract import ALONE, cumulative_sentences, spell_budget
from understudy.report.outputs import SyntheticTable
from understudy.report.papers import find_papers
from understudy.report.svg import (
    Bar,
    LineChart,
    PairChart,
    draw_bars,
    draw_line_chart,
    draw_pair_chart,
    draw_spark,
)
from understudy.table.authoring.column_origins import list_origins, list_unsaid
from understudy.table.column import Column, origins_said
from understudy.table.domain import Ranged
from understudy.table.formula_safety import NOTE
from understudy.table.omissions import list_reasons
from understudy.table.rules.rule_check import count_breaches
from understudy.table.rules.sentences import RuleDescription, describe_rules
from understudy.table.schema import Schema
from understudy.table.weights import total_weights


@dataclass(frozen=True)
class Pictured:
    """A picture of a report.

    Attributes:
        title: what it shows, in a few words.
        said: what it means.
        drawn: the picture, as SVG; empty where there is none.
        heads, rows: its table, where there is no picture.
        foresees: whether it tells how near the outputs will come.
    """

    title: str
    said: str
    drawn: Markup
    heads: Sequence[str]
    rows: Sequence[Sequence[str]]
    foresees: bool = False


def draw_packet_pictures(decided: PlannedRun) -> tuple[Pictured, ...]:
    """Return the public pictures of a plan, without those that are about something else."""
    try:
        pictures = public_pictures(decided)
    except Refusal:
        return ()
    return tuple(_picture_of(picture) for picture in pictures if not picture.warning)


def _picture_of(found: PublicPicture) -> Pictured:
    drawn, heads, rows = _draw_picture(found), [], []
    if not drawn:
        heads = [str(each) for each in found.table]
        rows = [[_cell(each) for each in row] for row in found.table.itertuples(index=False)]
    return Pictured(found.title, found.said, drawn, heads, rows, found.foresees)


def _draw_picture(found: PublicPicture) -> Markup:
    shape, table = found.shape, found.table
    if shape is None:
        return Markup("")
    columns = {name: [float(each) for each in table[name]] for name in shape.of}
    if shape.kind == "pairs":
        first, second = shape.of
        labels = [str(each) for each in table[shape.across]]
        made = PairChart(labels, columns[first], columns[second], (first, second))
        return draw_pair_chart(made, found.alt)
    across = [float(each) for each in table[shape.across]]
    return draw_line_chart(
        LineChart(across, columns, shape.across, shape.up, shape.powers, marked=shape.marked),
        found.alt,
    )


def _cell(value: Any) -> str:
    """Return a figure to three digits, and anything else as it is."""
    return significant(float(value)) if isinstance(value, int | float) else str(value)


_MOST_BARS: Final = 24
_NAMED: Final = 3
_LONGEST: Final = 40


@dataclass(frozen=True)
class Glance:
    """A column of the synthetic table.

    Attributes:
        about: what it may contain.
        chart: the shape of its values; None in an empty table.
        alt: the same in words.
        ends: what stands under the ends of the chart.
    """

    about: ColumnDescription
    chart: Markup | None
    alt: str
    ends: tuple[str, str]


def make_glances(table: SyntheticTable) -> tuple[Glance, ...]:
    """Return every column, in the order of the table."""
    records = table.records.complete()
    return tuple(
        _glance(column, records.counts(place))
        for place, column in enumerate(records.schema.columns)
    )


def _glance(column: Column, counts: npt.NDArray[np.int64]) -> Glance:
    about, total = describe_column(column, VALUES), int(counts.sum())
    if total == 0:
        return Glance(about, None, "There are no records.", ("", ""))
    values = counts[: column.domain.size]
    shares = _bin_counts(values) if column.ordered else _largest(values)
    alt = _describe_shares(column, counts / total)
    return Glance(about, draw_spark([each / total for each in shares], alt), alt, _ends(column))


def _bin_counts(values: npt.NDArray[np.int64]) -> list[int]:
    """Return counts of ranges of equal width, cut by the public range."""
    edges = np.linspace(0, len(values), min(_MOST_BARS, len(values)) + 1).round().astype(int)
    return [int(values[low:high].sum()) for low, high in pairwise(edges.tolist())]


def _largest(values: npt.NDArray[np.int64]) -> list[int]:
    """Return the most frequent values, the most frequent first."""
    return [int(each) for each in np.sort(values)[::-1][:_MOST_BARS]]


def _ends(column: Column) -> tuple[str, str]:
    if column.domain.ranged is not None:
        return column.domain.ranged.end_texts
    return "most frequent", "least frequent" if column.domain.size <= _MOST_BARS else "…"


def _describe_shares(column: Column, shares: npt.NDArray[np.float64]) -> str:
    missing = "".join(
        f"; {_short(label)} {percent(float(share))}"
        for label, share in zip(column.missing_labels, shares[column.domain.size :], strict=True)
    )
    values = shares[: column.domain.size]
    if column.domain.ranged is not None:
        return _middle(column.domain.ranged, values) + missing
    first = np.argsort(-values, kind="stable")[:_NAMED]
    named = [f"{_short(column.labels[place])} {percent(float(values[place]))}" for place in first]
    return ", ".join(named) + missing


def _middle(domain: Ranged, values: npt.NDArray[np.float64]) -> str:
    """Return the middle half of the numbers."""
    whole = values.sum()
    if whole == 0:
        return "no number"
    below = np.cumsum(values) / whole
    low, middle, high = (int(np.searchsorted(below, at)) for at in (0.25, 0.5, 0.75))
    texts = domain.texts
    if domain.measured:
        half = f"{domain.between(low, high)} {domain.units}".rstrip()
        return f"half of them from {half}, the middle one in {texts[middle]}"
    return f"half of them from {texts[low]} to {texts[high]}, the middle one {texts[middle]}"


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1].rstrip() + "…"


def _list_row_rules(schema: Schema) -> list[str]:
    """Return which rows of the file are left out as no records."""
    return [] if schema.reading is None else [rule.words for rule in schema.reading.leave_out]


def list_set_aside(contents: Contents) -> tuple[tuple[RuleDescription, str], ...]:
    """Return the rules that were declared and not kept, in words, each with how many released rows
    break it."""
    schema = contents.statement.schema
    broken: dict[str, list[str]] = {rule.text: [] for rule in schema.set_aside}
    outputs = contents.statement.decided.tables
    for each in outputs:
        rules = () if each.schema is None else each.schema.set_aside
        found = count_breaches(contents.tables.found[each.name].records.restore(), rules)
        where = f" of “{each.name}”" if len(outputs) > 1 else ""
        for rule, many in zip(rules, found.each, strict=True):
            broken[rule.text].append(f"{many:,} of {numerals.count(found.rows, 'row')}{where}")
    described = describe_rules(schema.set_aside, schema.file_columns)
    return tuple(
        (each, f"{', '.join(broken[each.text])} break it." if broken[each.text] else "")
        for each in described
    )


GLOSSARY: Final = (
    ("δ (delta)", DELTA),
    ("ε (epsilon)", wording.EPSILON),
    ("Ledger", "The book in which every run on the same records is put down before it begins. What "
     "was spent stays spent."),
    ("Neighbouring tables", "Two tables that differ by the records of one person. The guarantee "
     "bounds how well anybody can tell which of the two the release was made from."),
    ("Record", "A row of the confidential table."),
    ("Synthetic table", "A table of records that were made by a model and by chance. It stands in "
     "for the confidential one."),
)  # fmt: skip
"""Terms and what they mean."""


_TEMPLATES: Final = Path(__file__).parent / "templates"
_PRIORS: Final = (0.01, 0.1, 0.5)


def write_report(contents: Contents, present: Sequence[str]) -> str:
    """Return the text of report.html.

    Args:
        contents: the packet.
        present: every file of the packet, in order.
    """
    said = contents.statement.said
    decided, schema = contents.statement.decided, contents.statement.schema
    papers = find_papers(decided.plan.kind)
    total = _total(said["guarantee"])
    neighbours, pictures = decided.guarantee.neighbours, draw_packet_pictures(decided)
    of = read_of(decided.outputs)
    shown = {
        "cover": contents.cover,
        "said": said,
        "guarantee": said["guarantee"],
        "stain": said.get("stain"),
        "declaration": schema.declaration,
        "origins": origins_said([column.origin for column in schema.columns]),
        "sources": list_origins(schema.columns),
        "unsaid": list_unsaid(schema),
        "kinds_known": {column.origin for column in schema.columns},
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
        "accepted": describe_of_packet(decided, contents.figures, contents.tables),
        "ledger": _ledger(contents),
        "files": [(name, contents.names.about(name)) for name in present],
        "glossary": sorted((*GLOSSARY, *papers.terms(decided)), key=_alphabetical),
        "versions": contents.versions,
    }
    return make_environment().get_template("report.html.j2").render(shown)


def _outputs(contents: Contents) -> dict[str, Any]:
    """Return what was released, in words and at a glance."""
    names, made, tables = contents.names, contents.statement.decided, contents.tables.found
    alone, first = contents.statement.alone, next(iter(names.tables), None)
    declared = contents.declared
    shown = [*names.tables[:1], *names.apart]
    return {
        "one_table": alone,
        "thing": "table" if alone else "release",
        "kind": "a synthetic table" if alone else describe_released(contents).casefold(),
        "outputs": [_describe_output(contents, each) for each in made.outputs],
        "dictionaries": [
            (
                _caption(contents),
                _columns(contents, contents.dictionary_schema, first, files.VALUES),
            ),
            *(
                (
                    f"The columns of the table “{name}”",
                    _columns(contents, contents.mark_schema(name), name, f"{name}-{files.VALUES}"),
                )
                for name in names.apart
            ),
        ],
        "declared": None if declared is None else _columns(contents, declared, None, files.SCHEMA),
        "derived": [(each.name, each.formula.words) for each in contents.statement.schema.derived],
        "recoded": [(each.name, each.words) for each in contents.statement.schema.recodings],
        "rules": describe_rules(
            contents.statement.schema.rules, contents.statement.schema.file_columns
        ),
        "aside": list_set_aside(contents),
        "totals": contents.statement.schema.totals,
        "left_out": list_reasons(contents.statement.schema.omissions),
        "weights": describe_weight_totals(contents),
        "no_records": _list_row_rules(contents.statement.schema),
        "looks": [(name, len(tables[name]), make_glances(tables[name])) for name in shown],
        "neutralised": NOTE if contents.tables.neutralised else "",
        "parquet": names.parquet(TABLE) if alone else "",
    }


def _caption(contents: Contents) -> str:
    """Return what the first data dictionary is of."""
    if contents.statement.alone:
        return "The columns of the synthetic table"
    columns = {name: contents.mark_schema(name).columns for name in contents.names.tables}
    if not columns:
        return "The columns that the figures are of"
    tables = [name for name, each in columns.items() if each == contents.dictionary_schema.columns]
    named = ", ".join(f"“{name}”" for name in tables)
    return f"The columns of the {'table' if len(tables) == 1 else 'tables'} {named}"


def _describe_output(contents: Contents, output: Output) -> dict[str, Any]:
    """Return an output, for a list of them."""
    said = stated_outputs(contents.statement.said)[output.name]
    return {"name": output.name, "about": output.about, **said}


def _columns(
    contents: Contents, schema: Schema, table: str | None, listed: str
) -> list[ColumnDescription]:
    """Return the columns of a table in words; `listed` is the file with long lists of values."""
    own = table is not None and contents.statement.decided.output(table).own_numbers
    return [describe_column(each, listed, own_numbers=own) for each in schema.full.columns]


def describe_weight_totals(contents: Contents) -> list[str]:
    """Return what the survey weights of each released table come to, in sentences."""
    return [
        each.sentence
        for table in contents.tables.found.values()
        for each in total_weights(table.records)
    ]


def describe_released(contents: Contents) -> str:
    """Return what a packet holds, as a phrase: “3 synthetic tables and 1 file of figures”."""
    tables, figures = len(contents.tables.found), len(contents.figures.found)
    parts = [numerals.count(tables, "synthetic table")] if tables else []
    parts += [numerals.count(figures, "set") + " of figures"] if figures else []
    return " and ".join(parts)


@cache
def make_environment() -> Environment:
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
    words = _describe_moved_belief(found)
    if replaced:
        return _Beliefs(draw_bars(shown, f"A belief about somebody’s record: {words}."), "", words)
    alt = f"A belief that somebody is in the data: {words}."
    return _Beliefs(
        draw_bars(shown, alt),
        words,
        _describe_moved_belief([belief(prior, total, "value") for prior in _PRIORS]),
    )


def _describe_moved_belief(found: Sequence[Belief]) -> str:
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
        "spent": spell_budget(spent) if found.runs > found.unpromised else "nothing",
        "population": None if found.population is None else spell_budget(found.population),
        "budget": "not set" if budget is None else spell_budget(budget),
        "left": left,
        "head": found.head,
    }
