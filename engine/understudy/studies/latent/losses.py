"""What is lost by a model, and by the test: Tables 9.1, 9.3 and 9.5, Figures 9.1 and 9.2."""

from __future__ import annotations

from typing import Final

import numpy as np

from understudy.core.arrays import BoolArray
from understudy.evaluation.classifiers import FOREST, TREE
from understudy.privacy.plausibility.threshold import PassCoin
from understudy.studies.comparison import Comparison, ComparisonEntry
from understudy.studies.latent.models import (
    CLASSIFIERS,
    Advantage,
    FlagCandidates,
    StudySetting,
    draw_candidates,
    formula_distances,
)
from understudy.studies.latent.parameters import LARGE, PARTS, by_rule, least_delta
from understudy.studies.latent.publication import (
    DISTANCES,
    EPSILON0,
    EPSILONS,
    HALF,
    MODEL_LOSS,
    PCA,
    REALS,
    SMALLEST_SET,
    SOURCE,
    TABLE_9_1,
    TABLE_9_2,
    TABLE_9_3,
    TABLE_9_5,
    TESTED,
    USUAL,
    Parameters,
    Row,
    allow_range,
)

_FEWEST: Final = 100
"""With fewer records nothing is told apart."""


def ours(
    of: tuple[str, ...], published: float | None, found: Advantage, note: str = ""
) -> ComparisonEntry:
    """Return an advantage beside the published one."""
    return ComparisonEntry(of, published, found.value, found.low, found.high, note)


def judge_number(made: StudySetting, model: str, what: str, value: float) -> str:
    """Return whether a number lies where it should at the full size; "" where nothing is known."""
    within = allow_range(model, what)
    if within is None or made.sizes.scale_threshold(10_000) != 10_000:
        return ""
    low, high = within
    return f"{'within' if low <= value <= high else 'outside'} {low:.4f} to {high:.4f}"


def _tables(made: StudySetting) -> dict[str, BoolArray]:
    """Return other real records, and every model's before the test and after it, for sets of the
    stated size and for smaller ones."""
    found = {REALS: made.seeds[: made.sizes.candidates]}
    for name, each in made.candidates.items():
        found[name] = each.flags
        for of in (LARGE, USUAL):
            found[_tested_label(name, of)] = each.flags[made.passes(each, of.k, of.epsilon0)]
    return found


def _tested_label(name: str, of: Parameters) -> str:
    return f"{TESTED}{name}, k = {of.k:,}"


def table_9_1(made: StudySetting) -> Comparison:
    """Return distances of columns and pairs."""
    entries = []
    for name, flags in _tables(made).items():
        printed = TABLE_9_1.get(name.partition(",")[0])
        if not len(flags):
            continue
        for at, found in enumerate(formula_distances(flags, made.held_out)):
            for which, distance in enumerate(DISTANCES):
                published = printed[at][which] if printed else None
                of = (name, ("columns", "pairs")[at], distance)
                spread = f"± {found[which].std():.3f}"
                entries.append(
                    ComparisonEntry(of, published, float(found[which].mean()), note=spread)
                )
    words = (
        "Means over columns and over pairs; the note is the standard deviation. 0.0001 is added to "
        f"every cell for KL, as published. “{TESTED.strip()}” is by the test of ε = 1. The text "
        f"speaks of sets of {SMALLEST_SET:,} records and more, of which the whole is private: by "
        f"its rule that takes k = {LARGE.k:,}. Table 9.2 has k = {USUAL.k:,} for {USUAL.size:,} "
        "records. The printed numbers stand beside both.",
    )
    return Comparison(
        "Table 9.1", "Distances to held-out records", f"{SOURCE}, Table 9.1",
        ("Records", "Of", "Distance"), tuple(entries), 3, words,
    )  # fmt: skip


def figure_9_1(made: StudySetting) -> Comparison:
    """Return five classifiers."""
    entries = [
        ours((name, each.name), None, found)
        for name, flags in _tables(made).items()
        if len(flags) >= _FEWEST
        for each, found in zip(
            CLASSIFIERS,
            made.telling.apart(made.held_out, flags, CLASSIFIERS, made.sizes.told),
            strict=True,
        )
    ]
    words = (
        "Published as a picture: between .05 and .1 for made records, about 0 for real ones, trees "
        "and forests the best, PCA below the network. Which classifiers the five were was not "
        "printed in full.",
    )
    return Comparison(
        "Figure 9.1", "How well five classifiers tell records from held-out ones, γ",
        f"{SOURCE}, Figure 9.1", ("Records", "Classifier"), tuple(entries), 3, words,
    )  # fmt: skip


def figure_9_2(made: StudySetting) -> Comparison:
    """Return sizes of the release."""
    entries = []
    for each in TABLE_9_2[2:]:
        for name, model in made.candidates.items():
            passed = made.passes(model, each.k, each.epsilon0)
            flags = model.flags[passed][: each.size]
            found = made.telling.apart(made.held_out, flags, (TREE, FOREST))
            for by, advantage in zip((TREE, FOREST), found, strict=True):
                of = (f"{each.size:,}", name, by.name)
                entries.append(ours(of, None, advantage, f"passes {passed.mean():.3f}"))
    words = (
        "Published as a picture: it rises with the size, as k does. The note is the share of "
        "candidates that pass.",
    )
    return Comparison(
        "Figure 9.2", "How well tested records are told from held-out ones, γ, by how many are "
        "released", f"{SOURCE}, Figure 9.2", ("Released", "Model", "Classifier"), tuple(entries),
        3, words,
    )  # fmt: skip


