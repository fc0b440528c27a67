"""The six published figures, drawn from our numbers."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from understudy.evaluation.measure import WITHOUT_NOISE
from understudy.studies.pictures import Picture
from understudy.studies.seedbased import drawing, published
from understudy.studies.seedbased.measuring import (
    IMPROVEMENT,
    MODELS,
    PAIRS,
    SINGLE,
)
from understudy.studies.seedbased.networks import (
    by_kind,
    compared_with,
    learned_kinds,
)
from understudy.studies.seedbased.results import Results


def figures_of(found: Results, *, internal: bool) -> tuple[Picture, ...]:
    """Return the figures for which something was found.

    Args:
        found: our numbers.
        internal: whether the table is confidential. Published numbers stand beside ours only
            where it is not.
    """
    drawn = (
        _improvement(found, internal),
        _models(found, internal),
        _distances(found, SINGLE, 3, "Distances of single columns", internal),
        _distances(found, PAIRS, 4, "Distances of pairs of columns", internal),
        _times(found, internal),
        _passing(found, internal),
    )
    return tuple(each for each in drawn if each is not None and len(each.numbers))


def _improvement(found: Results, internal: bool) -> Picture:
    return drawing.dots(
        "figure-1",
        "Figure 1: errors of the marginals that the model avoids",
        _by_column(found, learned_kinds(by_kind(found.evaluation, IMPROVEMENT))),
        "Share of the marginals' wrong guesses that the model does not make",
        internal=internal,
        zero=True,
    )


def _models(found: Results, internal: bool) -> Picture:
    return drawing.dots(
        "figure-2",
        "Figure 2: how often the most likely value is right",
        _by_column(found, compared_with(by_kind(found.evaluation, MODELS), WITHOUT_NOISE)),
        "Share of held-out records whose value is guessed right",
        internal=internal,
        zero=False,
    )


def _by_column(found: Results, kinds: Mapping[str, Mapping[str, float]]) -> pd.DataFrame:
    rows = [
        (label, kind, columns[name])
        for name, label in found.labels.items()
        for kind, columns in kinds.items()
        if name in columns
    ]
    return pd.DataFrame(rows, columns=["column", "series", "value"])


def _distances(found: Results, key: str, number: int, what: str, internal: bool) -> Picture:
    finding = found.evaluation.finding(key)
    subjects = {} if finding is None else finding.by_subject
    rows = [
        (name, " × ".join(found.labels[each] for each in part.of), part.value)
        for name, measured in subjects.items()
        for part in measured.parts
    ]
    numbers = pd.DataFrame(rows, columns=["table", "of", "value"])
    title = f"Figure {number}: {what[0].lower()}{what[1:]}"
    return drawing.boxes(f"figure-{number}", title, numbers, internal=internal)


def _times(found: Results, internal: bool) -> Picture | None:
    if not found.timed:
        return None
    numbers = pd.DataFrame(
        [(each.records, each.seconds) for each in found.timed], columns=["records", "seconds"]
    )
    limit = None
    if not internal:
        said = "published: less than this"
        row = [(published.TIMED_RECORDS, published.TIMED_SECONDS, said)]
        limit = pd.DataFrame(row, columns=["records", "seconds", "said"])
    title = f"Figure 5: the time that records take, ω = {found.timed_omega}"
    return drawing.times("figure-5", title, numbers, limit, internal=internal)


def _passing(found: Results, internal: bool) -> Picture:
    # As published; the share where all seeds are counted stands among the numbers.
    rows = [
        (f"ω = {each.omega}", k, rate, exact)
        for each in found.passing
        for k, rate, exact in zip(each.ks, each.published, each.rates, strict=True)
    ]
    numbers = pd.DataFrame(rows, columns=["series", "k", "rate", "rate, all seeds counted"])
    title = (
        f"Figure 6: candidates that pass the test, γ = {published.PASSING_GAMMA:g}, "
        f"{found.passing_limit.examined:,} seeds looked at"
    )
    return drawing.curves("figure-6", title, numbers, internal=internal)
