"""The internal annex: what was measured of a run, for the board's own eyes.

It is no part of a packet and is written into none. Everything in it is computed from confidential
records without noise, which every page of it says.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from markupsafe import Markup

from engine.charts.readings import direction, read, read_whole
from engine.core.numerals import percent
from engine.core.refusal import Refusal
from engine.evaluation.comparison import Compared
from engine.evaluation.evaluation import Evaluation
from engine.evaluation.finding import Finding
from engine.evaluation.measure import About
from engine.evaluation.registry import GROUPS, abouts
from engine.evaluation.study import BEST, MARGINALS, REALS, RELEASED, UNIFORM, WORST, reference
from engine.report.papers import papers_of
from engine.report.report import environment
from engine.report.svg import Bar, bars
from engine.runs.evaluating import EvaluationOf
from engine.runs.evidence import planned_run
from engine.runs.folder import UNREADABLE, RunFolder
from engine.runs.inquiry import inquiry_of
from engine.table.schema import Schema

MARK: Final = "INTERNAL — computed from confidential records without noise"
"""Stands on every page, and at the head of every section."""

NAME: Final = "INTERNAL-annex"
"""What the name of the file begins with."""

_MOST_COLUMNS: Final = 40


@dataclass(frozen=True)
class Row:
    """A line of a table of the annex: what was measured, and of what."""

    name: str
    meaning: str
    released: str
    real: str
    marginals: str
    better: str


@dataclass(frozen=True)
class Section:
    """Measures of one kind.

    Attributes:
        heading: what they are about.
        rows: one for each.
        remarks: those that could not be measured, and why.
    """

    heading: str
    rows: tuple[Row, ...]
    remarks: tuple[str, ...]


def annex(run: RunFolder) -> str:
    """The text of the annex, as one HTML page.

    Raises:
        Refusal: the run cannot be read, or kept no figures.
    """
    try:
        made = planned_run(run)
        looked = papers_of(made.plan.kind).measurements(run.internal, made)
        evaluation = _evaluated(run)
    except UNREADABLE:
        raise run.damaged() from None
    if looked is None and evaluation is None:
        raise Refusal(
            f"The run “{run.identity}” kept no figures, so there is nothing to put into an annex.",
            "Measure it on the Inspect page, or choose another run.",
            field="run",
        )
    of_days = evaluation is not None and any(each.name == UNIFORM for each in evaluation.tables)
    shown = {
        "mark": MARK,
        "run": run.identity,
        "story": () if looked is None else (*_story(looked.compared), *looked.told),
        "columns": None if looked is None else _columns(looked.compared, made.compared),
        "sections": () if evaluation is None else tuple(_sections(evaluation)),
        "evaluation": evaluation,
        "of_days": of_days,
        "best": "Other real people" if of_days else "Other real records",
        "worst": "Uniform model" if of_days else "Marginals",
    }
    return environment().get_template("annex.html.j2").render(shown)


def _evaluated(run: RunFolder) -> Evaluation | None:
    folder = inquiry_of(run, EvaluationOf)
    return None if folder is None else Evaluation.load(folder.result)


def _story(compared: Sequence[Compared]) -> Iterator[str]:
    by_name = {each.name: each for each in compared}
    said = {
        RELEASED: "Between the released and held-out records, the shares of a typical pair of "
        "columns differ by {}.",
        REALS: "Other real records, as many of them, differ by {}: no table can be expected to do "
        "better.",
        MARGINALS: "A table that ignores all relations between columns differs by {}.",
    }
    for name, sentence in said.items():
        found = by_name.get(name)
        if found is not None and found.distances is not None:
            yield sentence.format(percent(found.distances.typical_pair))


def _columns(compared: Sequence[Compared], schema: Schema) -> Markup | None:
    """How far each column of the released table is from held-out records; the farthest first."""
    released = next((each for each in compared if each.name == RELEASED), None)
    if released is None or released.distances is None:
        return None
    single = released.distances.single
    order = sorted(range(len(single)), key=lambda place: -single[place])[:_MOST_COLUMNS]
    most = max((float(single[place]) for place in order), default=0.0) or 1.0
    found = [_bar(schema, place, float(single[place]), most) for place in order]
    words = "; ".join(f"{bar.label} {bar.said}" for bar in found[:5])
    return bars(found, f"Distance of each column to held-out records, the farthest first: {words}")


def _bar(schema: Schema, place: int, distance: float, most: float) -> Bar:
    column = schema.columns[place]
    label = column.title or column.name
    shown = label if len(label) <= 22 else f"{label[:21]}…"
    return Bar(shown, distance / most, percent(distance))


def _sections(evaluation: Evaluation) -> Iterator[Section]:
    known = abouts()
    for group, heading in GROUPS.items():
        found = [
            (known[each.key], each)
            for each in evaluation.findings
            if each.key in known and known[each.key].group == group
        ]
        if found:
            yield _section(heading, found)


def _section(heading: str, found: Sequence[tuple[About, Finding]]) -> Section:
    rows = tuple(_row(about, finding) for about, finding in found if not finding.trouble)
    remarks = tuple(
        f"{about.name}: not measured. {finding.trouble}"
        for about, finding in found
        if finding.trouble
    )
    return Section(heading, rows, remarks)


def _row(about: About, finding: Finding) -> Row:
    by = finding.by_subject
    first = RELEASED if RELEASED in by else next(iter(by), RELEASED)
    name = about.name if first == RELEASED else f"{about.name} ({first})"

    def one(names: Sequence[str]) -> str:
        found = reference(by, names)
        return "–" if found is None or math.isnan(found.value) else read(about, found.value)

    return Row(
        name,
        about.sentence,
        read_whole(about, by.get(first)) or "–",
        one(BEST),
        one(WORST),
        direction(about),
    )