def table_9_3(made: StudySetting) -> Comparison:
    """Return what the test loses, by ε."""
    entries = []
    for name, model in made.candidates.items():
        found = made.telling.forest(made.held_out, model.flags)
        note = judge_number(made, name, "model", found.value)
        entries.append(ours((name, "model", "–"), MODEL_LOSS.get(name), found, note))
        printed = dict(zip(EPSILONS, TABLE_9_3.get(name, ()), strict=False))
        for epsilon in EPSILONS:
            k, epsilon0, how = _of_epsilon(epsilon)
            found = measure_filter(made, model, k, epsilon0)
            note = judge_number(made, name, str(k), found.value) or how
            of = (name, f"{epsilon:g}", f"{k:,}")
            entries.append(ours(of, printed.get(epsilon), found, note))
    entries.append(_one_part(made))
    words = (
        "“model” is how well candidates are told from held-out records; the rest is how well what "
        "passes is told from other candidates. The caption of the source is garbled for ε of 2, 4 "
        "and 8: there k follows from its rule (4.6), for 2,500 releases of a part.",
        "κ is counted over all seeds. Over one of four parts, of which Table 9.2 speaks, the loss "
        "is the last line: the printed figures fit the undivided records better.",
    )
    return Comparison(
        "Table 9.3", "What the model and the test lose, γ of a random forest",
        f"{SOURCE}, Table 9.3", ("Model", "ε", "k"), tuple(entries), 3, words,
    )  # fmt: skip


def _of_epsilon(epsilon: float) -> tuple[int, float, str]:
    """Return k and ε0, and where they are from."""
    if epsilon == 0.5:
        return HALF.k, HALF.epsilon0, "k as printed"
    if epsilon == 1.0:
        return USUAL.k, USUAL.epsilon0, "k as printed"
    return *by_rule(epsilon, USUAL.part), "k by rule"


def measure_filter(made: StudySetting, model: FlagCandidates, k: int, epsilon0: float) -> Advantage:
    """Return how well what passes is told from other candidates."""
    passes, half = made.passes(model, k, epsilon0), len(model.flags) // 2
    return made.telling.forest(model.flags[:half][passes[:half]], model.flags[half:])


def _one_part(made: StudySetting) -> ComparisonEntry:
    """Return the loss with κ over one of four parts of the seeds."""
    part = made.seeds[: len(made.seeds) // PARTS]
    model = made.models[PCA]
    few = draw_candidates(model, part, made.sizes.candidates, made.random(9))
    found = measure_filter(made, few, USUAL.k, USUAL.epsilon0)
    note = "of one part of four"
    return ours((f"{PCA}, one part", "1", f"{USUAL.k:,}"), None, found, note)


def table_9_5(made: StudySetting) -> Comparison:
    """β̂ and the bounds."""
    found = [_bounds(made, name, row) for name, rows in TABLE_9_5.items() for row in rows]
    better = sum((rejected.ours or 0.0) <= (bound.ours or 0.0) for _, bound, rejected in found)
    entries = [entry for row in found for entry in row]
    words = (
        "t is utility’s here, above k, and not the test’s, below k. β̂ is the share of candidates "
        "that some seed could make with κ < t; the bound is Lemma 5.2 of it. “Rejected” is the "
        "share 1 − c of candidates that fail: an upper bound on the same distance that needs "
        f"no β and no t, and here it is the smaller of the two in {better} of {len(found)} rows.",
        f"At ε0 = {EPSILON0:g} the source’s theorem gives, with the best t, the δ of the notes: no "
        "k up to 20,000 comes near the 2^−40 (9.1·10^−13) that is spoken of.",
    )
    return Comparison(
        "Table 9.5", "How much the test can change records", f"{SOURCE}, Table 9.5, Figure 9.4",
        ("Model", "k", "t", "What"), tuple(entries), 4, words,
    )  # fmt: skip


def _bounds(
    made: StudySetting, name: str, row: Row
) -> tuple[ComparisonEntry, ComparisonEntry, ComparisonEntry]:
    k, t, printed, bound = row
    of = (name, f"{k:,}", f"{t:,}")
    model, sizes = made.candidates[name], made.sizes
    beta = float((model.least < sizes.scale_threshold(t)).mean())
    coin = PassCoin(sizes.scale_threshold(k), EPSILON0 * k / sizes.scale_threshold(k), "geometric")
    passing = float(coin.probability(np.array([sizes.scale_threshold(t)]))[0])
    rejected = 1 - float(coin.probability(model.scores).mean())
    note, delta = judge_number(made, name, str(t), beta), f"δ ≥ {least_delta(k, EPSILON0):.1e}"
    return (
        ComparisonEntry((*of, "β̂"), printed, beta, note=note),
        ComparisonEntry((*of, "bound"), bound, lemma(beta, passing), note=delta),
        ComparisonEntry((*of, "rejected"), None, rejected),
    )  # fmt: skip


def lemma(beta: float, passing: float) -> float:
    """Lemma 5.2: the distance is at most this where a share β scores below t, and a score of t
    passes with this probability."""
    most = 1 / (passing * (1 - beta)) if beta < 1 else np.inf
    bound = beta + (1 - passing) / (2 * passing) if most <= 2 else (most - 1) / 2
    return float(min(1.0, bound))
