"""The internal annex: what was measured of a run, for the board's own eyes.

It is no part of a packet and is written into none. Everything in it is computed from confidential
records without noise, which every page of it says.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from understudy.charts.excess import counted_in_words
from understudy.charts.forest import direction, read_whole, value_text
from understudy.core.numerals import FIXED
from understudy.core.refusal import Refusal
from understudy.evaluation.comparison import Compared, latest
from understudy.evaluation.evaluation import Evaluation
from understudy.evaluation.excess import Excess, Places, Stakes, excess_of_release, stakes_found
from understudy.evaluation.fitness import Fitness, fitness, points
from understudy.evaluation.measure import BEST, RELEASED, UNIFORM, WORST, About, Finding, reference
from understudy.evaluation.registry import GROUPS, abouts
from understudy.evaluation.relative_score import aspects, kept_in_words
from understudy.mechanisms.expected_utility import foreseen_of_measured
from understudy.mechanisms.mechanism import PlannedRun
from understudy.report.papers import find_papers
from understudy.report.report import make_environment
from understudy.runs.evidence import read_planned_run
from understudy.runs.folder import UNREADABLE, RunFolder
from understudy.runs.inquiry import EvaluationOf, find_inquiry
from understudy.table.column import origins_said

MARK: Final = "INTERNAL — computed from confidential records without noise"
"""Stands on every page, and at the head of every section."""

NAME: Final = "INTERNAL-annex"
"""What the name of the file begins with."""

_MOST: Final = 8
"""The most columns, and pairs, that are listed."""


@dataclass(frozen=True)
class AnnexRow:
    """A line of the table of measures: what was measured, and of what."""

    name: str
    released: str
    real: str
    marginals: str
    better: str


@dataclass(frozen=True)
class AnnexSection:
    """Measures of one kind.

    Attributes:
        heading: what they are about.
        rows: one for each.
        remarks: those that could not be measured, and why.
    """

    heading: str
    rows: tuple[AnnexRow, ...]
    remarks: tuple[str, ...]


@dataclass(frozen=True)
class Off:
    """A line of the table of what is furthest off.

    Attributes:
        name: the column or pair.
        found, real: how much further off than other real records it is, and what those are off by;
            in words.
        foreseen: whether a pair was foreseen to be counted, in words; "" of a column.
    """

    name: str
    found: str
    foreseen: str
    real: str


@dataclass(frozen=True)
class Quality:
    """What a table of records is fit for, by how much further off than other real records it is.

    Attributes:
        told: what it is fit for and not.
        kept: how much of the relations was kept, in a sentence; "" where that cannot be said.
        columns, pairs: those that are furthest off, the worst first.
        foreseen: whether anything was foreseen of it.
    """

    told: Fitness
    kept: str
    columns: tuple[Off, ...]
    pairs: tuple[Off, ...]
    foreseen: bool


def write_annex(run: RunFolder) -> str:
    """Return the text of the annex, as one HTML page.

    Raises:
        Refusal: the run cannot be read, or kept no figures.
    """
    try:
        made = read_planned_run(run)
        looked = find_papers(made.plan.kind).measurements(run.internal, made)
        evaluation = _find_evaluation(run)
    except UNREADABLE:
        raise run.refuse_damaged() from None
    if looked is None and evaluation is None:
        raise Refusal(
            f"The run “{run.identity}” kept no figures, so there is nothing to put into an annex.",
            "Measure it on the Inspect page, or choose another run.",
            field="run",
        )
    of_days = evaluation is not None and any(each.name == UNIFORM for each in evaluation.tables)
    compared = () if looked is None else looked.compared
    shown = {
        "mark": MARK,
        "run": run.identity,
        "told": () if looked is None else looked.told,
        "quality": _quality(made, compared, evaluation),
        "sections": () if evaluation is None else tuple(_sections(evaluation)),
        "evaluation": evaluation,
        "origins": origins_said([column.origin for column in made.schema.columns]),
        "untold": [each.title or each.name for each in made.schema.columns if not each.origin],
        "of_days": of_days,
        "best": "Other real people" if of_days else "Other real records",
        "worst": "Uniform model" if of_days else "Marginals",
    }
    return make_environment().get_template("annex.html.j2").render(shown)


def _quality(
    made: PlannedRun, compared: Sequence[Compared], evaluation: Evaluation | None
) -> Quality | None:
    """Return None where the run released no table of records that could be measured."""
    after = excess_of_release(latest(compared, evaluation, made.measured_schema.names))
    if after is None:
        return None
    ahead = foreseen_of_measured(made)
    titles = [each.title or each.name for each in made.measured_schema.columns]

    def off(ranked: Sequence[tuple[Places, float]]) -> tuple[Off, ...]:
        return tuple(_off(after, ahead, titles, places) for places, _ in ranked[:_MOST])

    return Quality(
        fitness(stakes_found(after), titles),
        _describe_kept(compared, evaluation),
        off(after.worst_columns()),
        off(after.worst_pairs()),
        ahead is not None,
    )


def _off(after: Excess, ahead: Stakes | None, titles: Sequence[str], places: Places) -> Off:
    at = places[0], places[-1]
    return Off(
        " × ".join(titles[place] for place in places),
        points(float(after.apart[at])),
        "" if ahead is None else counted_in_words(ahead, at),
        points(float(after.real[at])),
    )


def _describe_kept(compared: Sequence[Compared], evaluation: Evaluation | None) -> str:
    pairs = next((each for each in aspects(compared, evaluation) if each.what == "pairs"), None)
    if pairs is None or pairs.placed is None:
        return ""
    return (
        f"Of the relations between columns, {kept_in_words(pairs.placed.value)} was kept: "
        f"0{FIXED}% is a table that ignores them all, 100{FIXED}% are other real records."
    )


def _find_evaluation(run: RunFolder) -> Evaluation | None:
    folder = find_inquiry(run, EvaluationOf)
    return None if folder is None else Evaluation.load(folder.result)


def _sections(evaluation: Evaluation) -> Iterator[AnnexSection]:
    known = abouts()
    for group, heading in GROUPS.items():
        found = [
            (known[each.key], each)
            for each in evaluation.findings
            if each.key in known and known[each.key].group == group
        ]
        if found:
            yield _section(heading, found)


def _section(heading: str, found: Sequence[tuple[About, Finding]]) -> AnnexSection:
    rows = tuple(_row(about, finding) for about, finding in found if not finding.trouble)
    remarks = tuple(
        f"{about.name}: not measured. {finding.trouble}"
        for about, finding in found
        if finding.trouble
    )
    return AnnexSection(heading, rows, remarks)


def _row(about: About, finding: Finding) -> AnnexRow:
    by = finding.by_subject
    first = RELEASED if RELEASED in by else next(iter(by), RELEASED)
    name = about.name if first == RELEASED else f"{about.name} ({first})"

    def one(names: Sequence[str]) -> str:
        found = reference(by, names)
        return "–" if found is None or math.isnan(found.value) else value_text(about, found.value)

    return AnnexRow(
        name,
        read_whole(about, by.get(first)) or "–",
        one(BEST),
        one(WORST),
        direction(about).removesuffix(" is better"),
    )
