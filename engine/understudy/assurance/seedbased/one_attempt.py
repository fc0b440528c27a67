"""Claims about one attempt, rejections left aside and rejections seen."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from understudy.assurance import ratios
from understudy.assurance.attempt import Pairs, worst
from understudy.assurance.finding import GUARANTEE, Check, Effort, Measured
from understudy.assurance.seedbased.kept import kept_universes
from understudy.assurance.seedbased.names import CONSTANT, EPSILON, NAMES, TAIL
from understudy.assurance.seedbased.universes import KINDS, giving_away, scanned, universes
from understudy.core.arrays import FloatArray
from understudy.privacy.accounting.published_figures import THEOREM
from understudy.privacy.plausibility.privacy_test import TestKind

_PART = "One attempt, rejections left aside"
_SEEN = "One attempt, rejections seen (protocol “attempts”)"

Ratio = Callable[[Pairs], FloatArray]
Tried = Callable[[TestKind, Effort], Sequence[Pairs]]


def checks() -> tuple[Check, ...]:
    """Return both tests as published, and as the product states them."""
    found: list[Check] = []
    for kind in KINDS:
        found += _candidates(kind)
    for kind in KINDS:
        found += _seen(kind)
    return (*found, *(_counter_example(kind) for kind in KINDS))


def _candidates(kind: TestKind) -> Iterator[Check]:
    constant, known = f"{CONSTANT[kind]} {TAIL}", f"{CONSTANT[kind]} {TAIL}/(n + 1)"

    def check(what: str, delta: str, ratio: Ratio, tried: Tried, source: str = GUARANTEE) -> Check:
        claim = f"ε = {EPSILON[kind]}, δ = {delta}, for 1 ≤ t < k"
        return Check(_PART, f"{NAMES[kind]}, {what}", claim, source, _measure(kind, ratio, tried))

    yield check("as published", TAIL, ratios.as_published, universes, THEOREM[kind])
    yield check("noise's own constant", constant, ratios.with_constant, universes)
    yield check("n seeds or more", known, ratios.with_seeds, universes)
    yield check("kept attributes", known, ratios.with_seeds, kept_universes)
    yield check("scored record by record", known, ratios.with_seeds, scanned)
    if kind == "relative-sensitivity":
        sharper = f"e^−ε0 {known}"
        for what, tried in (("whole scores", universes), ("kept, whole scores", kept_universes)):
            yield check(what, sharper, ratios.with_whole_scores, tried, _SHARPER)


_SHARPER = "sharper than what is stated: a whole score under t is at most t − 1"


def _seen(kind: TestKind) -> Iterator[Check]:
    claim = f"ε = {EPSILON[kind]}, δ = {CONSTANT[kind]} {TAIL}/(n + 1), with ρ = 1/((n + 1)e^ε − n)"
    for what, tried in (("any model", universes), ("kept attributes", kept_universes)):
        measure = _measure(kind, ratios.rejections_seen, tried)
        yield Check(_SEEN, f"{NAMES[kind]}, {what}", claim, GUARANTEE, measure)


def _counter_example(kind: TestKind) -> Check:
    return Check(
        _SEEN,
        f"{NAMES[kind]}, as published",
        f"ε = {EPSILON[kind]}, δ = {TAIL}, ⊥ among the outcomes: 400 equal records and one other, "
        "identity model, k = 20, ε0 = 1",
        "the published statement leaves ⊥ out, so this must fail",
        lambda _: worst([giving_away(kind)], ratios.published_with_rejections),
        "counter-example",
    )


def _measure(kind: TestKind, ratio: Ratio, tried: Tried) -> Callable[[Effort], Measured]:
    return lambda effort: worst(tried(kind, effort), ratio)
