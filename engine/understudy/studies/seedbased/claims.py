"""Claims of the published text about its tables and figures, and whether they hold here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np

from understudy.evaluation.evaluation import Evaluation
from understudy.evaluation.measure import MARGINALS, WITHOUT_NOISE, BreakdownEntry, SubjectResult
from understudy.evaluation.measures.model_accuracy import FOREST, GUESS
from understudy.models.omega import Omega
from understudy.studies.comparison import StudyClaim
from understudy.studies.seedbased import publication
from understudy.studies.seedbased.publication import Found
from understudy.studies.seedbased.results import Passing, Timed
from understudy.studies.seedbased.setting import UNNOISED

MISSING = "–"


def format_percent(value: float | None) -> str:
    """Return a number that is in percent already."""
    return MISSING if value is None else f"{value:.1f}"


def format_share(value: float | None) -> str:
    """Return a share between 0 and 1 in percent."""
    return MISSING if value is None else f"{100 * value:.1f}".replace("-", "−")


def format_ratio(value: float | None) -> str:
    """Return a multiple, or a part of the way."""
    return MISSING if value is None else f"{value:.2f}".replace("-", "−")


def format_interval(low: float | None, high: float | None) -> str:
    """Return the two ends of an interval, in percent."""
    return MISSING if low is None or high is None else f"{low:.1f} to {high:.1f}"


def format_distance(value: float | None) -> str:
    """Return a distance between 0 and 1."""
    return MISSING if value is None else f"{value:.4f}"


def format_seconds(value: float) -> str:
    """Return seconds, or milliseconds where they are few, to about two digits."""
    if value < 0.1:
        return f"{1000 * value:.2g} ms"
    return f"{value:.2g} s" if value < 10 else f"{value:,.0f} s"


ByColumn = Mapping[str, Mapping[str, float]]
"""By kind of model, then by column, a share."""

_KEPT: Final = 0.75
_NEAR: Final = 0.015
_GRAPH: Final = ("RAC1P", "WAOB")
"""The columns whose gain the text says changes with the noise."""


def improvement_claims(kinds: ByColumn) -> tuple[StudyClaim, ...]:
    """Claim of Figure 1 a gain over the marginals, most of which noise leaves."""
    means = {name: float(np.mean(list(columns.values()))) for name, columns in kinds.items()}
    said = ", ".join(f"{name} {mean:.1%}" for name, mean in means.items())
    whole = means.get(WITHOUT_NOISE)
    others = [mean for name, mean in means.items() if name != WITHOUT_NOISE]
    known = whole is not None and bool(others)
    return (
        StudyClaim(
            "Models are clearly more accurate than the private marginals.",
            "Figure 1",
            f"Average shares of errors avoided: {said}." if said else "",
            min(means.values()) > 0 if known else None,
            "every average is above 0",
        ),
        StudyClaim(
            "At ε = 1 and at ε = 0.1 the gain is comparable to that without noise.",
            "Figure 1",
            f"Averages: {said}." if said else "",
            min(others) >= _KEPT * whole if known and whole is not None else None,
            f"each average is at least {_KEPT:.0%} of the one without noise",
        ),
        _graph_claim(kinds),
    )


def _graph_claim(kinds: ByColumn) -> StudyClaim:
    one, tenth = (kinds.get(f"ε = {publication.MODEL_EPSILON / by:g}", {}) for by in (1, 10))
    changes = {name: abs(one[name] - tenth[name]) for name in one if name in tenth}
    most = sorted(changes, key=lambda name: -changes[name])[: len(_GRAPH)]
    return StudyClaim(
        f"Noise changes the graph, and with it the gain of {' and '.join(_GRAPH)} most.",
        "Figure 1",
        ", ".join(f"{name} changes by {changes[name]:.1%}" for name in most) + "." if most else "",
        set(most) == set(_GRAPH) if len(changes) > len(_GRAPH) else None,
        because=""
        if set(most) == set(_GRAPH) or not most
        else "columns of simulated people depend on others than those of the survey's do",
    )


def model_claims(kinds: ByColumn) -> tuple[StudyClaim, ...]:
    """Compare in Figure 2 the model with the marginals, a guess and the forest."""
    model, forest = kinds.get(WITHOUT_NOISE, {}), kinds.get(FOREST, {})
    lower = [kinds[name] for name in (UNNOISED, GUESS) if name in kinds]
    known = bool(model and lower)
    ahead = [
        name for name in model if all(model[name] > each.get(name, 1) + 0.01 for each in lower)
    ]
    shared = [name for name in model if name in forest]
    above = [name for name in shared if forest[name] > model[name]]
    means = [float(np.mean([each[name] for name in shared])) for each in (model, forest) if shared]
    said = "" if not shared else f"Averages: model {means[0]:.1%}, forest {means[1]:.1%}."
    return (
        StudyClaim(
            "In many cases the model is significantly more accurate than marginals and a guess.",
            "Figure 2",
            f"By more than a point in {len(ahead)} of {len(model)} columns." if known else "",
            2 * len(ahead) > len(model) if known else None,
            "by more than a percentage point in more than half of the columns",
        ),
        StudyClaim(
            "A random forest is sometimes more accurate than the model.",
            "Figure 2",
            f"In {len(above)} of {len(shared)} columns." if shared else "",
            bool(above) if shared else None,
        ),
        StudyClaim(
            "The model does not perform as well as the random forest.",
            "Figure 2",
            said,
            means[1] > means[0] if shared else None,
            "the forest's average is higher",
            because="people are simulated from a graph much like the model's own"
            if shared and means[1] <= means[0]
            else "",
        ),
    )


def single_claim(evaluation: Evaluation, key: str) -> StudyClaim:
    """Check that the marginals are competitive on single columns."""
    found = _distances(evaluation, key)
    return StudyClaim(
        "The marginals are competitive on single columns.",
        "Figure 3",
        _list_medians(found),
        None if not _has_marginals(found) else not _above(found[MARGINALS], _synthetic(found)),
        "the interval of their median, at 95 %, does not lie above that of every synthetic table",
    )


def pairs_claim(evaluation: Evaluation, key: str) -> StudyClaim:
    """Check that the marginals are clearly worse than every synthetic table on pairs of columns."""
    found = _distances(evaluation, key)
    return StudyClaim(
        "The marginals are clearly worse on pairs of columns.",
        "Figure 4",
        _list_medians(found),
        None if not _has_marginals(found) else _above(found[MARGINALS], _synthetic(found)),
        "the interval of their median, at 95 %, lies above that of every synthetic table",
    )


def classification_claim(found: Found) -> StudyClaim:
    """Claim that accuracy and agreement of synthetic tables are nearer to those of real records."""
    apart = [
        _beyond(part, found[quantity][MARGINALS])
        for quantity in publication.CLASSIFICATION.quantities
        if MARGINALS in found.get(quantity, {})
        for name, part in found[quantity].items()
        if name.startswith("ω = ")
    ]
    return StudyClaim(
        "Accuracy and agreement of synthetic tables are significantly closer to those of real "
        "records than the marginals' are.",
        "Table 3",
        f"{sum(apart)} of {len(apart)} numbers lie beyond the marginals'." if apart else "",
        all(apart) if apart else None,
        "no interval, at 95 %, overlaps that of the marginals",
    )


def linear_claims(found: Found) -> tuple[StudyClaim, ...]:
    """Compare classifiers from synthetic tables with private training."""
    logistic, machine = (found.get(each, {}) for each in publication.LINEAR.quantities)
    return (
        _private(logistic, (publication.OUTPUT, publication.OBJECTIVE), 0.0,
                 "Logistic regression from synthetic tables outperforms private training.",
                 "every ω is more accurate than both kinds of private training"),
        _private(machine, (publication.OBJECTIVE,), -_NEAR,
                 "A linear SVM from synthetic tables is only about 1 % less accurate than "
                 "objective perturbation.",
                 f"no ω is more than {100 * _NEAR:g} percentage points behind"),
    )  # fmt: skip


def _private(
    found: Mapping[str, BreakdownEntry], ways: Sequence[str], by: float, said: str, rule: str
) -> StudyClaim:
    """Claim that every ω is at least by so much more accurate than these ways of private
    training."""
    values = [part.value for name, part in found.items() if name.startswith("ω = ")]
    best = [found[name].value for name in ways if name in found]
    known = bool(values) and len(best) == len(ways)
    named = ", ".join(f"{name} {value:.1%}" for name, value in zip(ways, best, strict=False))
    return StudyClaim(
        said,
        "Table 4",
        f"{named}; ω {min(values):.1%} to {max(values):.1%}." if known else "",
        min(values) > max(best) + by if known else None,
        rule,
        ""
        if known and min(values) > max(best) + by
        else "of so many records objective "
        "perturbation loses next to nothing, with λ picked on real records at no price",
    )


def distinguishing_claim(found: Found) -> StudyClaim:
    """Claim that synthetic records are told from real ones much less well than the marginals'
    are."""
    below = []
    for quantity in publication.DISTINGUISHING.quantities:
        each = found.get(quantity, {})
        if MARGINALS in each:
            below += [
                _beyond(each[MARGINALS], part)
                for name, part in each.items()
                if name.startswith("ω = ")
            ]
    return StudyClaim(
        "Synthetic records are told from real ones much less well than records of the marginals.",
        "Table 5",
        f"{sum(below)} of {len(below)} numbers lie below the marginals'." if below else "",
        all(below) if below else None,
        "every interval, at 95 %, lies below that of the marginals",
    )


def timing_claim(timed: Sequence[Timed]) -> StudyClaim:
    """Return the claim that one core makes 10,000 records in less than ten minutes."""
    wanted = publication.TIMED_RECORDS
    found = next((each for each in timed if each.records == wanted), None)
    return StudyClaim(
        f"One core makes {wanted:,} records in less than "
        f"{publication.TIMED_SECONDS / 60:.0f} minutes, {wanted / publication.TIMED_SECONDS:.0f} a "
        f"second or more (ω = {publication.TIMED_OMEGA}).",
        "Figure 5",
        ""
        if found is None
        else f"{format_seconds(found.seconds)}, {found.records / found.seconds:,.0f} a second.",
        None if found is None else found.seconds < publication.TIMED_SECONDS,
    )


def passing_claims(passing: Sequence[Passing]) -> tuple[StudyClaim, ...]:
    """Claim of Figure 6 that more than half pass at k = 100, and fewer the larger k and the smaller
    ω are."""
    low, high = publication.PASSING_OMEGA
    wanted = str(Omega(low=low, high=high))
    found = next((each for each in passing if each.omega == wanted), None)
    k = publication.PASSING_K
    rate = None if found is None else found.published_at(k)
    falls = [all(np.diff(each.published) <= 0) for each in passing if min(each.published) < 1]
    fixed = [each for each in passing if "-" not in each.omega]
    by_omega = [each.published_at(k) for each in sorted(fixed, key=lambda each: int(each.omega))]
    return (
        StudyClaim(
            f"More than half of the candidates pass at k = {k} where ω is drawn from {wanted} "
            f"(γ = {publication.PASSING_GAMMA:g}).",
            "Figure 6",
            ""
            if found is None
            else f"{rate:.1%} pass where counting stops as published, {found.at(k):.1%} where "
            "all plausible seeds count.",
            None if rate is None else rate > publication.PASSING_RATE,
        ),
        StudyClaim(
            "The share falls as k grows.",
            "Figure 6",
            f"For {sum(falls)} of {len(falls)} ω." if falls else "",
            all(falls) if falls else None,
            "for every ω that is tested at all no larger k passes more, on average",
        ),
        StudyClaim(
            "The smaller ω is, the harder it is to pass.",
            "section 8",
            ", ".join(f"{rate:.1%}" for rate in by_omega) + " from the smallest fixed ω up."
            if by_omega
            else "",
            by_omega == sorted(by_omega) if len(by_omega) > 1 else None,
        ),
    )  # fmt: skip


def _beyond(one: BreakdownEntry, other: BreakdownEntry) -> bool:
    """Return whether the interval of one lies above that of another; values stand for unknown
    ones."""
    low = one.value if one.interval is None else one.interval.low
    return low > (other.value if other.interval is None else other.interval.high)


def _distances(evaluation: Evaluation, key: str) -> Mapping[str, SubjectResult]:
    finding = evaluation.finding(key)
    return {} if finding is None else finding.by_subject


def _synthetic(found: Mapping[str, SubjectResult]) -> list[SubjectResult]:
    return [each for name, each in found.items() if name.startswith("ω = ")]


def _has_marginals(found: Mapping[str, SubjectResult]) -> bool:
    return MARGINALS in found and bool(_synthetic(found))


def _above(one: SubjectResult, others: Sequence[SubjectResult]) -> bool:
    """Return whether the interval of one lies above those of all others; values stand for those not
    known."""
    low = one.value if one.interval is None else one.interval.low
    return all(
        low > (each.value if each.interval is None else each.interval.high) for each in others
    )


def _list_medians(found: Mapping[str, SubjectResult]) -> str:
    medians = ", ".join(f"{name} {each.value:.4f}" for name, each in found.items())
    return f"Medians: {medians}." if found else ""
