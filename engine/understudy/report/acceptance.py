"""What an acceptance test measured, as a packet's report says it, and its check."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from understudy.acceptance.measurement import ReleasedTally
from understudy.acceptance.outcome import (
    NAME,
    SAID,
    StatisticAnswer,
    answers,
    as_figures,
    noisy_numbers,
)
from understudy.acceptance.statistics import (
    AcceptanceTest,
    DistanceOf,
    MeanOf,
    asked_of,
    statistic_words,
)
from understudy.core.numerals import percent, significant
from understudy.mechanisms.mechanism import PlannedRun
from understudy.mechanisms.statement import TABLE
from understudy.report.alike import find_difference
from understudy.report.outputs import ReleasedFigures, ReleasedTables
from understudy.table.records import Records


@dataclass(frozen=True)
class AcceptedRow:
    """A statistic, for a table.

    Attributes:
        what: which it is.
        held: what the held-out records have: the interval.
        released: what the release has; "" for a distance, which is of both.
        limit: how far it might be off; "" where there was no limit.
        verdict: whether that was kept; "" where there was none.
    """

    what: str
    held: str
    released: str
    limit: str
    verdict: str


@dataclass(frozen=True)
class Accepted:
    """What came of a test, in words.

    Attributes:
        headline: how many limits were kept, in a sentence.
        confidence: with what probability each interval holds what it is about.
        rows: every statistic.
    """

    headline: str
    confidence: str
    rows: tuple[AcceptedRow, ...]


def describe_accepted(
    decided: PlannedRun, figures: Mapping[str, Any], records: Records | None
) -> Accepted | None:
    """Return what came of the acceptance test of a run.

    Args:
        decided: what was run.
        figures: what it released of the test.
        records: the released table.

    Returns:
        None where there was none.

    Raises:
        KeyError, TypeError, ValueError: the figures are none of this test.
    """
    test = asked_of(decided.plan)
    if test is None or records is None:
        return None
    found = answers(
        test, decided.schema, noisy_numbers(figures), _count_released(test, decided, records)
    )
    titles = {each.name: each.title or each.name for each in decided.schema.columns}
    rows = tuple(_row(each, titles) for each in found)
    return Accepted(_headline(found), percent(test.confidence), rows)


def describe_of_packet(
    decided: PlannedRun, figures: ReleasedFigures, tables: ReleasedTables
) -> Accepted | None:
    """Return what came of the acceptance test, from what a packet holds."""
    if asked_of(decided.plan) is None:
        return None
    return describe_accepted(decided, figures.found[NAME], tables.found[TABLE].records)


def find_mismatch(decided: PlannedRun, figures: Mapping[str, Any], records: Records) -> str | None:
    """Return where figures say something else of a test than follows from their noisy numbers and
    the table; None where nowhere, or where there was no test.

    Raises:
        KeyError, TypeError, ValueError: the figures are none of this test.
    """
    test = asked_of(decided.plan)
    if test is None:
        return None
    again = as_figures(
        test, decided.schema, noisy_numbers(figures), _count_released(test, decided, records)
    )
    return find_difference({name: figures.get(name) for name in again}, again)


def _count_released(test: AcceptanceTest, decided: PlannedRun, records: Records) -> ReleasedTally:
    """Return the released records, counted; what marks a demonstration is the last column."""
    tally = ReleasedTally.start(test, decided.schema)
    tally.add(records.codes[:, : len(decided.schema)])
    return tally


def _headline(found: tuple[StatisticAnswer, ...]) -> str:
    limits = [each.verdict for each in found if each.verdict is not None]
    if not limits:
        return ""
    passed, failed, untold = (limits.count(each) for each in ("passed", "failed", "open"))
    return (
        f"Limits kept: {passed} of {len(limits)}; broken: {failed}; "
        f"not to be told from the noise: {untold}."
    )


def _row(answer: StatisticAnswer, titles: Mapping[str, str]) -> AcceptedRow:
    statistic = answer.statistic
    told = significant if isinstance(statistic, MeanOf) else percent
    held = f"{told(answer.found.low)} to {told(answer.found.high)}"
    if isinstance(statistic, DistanceOf) and answer.chance is not None:
        held += f" (by chance alone up to {percent(answer.chance)})"
    return AcceptedRow(
        statistic_words(statistic, titles),
        held,
        "" if answer.released is None else told(answer.released),
        "" if statistic.limit is None else told(statistic.limit),
        "" if answer.verdict is None else SAID[answer.verdict],
    )
