"""The tables and figures of chapter 9: what is lost by a model and by the test, where seeds help,
and what its parameters come to.

Tables 9.1, 9.3 and 9.5 and Figures 9.1 and 9.2 are about losses; Table 9.4 about a sub-population;
Figure 9.3 about seeds against none; Table 9.2 has the parameters, by their own formula and by
others.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
from scipy.optimize import brentq

from understudy.core.arrays import BoolArray
from understudy.evaluation.classifiers import FOREST, TREE
from understudy.privacy.accounting.accountant import account
from understudy.privacy.accounting.composition import advanced_epsilon
from understudy.privacy.accounting.published_figures import published_k
from understudy.privacy.accounting.unit import Unit, best_t, total_epsilon_at, unit_of
from understudy.privacy.plausibility.privacy_test import RelativeSensitivity
from understudy.privacy.plausibility.threshold import PassCoin
from understudy.studies.comparison import Comparison, ComparisonEntry
from understudy.studies.latent.models import (
    CLASSIFIERS,
    Advantage,
    FlagCandidates,
    Kind,
    Reconstructing,
    StudySetting,
    count_related,
    draw_candidates,
    formula_distances,
    project_flags,
    train_published,
    whole_chances,
)
from understudy.studies.latent.publication import (
    AE,
    DELTA,
    DISTANCES,
    EPSILON0,
    EPSILONS,
    HALF,
    MODEL_LOSS,
    PCA,
    QUERIES,
    REALS,
    SEEDLESS,
    SMALL,
    SMALLEST_SET,
    SOURCE,
    SUB_POPULATION,
    TABLE_9_1,
    TABLE_9_2,
    TABLE_9_3,
    TABLE_9_4,
    TABLE_9_5,
    TESTED,
    USUAL,
    VAE,
    Parameters,
    Row,
    allow_range,
)
from understudy.studies.reproduction import Told

PARTS: Final = 4
"""Into so many parts the records are divided, as of Table 9.2."""
COUNTED = 500_000
"""The records of each of four parts, as far as is publicly known."""


@dataclass(frozen=True)
class Cost:
    """The ε of as many releases as a part has, at δ = 2^−40.

    Attributes:
        printed: by (4.6), which the source uses, at the printed t.
        released: by optimal composition, over what is released.
        attempted: likewise over attempts, rejections counted, with `COUNTED` seeds.
    """

    printed: float
    released: float
    attempted: float


def cost(setting: Parameters) -> Cost:
    """Return what one column of the table comes to."""
    unit, many = _unit(setting), setting.part
    slack = DELTA / (many + 1)
    each = float(unit.epsilon(np.array(setting.t)))
    printed = float(advanced_epsilon(np.float64(each), many, np.float64(slack)))
    released = total_epsilon_at(unit, best_t(unit, many, DELTA), many, DELTA)
    whole = account(_test(setting), many, DELTA, seeds_at_least=COUNTED).total.epsilon
    return Cost(printed, released, whole)


def least_delta(k: int, epsilon0: float) -> float:
    """Return the least δ of one release, by the source's own theorem: that of t = 1."""
    return math.exp(-epsilon0 * (k - 1))


