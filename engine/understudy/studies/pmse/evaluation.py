"""The published simulations run, their numbers side by side, and their figures drawn."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

import altair as alt
import numpy as np
import pandas as pd

from understudy.charts.palette import SERIES, SHAPES
from understudy.core.arrays import FloatArray
from understudy.studies.comparison import Comparison, ComparisonEntry, document_of
from understudy.studies.document import Picture
from understudy.studies.pmse.claims import claims
from understudy.studies.pmse.common_practice import (
    CPS,
    PAIRS,
    PUBLISHED_BOUND,
    RECORDS,
    Rate,
    greedy_pmse,
    rates,
    simulate_table,
)
from understudy.studies.pmse.methods import (
    CALIBRATED,
    FITTED,
    SAFE,
    USUAL,
    Method,
    bounds,
    functional,
    k_norm,
    least_squares,
    list_bounded,
    methods,
    run_chain,
)
from understudy.studies.pmse.publication import (
    BAYES,
    BOUNDS,
    DEPTHS,
    DOUBTED,
    EPSILONS,
    FIGURE_EPSILONS,
    FULL,
    HISTOGRAM,
    LEAF,
    NON_DP,
    PRACTISED,
    PUBLISHED_CHANGES,
    PUBLISHED_REPEATS,
    TABLE_1,
    TABLE_2,
    VARIANCES,
    PmseStudySizes,
)
from understudy.studies.reproduction import Document, ReproductionRequest, Told

_COLOURS: Final = (*SERIES, "#8B9097", "#BA8A12", "#404040")
_CP: Final = CPS[0]
"""Of the trees of Figure 1."""


def pictures(moved: Sequence[Rate], means: Comparison, errors: pd.DataFrame) -> tuple[Picture, ...]:
    """Return Figures 1 to 4.

    Args:
        moved: how far one record moved the score, for each kind of tree.
        means: mean pMSE by ε and method.
        errors: “ε”, “method”, “bounds”, “of” and “error”, a regression a row.
    """
    drawn = (_draw_figure_1(moved), _mean_errors(errors), _mean_scores(means), _spread(errors))
    return tuple(each for each in drawn if len(each.numbers))


def _draw_figure_1(rates: Sequence[Rate]) -> Picture:
    """Draw Figure 1."""
    title = f"Figure 1: how far one record moves the score, cp = {_CP:g}"
    numbers = pd.DataFrame(
        [
            ("unlimited" if each.depth is None else str(each.depth), float(difference))
            for each in rates
            if each.cp == _CP
            for difference in each.differences
        ],
        columns=["depth", "difference"],
    )
    numbers["beyond 1/n"] = numbers["difference"].abs() > PUBLISHED_BOUND * (1 + 1e-9)
    depths = list(dict.fromkeys(numbers["depth"]))
    points = (
        alt.Chart(numbers)
        .mark_point(size=20)
        .encode(
            x=alt.X("depth:N", sort=depths, title="Depth of the tree", axis=alt.Axis(labelAngle=0)),
            xOffset=alt.XOffset("jitter:Q"),
            y=alt.Y("difference:Q", title="u(X, θ) − u(X′, θ)"),
            color=alt.Color("beyond 1/n:N", scale=_scale([False, True], _COLOURS)),
            shape=alt.Shape("beyond 1/n:N", scale=_scale([False, True], SHAPES)),
        )
        .transform_calculate(jitter="random()")
    )
    ends = pd.DataFrame({"bound": [-PUBLISHED_BOUND, PUBLISHED_BOUND]})
    rules = alt.Chart(ends).mark_rule(strokeDash=[4, 3]).encode(y="bound:Q")
    chart = alt.LayerChart(layer=[points, rules], title=title, width=480, height=260)
    return Picture("figure-1", title, chart, numbers)


def _mean_errors(errors: pd.DataFrame) -> Picture:
    """Draw Figure 2."""
    title = "Figure 2: mean error of a regression on the synthetic table"
    grouped = errors.groupby(["of", "line", "ε"], sort=False)["error"].mean()
    numbers = grouped.reset_index()
    return _draw_lines("figure-2", title, numbers, ("error", "Mean absolute error"), facet=True)


def _mean_scores(means: Comparison) -> Picture:
    """Draw Figure 3."""
    title = "Figure 3: mean pMSE"
    numbers = pd.DataFrame(
        [(each.of[1], float(each.of[0]), each.ours, each.published) for each in means.entries],
        columns=["line", "ε", "pMSE", "published"],
    )
    return _draw_lines("figure-3", title, numbers, ("pMSE", "Mean pMSE"), facet=False)


def _draw_lines(
    name: str, title: str, numbers: pd.DataFrame, of: tuple[str, str], *, facet: bool
) -> Picture:
    lines = list(dict.fromkeys(numbers["line"]))
    chart = (
        alt.Chart(numbers, title=title)
        .mark_line(point={"size": 35})
        .encode(
            x=alt.X("ε:Q", scale=alt.Scale(type="log"), axis=alt.Axis(values=_ticks(numbers))),
            y=alt.Y(f"{of[0]}:Q", title=of[1], scale=alt.Scale(type="symlog", constant=0.01)),
            color=alt.Color("line:N", sort=lines, scale=_scale(lines, _COLOURS), title=None,
                            legend=alt.Legend(labelLimit=300)),
            shape=alt.Shape("line:N", sort=lines, scale=_scale(lines, SHAPES), title=None),
            **({"column": alt.Column("of:N", title=None)} if facet else {}),
        )
        .properties(width=300 if facet else 480, height=320)
    )  # fmt: skip
    return Picture(name, title, chart, numbers)


def _spread(errors: pd.DataFrame) -> Picture:
    """Draw Figure 4."""
    title = "Figure 4: errors of a regression on the synthetic table"
    lines = list(dict.fromkeys(errors["line"]))
    chart = (
        alt.Chart(errors, title=title)
        .mark_boxplot(extent="min-max", size=8, color=SERIES[0])
        .encode(
            x=alt.X("error:Q", title="Absolute error",
                    scale=alt.Scale(type="symlog", constant=0.01)),
            y=alt.Y("line:N", sort=lines, title=None, axis=alt.Axis(labelLimit=300)),
            row=alt.Row("of:N", title=None),
            column=alt.Column("ε:N"),
        )
        .properties(width=220, height=14 * max(1, len(lines)))
    )  # fmt: skip
    return Picture("figure-4", title, chart, errors)


def _ticks(numbers: pd.DataFrame) -> list[float]:
    return sorted(set(numbers["ε"]))


def _scale(names: Sequence[str | bool], looks: Sequence[str]) -> alt.Scale:
    return alt.Scale(domain=list(names), range=[looks[at % len(looks)] for at in range(len(names))])


_FEWEST: Final = 20
"""Coefficients alone cost next to nothing, so that they are tried at least so often."""
_BOUNDLESS: Final = (NON_DP, PRACTISED)
_COEFFICIENTS: Final = ("intercept", "slope")
_TITLE: Final = "The pMSE mechanism, run again"
_SOURCE: Final = "Snoke and Slavković 2018"
_NOTES: Final = {
    PRACTISED: "no ε: as practised, on simulated data only",
    CALIBRATED: "not of the paper; ε between tables with a record more or less, δ = 1e-9",
    FITTED: "not of the paper",
    SAFE: "not of the paper: exact, at the full ε",
    HISTOGRAM: "not reproducible from the text: with the printed λ no K gives the printed numbers",
    BAYES: "how ε is divided and the priors were not printed",
}
_TABLE_1_WORDS: Final = (
    "Per cent of changes of one record that move the score of greedy trees by more than 1/n, out "
    "of simulated ones. That is no δ: it says nothing of a worst case, which pairs made for it "
    "show below.",
)
_TABLE_2_WORDS: Final = (
    f"Mean pMSE of a tree without cp, whose leaves hold at least {LEAF} records: that comes to the "
    "published pMSE without privacy, where a tree with the printed cp of 0.01 makes no split at "
    "all. “Ratio” is to what tables without privacy come to here, so 1 is as hard to tell as "
    "those.",
    "Bounded methods are truncated at 4 standard deviations.",
)
_VARIANCE_WORDS: Final = (
    "The variances printed for ε = 1 and ε = 2 are equal to the last digit in all columns: one row "
    "is a slip, and is taken to be that of ε = 2, for which none is shown.",
    "The text speaks of larger variances at small and large ε. In the table those of the pMSE "
    "mechanism and of the smooth histogram fall all the way, and those of DP Bayes rise.",
)
_FIGURE_WORDS: Final = (
    "Mean absolute error of intercept and slope of X₂ on X₁, least squares on the table itself "
    "being the truth. The figures were published as pictures, from which no number can be read.",
    "Bounds are in standard deviations. Narrow ones come out best, as published: noise grows with "
    "them, and normal records lose little by being cut.",
)


def reproduce(
    sizes: PmseStudySizes, random: np.random.Generator, asked: ReproductionRequest, told: Told
) -> Document:
    """Return all tables, in their order.

    Args:
        sizes: how much is tried.
        random: where chance comes from.
        asked: as it was asked for.
        told: called before each stage.
    """
    told("changing records, for Table 1")
    moved = rates(sizes.changes, random)
    tables = [_table_1(moved), _pairs()]
    made = _make_tables(methods(sizes.steps), sizes, random, told)
    told("scoring tables, for Table 2")
    scores = tuple(_scores(made))
    tables += [_table_2(scores), _table_2_ratios(scores)]
    tables += [_table_2_variances(scores)] if sizes.repeats > 1 else []
    errors = _regressions(made, sizes, random, told)
    tables.append(_figures(errors))
    words = (
        f"On simulated tables of {RECORDS:,} records; {sizes.changes:,} changed records for Table "
        f"1, where {PUBLISHED_CHANGES:,} were published; {sizes.repeats:,} tables for each method "
        f"and ε, where {PUBLISHED_REPEATS:,} were.",
        *(() if sizes.steps else ("The practised chain was left out.",)),
    )
    means = next(each for each in tables if each.name == "Table 2")
    judged = sizes.at_least(FULL)
    found = document_of(_TITLE, words, asked, tables, claims(tables), judged=judged)
    return replace(found, pictures=pictures(moved, means, _rows_of(errors)))


def _table_1(moved: Sequence[Rate]) -> Comparison:
    entries = tuple(
        ComparisonEntry(
            (_depth(each.depth), f"{each.cp:g}"),
            TABLE_1[each.depth, each.cp],
            100 * each.share,
            100 * max(0.0, each.share - 2 * each.error),
            100 * (each.share + 2 * each.error),
            f"moved by up to {each.largest:.2g}",
        )
        for each in moved
    )
    title = "How often one record moves the score of a greedy tree by more than 1/n, per cent"
    return Comparison(
        "Table 1", title, f"{_SOURCE}, Table 1", ("Depth", "cp"), entries, 1, _TABLE_1_WORDS
    )


def _pairs() -> Comparison:
    entries = []
    for name, pair in PAIRS.items():
        for which, score in zip(("one table", "one record changed"), pair().scores(), strict=True):
            entries.append(ComparisonEntry((name, which), None, score))
    words = (
        f"By the published bound both scores of a pair differ by {1 / RECORDS:g} at most.",
        "Two columns in unlike values: a greedy tree of depth two without cp. cp jump: a single "
        "split with cp = 0.01. Fewest records of a leaf: a single split whose sides need 50. None "
        "of the pairs is in the paper.",
    )
    title = "Pairs of tables of which one record differs, made to break the bound of greedy trees"
    return Comparison("Pairs", title, "not published", ("Pair", "Table"), tuple(entries), 8, words)


def _depth(depth: int | None) -> str:
    return "unlimited" if depth is None else str(depth)


Made = Mapping[tuple[str, float], Sequence[tuple[FloatArray, FloatArray]]]
"""By method and ε, pairs of a table and what was made of it."""


def _make_tables(
    found: Mapping[str, Method], sizes: PmseStudySizes, random: np.random.Generator, told: Told
) -> Made:
    made: dict[tuple[str, float], list[tuple[FloatArray, FloatArray]]] = {}
    for epsilon in EPSILONS:
        for name, method in found.items():
            told(f"making tables at ε = {epsilon:g}: {name}")
            pairs = made.setdefault((name, epsilon), [])
            for _ in range(sizes.repeats):
                table = simulate_table(random).values
                pairs.append((table, method(table, epsilon, random)))
    return made


def _scores(made: Made) -> Iterator[tuple[str, float, FloatArray]]:
    for (name, epsilon), pairs in made.items():
        yield name, epsilon, np.array([greedy_pmse(*pair, None, 0.0, LEAF) for pair in pairs])


def _ends(values: FloatArray) -> tuple[float, float]:
    error = values.std(ddof=1) / np.sqrt(len(values)) if len(values) > 1 else 0.0
    return float(values.mean() - 2 * error), float(values.mean() + 2 * error)


Scored = Sequence[tuple[str, float, FloatArray]]
"""By method and ε, pMSE of each table."""


def _table_2(found: Scored) -> Comparison:
    entries = []
    for name, epsilon, scores in found:
        printed = TABLE_2.get(name)
        published = None if printed is None else printed[EPSILONS.index(epsilon)]
        mean, ends = float(scores.mean()), _ends(scores)
        note = _NOTES.get(name, "")
        entries.append(ComparisonEntry((f"{epsilon:g}", name), published, mean, *ends, note))
    title = "Mean pMSE by method and ε"
    return Comparison(
        "Table 2", title, f"{_SOURCE}, Table 2", ("ε", "Method"), tuple(entries), 5, _TABLE_2_WORDS
    )


def _table_2_variances(found: Scored) -> Comparison:
    entries = []
    for name, epsilon, scores in found:
        printed = VARIANCES.get(name) if epsilon != DOUBTED else None
        published = None if printed is None else 1e6 * printed[EPSILONS.index(epsilon)]
        entries.append(
            ComparisonEntry((f"{epsilon:g}", name), published, float(1e6 * scores.var(ddof=1)))
        )
    return Comparison(
        "Table 2, variance",
        "Variance of pMSE by method and ε, in millionths",
        f"{_SOURCE}, Table 2",
        ("ε", "Method"),
        tuple(entries),
        2,
        _VARIANCE_WORDS,
    )


def _table_2_ratios(scores: Scored) -> Comparison:
    null = np.mean([each.mean() for name, _, each in scores if name == NON_DP])
    entries = []
    for name, epsilon, found in scores:
        printed = TABLE_2.get(name)
        at = EPSILONS.index(epsilon)
        published = None if printed is None else printed[at] / TABLE_2[NON_DP][at]
        low, high = _ends(found / null)
        entries.append(
            ComparisonEntry(
                (f"{epsilon:g}", name), published, float(found.mean() / null), low, high
            )
        )
    title = "Mean pMSE as a multiple of what tables without privacy come to"
    source = f"{_SOURCE}, Table 2, divided by its first column"
    return Comparison("Table 2, ratio", title, source, ("ε", "Method"), tuple(entries), 2)


Errors = Mapping[tuple[float, str, str], FloatArray]
"""By ε, method and bounds, (tables, 2) how far off intercept and slope are."""


def _regressions(
    made: Made, sizes: PmseStudySizes, random: np.random.Generator, told: Told
) -> Errors:
    """Return the claims on errors of regressions on what every method makes."""
    told("regressions, for Figures 2 and 4")
    found: dict[tuple[float, str, str], FloatArray] = {}
    for epsilon in FIGURE_EPSILONS:
        for name in dict.fromkeys(name for name, _ in made):
            kept = np.array([_regression_error(*pair) for pair in made[name, epsilon]])
            found[epsilon, name, "–" if name in _BOUNDLESS else f"{USUAL:g}"] = kept
        for name, within, method in _vary_methods(sizes.steps):
            tables = (simulate_table(random).values for _ in range(sizes.repeats))
            kept = np.array(
                [_regression_error(each, method(each, epsilon, random)) for each in tables]
            )
            found[epsilon, name, within] = kept
        for name, coefficients in (("Functional mechanism", functional), ("K-norm", k_norm)):
            for times in BOUNDS:
                errors = _coefficients(coefficients, times, epsilon, sizes.repeats, random)
                found[epsilon, f"{name}, coefficients only", f"{times:g}"] = errors
    return found


def _rows_of(errors: Errors) -> pd.DataFrame:
    """Return the errors, a number a row, as they are drawn."""
    rows = [
        (epsilon, name if within == "–" else f"{name}, {within} sd", of, float(error))
        for (epsilon, name, within), each in errors.items()
        for of, column in zip(_COEFFICIENTS, each.T, strict=True)
        for error in column
    ]
    return pd.DataFrame(rows, columns=["ε", "line", "of", "error"])


def _figures(errors: Errors) -> Comparison:
    entries = [
        entry
        for (epsilon, name, within), each in errors.items()
        for entry in _errors(epsilon, name, within, each)
    ]
    title = "Error of a regression on the synthetic table"
    return Comparison(
        "Figures 2 and 4",
        title,
        f"{_SOURCE}, Figures 2 and 4",
        ("ε", "Method", "Bounds", "Of"),
        tuple(entries),
        4,
        _FIGURE_WORDS,
    )


def _vary_methods(steps: int) -> Iterator[tuple[str, str, Method]]:
    """Bounded methods at the other bounds, and practised trees of the other depths."""
    for times in BOUNDS:
        if times != USUAL:
            yield from ((name, f"{times:g}", each) for name, each in list_bounded(times).items())
    for depth in DEPTHS if steps else ():
        if depth is not None:
            yield f"{PRACTISED}, depth {depth}", "–", run_chain(steps, depth)


def _regression_error(one: FloatArray, two: FloatArray) -> tuple[float, float]:
    return _error(least_squares(one), least_squares(two))


Coefficients = Callable[..., tuple[float, float]]


def _coefficients(
    method: Coefficients, times: float, epsilon: float, repeats: int, random: np.random.Generator
) -> FloatArray:
    found, within = [], bounds(times)
    for _ in range(max(repeats, _FEWEST)):
        table = simulate_table(random).values
        found.append(_error(least_squares(table), method(table, within, epsilon, random)))
    return np.array(found)


def _error(one: tuple[float, float], two: tuple[float, float]) -> tuple[float, float]:
    return abs(one[0] - two[0]), abs(one[1] - two[1])


def _errors(
    epsilon: float, name: str, within: str, errors: FloatArray
) -> Iterator[ComparisonEntry]:
    for at, of in enumerate(_COEFFICIENTS):
        low, high = _ends(errors[:, at])
        mean = float(errors[:, at].mean())
        yield ComparisonEntry((f"{epsilon:g}", name, within, of), None, mean, max(0.0, low), high)