def by_rule(epsilon: float, many: int) -> tuple[int, float]:
    """Return k and ε0 that the source's rule gives for so many releases at this ε.

    Raises:
        ValueError: it gives none.
    """
    k = published_k(epsilon, DELTA, many, 1.0)
    if k is None:
        raise ValueError("the rule's noise is beyond what a coin is built for")
    return k, (math.log(1 / DELTA) + math.log(many + 1)) / (k // 2)


def least_by_rule(size: int, epsilon: float = 1.0) -> Parameters:
    """Return the parameters with the smallest k for a release of so many records, by (4.6) as
    printed.

    Args:
        size: how many records are released, a quarter from each part.
        epsilon: in all.
    """
    many = size // PARTS
    spread = math.log(1 / DELTA) + math.log(many + 1)

    def over(each: float) -> float:
        return each * math.sqrt(2 * many * spread) + many * each * math.expm1(each) - epsilon

    each = float(brentq(over, 0.0, epsilon / math.sqrt(2 * many * spread), xtol=1e-15))

    def compute_k(t: int) -> float:
        left = each - math.log1p(1 / t)
        return t + spread / left if left > 0 else math.inf

    first = math.ceil(1 / each)
    t = min(range(first, 20 * first, max(1, first // 500)), key=compute_k)
    return Parameters(size, many, math.ceil(compute_k(t)), t, each - math.log1p(1 / t))


def _test(setting: Parameters) -> RelativeSensitivity:
    return RelativeSensitivity(k=setting.k, epsilon0=setting.epsilon0)


def _unit(setting: Parameters) -> Unit:
    unit = unit_of(_test(setting))
    assert unit is not None
    return unit


LARGE: Final = least_by_rule(SMALLEST_SET)
"""Of the smallest set that experiments are on, where nothing else is said of them."""


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


_OF: Final = 10_000


def table_9_2() -> Comparison:
    """Return the parameters."""
    entries = []
    for each in TABLE_9_2:
        found = cost(each)
        of = (f"{each.size:,}", f"{each.k:,}", f"{each.t:,}", f"{each.epsilon0:g}")
        entries += [
            ComparisonEntry((*of, "by (4.6)"), 1.0, found.printed),
            ComparisonEntry((*of, "optimal, releases"), 1.0, found.released),
            ComparisonEntry((*of, "optimal, attempts"), 1.0, found.attempted),
        ]
    words = (
        "ε at δ = 2^−40, of which 1 was printed. By its own formula each column exceeds it. "
        "Optimal composition keeps to it, where nobody learns what was rejected; the last line of "
        f"each is for attempts, with at least {COUNTED:,} seeds in a part, as is publicly known, "
        "and holds whatever is learned of rejections. In total ε is infinite all the same: the "
        "models were fitted to records without noise.",
    )
    return Comparison(
        "Table 9.2", "What the printed parameters come to", f"{SOURCE}, Table 9.2",
        ("Size", "k", "t", "ε0", "Composition"), tuple(entries), 2, words,
    )  # fmt: skip


def without_seeds(made: StudySetting) -> Comparison:
    """PCA with seeds and without."""
    count, model = made.sizes.candidates, made.models[PCA]
    alone = project_flags(whole_chances(model.seedless(count, made.random(4))), made.random(5))
    seeded = made.candidates[PCA]
    found = {"from seeds": seeded.flags, "seedless": alone}
    for of in (LARGE, USUAL):
        passed = seeded.flags[made.passes(seeded, of.k, of.epsilon0)]
        found |= {f"tested, k = {of.k:,}": passed} if len(passed) >= _FEWEST else {}
    gammas = {name: made.telling.forest(made.held_out, each) for name, each in found.items()}
    times = gammas["seedless"].value / max(gammas["from seeds"].value, 1e-9)
    entries = [
        ours((PCA, name), SEEDLESS.get(name.partition(",")[0]), each,
             f"{times:.1f} times those from seeds" if name == "seedless" else "")
        for name, each in gammas.items()
    ]  # fmt: skip
    return Comparison(
        "Seedless", "How well records are told from held-out ones, with seeds and without, γ",
        f"{SOURCE}, section 9.2", ("Model", "Made"), tuple(entries), 3,
        ("The seedless law is a normal one with the variances of the components, of records that "
         "the model was fitted to; the source’s was fitted to the test set.",),
    )  # fmt: skip


def table_9_4(made: StudySetting) -> tuple[Comparison, Comparison]:
    """Return the sub-population: its queries, and how well it is told apart."""
    group = made.seeds[made.marks]
    # Those that are compared with are no seeds.
    others = count_related(made.sizes.seeds // 4, made.seed + 3)
    tables = {"training": made.training, "sub-population": group}
    for place, name in enumerate(made.models):
        one = draw_candidates(
            made.models[name], group, made.sizes.candidates, made.random(6, place)
        )
        tables[name] = one.flags
        tables[TESTED + name] = one.flags[made.passes(one, SMALL.k, SMALL.epsilon0)]
    queries = [
        ComparisonEntry((name, query), _read_printed(name, at), float(_OF * flags[:, place].mean()))
        for name, flags in tables.items()
        if len(flags)
        for at, (query, place) in enumerate(zip(QUERIES, (0, 1, 3, 2), strict=True))
    ]
    told = [
        ours((name,), SUB_POPULATION.get(name), found, _share(name))
        for name, flags in tables.items()
        if name != "sub-population" and (found := _measure_advantage(made, flags, others))
    ]
    words = (
        "Models are fitted to all stays, and candidates made of those that have to do with "
        "alcohol, which is no flag. “tested” is by the test for 1,000 records, over this group "
        "alone: stays that are rare in it, such as planned ones, vanish. The heads of births and "
        "planned stays are read as exchanged: as printed, every tenth of these patients would have "
        "been born in the stay.",
    )  # fmt: skip
    return (
        Comparison("Table 9.4", f"Of {_OF:,}, how many are so", f"{SOURCE}, Table 9.4",
                   ("Records", "Query"), tuple(queries), 0, words),
        Comparison("Table 9.4, told apart", "How well records are told from the sub-population, γ",
                   f"{SOURCE}, section 9.3", ("Records",), tuple(told), 3),
    )  # fmt: skip


def _read_printed(name: str, at: int) -> float | None:
    row = TABLE_9_4.get(name)
    return None if row is None else float(row[at])


def _share(name: str) -> str:
    return {"training": "at least .3", AE: "at most .05"}.get(name, "")


def _measure_advantage(made: StudySetting, flags: BoolArray, group: BoolArray) -> Advantage | None:
    return made.telling.forest(flags, group) if min(len(flags), len(group)) >= _FEWEST else None


def figure_9_3(made: StudySetting, told: Told) -> Comparison:
    """Return the strength C of the regulariser."""
    entries = []
    records, epochs = made.sizes.swept
    kinds: tuple[Kind, ...] = (AE, VAE)
    for kind in kinds:
        for strength in made.sizes.strengths:
            told(f"{kind} with C = {strength:g}")
            model = train_published(kind, made.training[:records], epochs, strength, made.seed)
            for how, found in _both(made, model).items():
                entries.append(ours((kind, f"{strength:g}", how), None, found))
    words = (
        "Published as a picture of the printed network: with C, seedless records get better and "
        "those from seeds worse. That is how a true VAE behaves, whose C weighs each record’s own "
        "divergence; the printed one’s only holds the mean and spread of "
        f"mini-batches. One training each, of {records:,} records and {epochs} epochs.",
    )
    return Comparison(
        "Figure 9.3", "How well records are told from held-out ones, by C, γ",
        f"{SOURCE}, Figure 9.3", ("Model", "C", "Made"), tuple(entries), 2, words,
    )  # fmt: skip


def _both(made: StudySetting, model: Reconstructing) -> dict[str, Advantage]:
    count, random = made.sizes.candidates // 2, made.random(7)
    seeds = made.seeds[:count]
    laws = {
        "from seeds": model.reconstruct(seeds),
        "seedless": model.seedless(count, random),
    }
    held = made.held_out[:count]
    return {
        how: made.telling.forest(held, project_flags(whole_chances(each), random))
        for how, each in laws.items()
    }
