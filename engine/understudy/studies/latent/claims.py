"""Chapter 9 in words: what it says of its tables and figures and whether it holds here, how every
number is defined, and the errors of chapters 9 and 10 of the dissertation.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Final

import numpy as np

from understudy.mechanisms.errata import DISSERTATION, Errata, Erratum
from understudy.studies.comparison import Comparison, Numbers, StudyClaim
from understudy.studies.latent.publication import (
    AE,
    CS,
    DELTA,
    DISTANCES,
    EPSILON0,
    EPSILONS,
    FULL,
    PCA,
    PUBLISHED_SEEDS,
    REALS,
    SMALLEST_SET,
    TABLE_9_2,
    TESTED,
    USUAL,
)
from understudy.studies.latent.tables import LARGE, cost, least_delta
from understudy.studies.reproduction import Definition

_MODELS: Final = (PCA, AE)
_USUALLY: Final = f", k = {USUAL.k:,}"
_BEST: Final = ("classification tree", "random forest")
_LITTLE: Final = 0.02
_FIT: Final = (0.05, 0.1)


def claims(tables: Sequence[Comparison]) -> tuple[StudyClaim, ...]:
    """Return every claim, of PCA and of the network as printed; the true network is not in the
    text.

    Args:
        tables: every comparison.
    """
    numbers = Numbers(tables)
    return (
        _further(numbers),
        _judge_degradation(numbers),
        *_classifiers(numbers),
        _sizes(numbers),
        *_losses(numbers),
        _seedless(numbers),
        *_strengths(numbers),
        *_group(numbers),
        _betas(numbers),
    )


def _distance(numbers: Numbers, records: str, of: str, distance: str) -> float:
    return numbers.ours("Table 9.1", records, of, distance) or 0.0


def _further(numbers: Numbers) -> StudyClaim:
    each = [
        _distance(numbers, model, of, distance) >= _distance(numbers, REALS, of, distance)
        for model in _MODELS
        for of in ("columns", "pairs")
        for distance in DISTANCES
    ]
    return StudyClaim(
        "By all distances made records are further from held-out ones than real records are.",
        "Table 9.1",
        f"{sum(each)} of {len(each)}.",
        all(each),
    )


def _judge_degradation(numbers: Numbers) -> StudyClaim:
    worst = {}
    for k in (USUAL.k, LARGE.k):
        added = [
            _distance(numbers, f"{TESTED}{model}, k = {k:,}", of, "SD")
            - _distance(numbers, model, of, "SD")
            for model in _MODELS
            for of in ("columns", "pairs")
        ]
        worst[k] = max(added)
    said = ", ".join(f"{value:.3f} at k = {k:,}" for k, value in worst.items())
    return StudyClaim(
        "The test degrades distances slightly.",
        "Table 9.1",
        f"SD grows by up to {said}.",
        max(worst.values()) <= _LITTLE,
        f"no mean SD grows by more than {_LITTLE:g}, at either k",
        ""
        if max(worst.values()) <= _LITTLE
        else f"k = {LARGE.k:,} of so many seeds leaves out whatever is rare",
    )


def _classifiers(numbers: Numbers) -> tuple[StudyClaim, ...]:
    def read_accuracy(records: str, classifier: str) -> float:
        return numbers.ours("Figure 9.1", records, classifier) or 0.0

    shown = [each for model in _MODELS for each in (model, f"{TESTED}{model}{_USUALLY}")]
    every = {of: value for of, value in numbers.all_of("Figure 9.1") if of[0] in shown}
    reals = max(value for of, value in numbers.all_of("Figure 9.1", REALS))
    low, high = _FIT
    inside = sum(low <= value <= high for value in every.values())
    others = {of[1] for of in every} - set(_BEST)
    ahead = [
        max(read_accuracy(each, name) for name in _BEST)
        >= max(read_accuracy(each, name) for name in others)
        for each in shown
    ] if others else []  # fmt: skip
    pca, network = read_accuracy(PCA, "random forest"), read_accuracy(AE, "random forest")
    return (
        StudyClaim(
            "Every classifier tells made records with a γ of 0.05 to 0.1, and real ones not.",
            "Figure 9.1",
            f"{inside} of {len(every)} lie there, the least {min(every.values()):.3f}, the most "
            f"{max(every.values()):.3f}; real ones {reals:.3f} at most.",
            inside == len(every) and reals < low,
            because=""
            if inside == len(every)
            else "simulated stays are of few kinds, which some "
            "classifiers tell better and others worse than the survey's",
        ),
        StudyClaim(
            "PCA-5 is told less well than VAE-3.",
            "Figure 9.1",
            f"{pca:.3f} and {network:.3f}, by a forest.",
            pca < network,
            because="" if pca < network else "our stays have few kinds, which three codes hold",
        ),
        StudyClaim(
            "Trees and forests outperform the other classifiers.",
            "Figure 9.1",
            f"On {sum(ahead)} of {len(ahead)} tables.",
            all(ahead) if ahead else None,
            "on every table one of the two is the best",
        ),
    )


def _sizes(numbers: Numbers) -> StudyClaim:
    rises = {}
    for model in _MODELS:
        found = [value for _, value in numbers.all_of("Figure 9.2", None, model, "random forest")]
        rises[model] = found[-1] > found[0] if found else None
    said = ", ".join(
        f"{model} {'rises' if each else 'does not rise'}" for model, each in rises.items()
    )
    return StudyClaim(
        "Tested records are told the better, the more are released.",
        "Figure 9.2",
        f"{said}.",
        all(rises.values()),
        "the largest release is told better than the smallest",
        "more is also learned from",
    )


def _losses(numbers: Numbers) -> tuple[StudyClaim, ...]:
    def loss(model: str) -> list[float]:
        found = {of[1]: value for of, value in numbers.all_of("Table 9.3", model)
                 if of[1] != "model"}  # fmt: skip
        return [found[f"{each:g}"] for each in EPSILONS]

    lost = {model: loss(model) for model in _MODELS}
    models = {model: numbers.ours("Table 9.3", model, "model", "–") or 0.0 for model in _MODELS}
    below = [one < other for one, other in zip(lost[PCA], lost[AE], strict=True)]
    main = {
        model: all(models[model] > each for each in lost[model][EPSILONS.index(1.0) :])
        for model in _MODELS
    }
    falls = [all(after <= before for before, after in pairwise(values)) for values in lost.values()]
    return (
        StudyClaim(
            "The filtering loss of PCA-5 is below that of VAE-3.",
            "Table 9.3",
            f"At {sum(below)} of {len(below)} ε.",
            all(below),
        ),
        StudyClaim(
            "From ε = 1 on the model loss is the main component.",
            "Table 9.3",
            ", ".join(f"{name}: {'so' if each else 'not so'}" for name, each in main.items()) + ".",
            all(main.values()),
            because=""
            if all(main.values())
            else "here the network's own loss is small, and what its test leaves out is not",
        ),
        StudyClaim(
            "The filtering loss falls towards 0 as ε grows.",
            "Table 9.3",
            "; ".join(
                f"{name} {', '.join(f'{each:.3f}' for each in values)}"
                for name, values in lost.items()
            )
            + ".",
            all(falls),
            "no larger ε has a larger loss",
        ),
    )


def _seedless(numbers: Numbers) -> StudyClaim:
    tested = numbers.ours("Seedless", PCA, f"{TESTED.strip()}{_USUALLY}") or 0.0
    alone = numbers.ours("Seedless", PCA, "seedless") or 0.0
    return StudyClaim(
        "Seedless records are of lower quality than those from seeds.",
        "section 9.3.3",
        f"PCA-5: seedless {alone:.3f}, from seeds and tested {tested:.3f}.",
        alone > tested,
        because="it is false of a true VAE: see Figure 9.3",
    )


def _strengths(numbers: Numbers) -> tuple[StudyClaim, StudyClaim]:
    def ends(how: str) -> tuple[float, float]:
        found = [value for _, value in numbers.all_of("Figure 9.3", AE, None, how)]
        return found[0], found[-1]

    seedless, seeded = ends("seedless"), ends("from seeds")
    words = "the largest C is compared with the smallest, of the printed network"
    return (
        StudyClaim(
            "The larger C, the less well seedless records are told.",
            "Figure 9.3",
            f"{seedless[0]:.2f} to {seedless[1]:.2f}.",
            seedless[1] < seedless[0],
            words,
        ),
        StudyClaim(
            "The larger C, the better records from seeds are told.",
            "Figure 9.3",
            f"{seeded[0]:.2f} to {seeded[1]:.2f}.",
            seeded[1] > seeded[0],
            words,
            ""
            if seeded[1] > seeded[0]
            else "the printed regulariser holds mini-batches only; of a true VAE it is so",
        ),
    )


def _group(numbers: Numbers) -> tuple[StudyClaim, StudyClaim]:
    apart = numbers.ours("Table 9.4, told apart", "training") or 0.0
    copied = numbers.ours("Table 9.4, told apart", AE) or 0.0
    queries = {of[1]: value for of, value in numbers.all_of("Table 9.4", "sub-population")}
    made = {of[1]: value for of, value in numbers.all_of("Table 9.4", AE)}
    off = max(abs(made[name] - queries[name]) for name in queries)
    return (
        StudyClaim(
            "Candidates of a sub-population are hardly told from it, training records are.",
            "section 9.3.3",
            f"{copied:.3f} and {apart:.3f}.",
            copied < apart / 5,
            "γ is below a fifth of that of training records",
        ),
        StudyClaim(
            "Counts of candidates are very close to those of the sub-population.",
            "Table 9.4",
            f"They differ by {off:.0f} of 10,000 at most.",
            off <= 200,
            "by 200 of 10,000 at most (109 are printed)",
            "candidates before the test; tested ones lose what is rare",
        ),
    )


def _betas(numbers: Numbers) -> StudyClaim:
    found = [
        value for of, value in numbers.all_of("Table 9.5")
        if of[3] == "β̂" and of[0] in _MODELS and int(of[2].replace(",", "")) <= 55_000
    ]  # fmt: skip
    return StudyClaim(
        "β̂ is small for t up to 50,000.",
        "Figure 9.4",
        f"At most {max(found):.3f} up to t = 55,000.",
        max(found) < 0.2,
        "below 0.2 (0.174 is printed at 55,000)",
    )


DEFINITIONS: Final = (
    Definition(
        "Records",
        "Over 6,000,000 discharges of 2013 with 42 flags, in three parts: training, test, input.",
        f"{FULL.training:,} simulated stays to fit to, {FULL.seeds:,} seeds, {FULL.candidates:,} "
        "held out.",
        "the records are sold under an agreement",
    ),
    Definition(
        "Table 9.1",
        "Mean and standard deviation over columns and pairs of SD, HEL and KL (with 0.0001 added "
        f"to every chance) from the test set, of sets of {SMALLEST_SET:,} records and more; "
        "tested rows are of sets that keep to (1, 2^−40) as a whole.",
        f"The same of {FULL.candidates:,} candidates. Tested rows twice: at the k = {USUAL.k:,} "
        f"of Table 9.2 for {USUAL.size:,} records, and at the k = {LARGE.k:,} that {LARGE.size:,} "
        "records take by the text's rule.",
        "the printed numbers fit the smaller k far better, so both are shown",
    ),
    Definition(
        "Figure 9.1",
        "γ = 2|accuracy − ½| of five classifiers, half of the test set's records against as many; "
        "which five is not said in full.",
        f"The same of {FULL.told:,} of each; logistic regression, tree, AdaBoost, gradient "
        "boosting, forest.",
    ),
    Definition(
        "Table 9.2",
        "k, t and ε0 with which m releases from each of four parts are said to keep to ε = 1, "
        "δ = 2^−40.",
        "What they come to by (4.6), by optimal composition of releases, and of attempts.",
        "the claim is checked, not copied",
    ),
    Definition(
        "Figure 9.2",
        f"γ of a tree and a forest for releases of {TABLE_9_2[2].size:,} to "
        f"{TABLE_9_2[-1].size:,}, at the parameters of Table 9.2, κ over one of four parts.",
        "The same, κ over all seeds.",
        "over a part the loss is far above the printed one (last line of Table 9.3)",
    ),
    Definition(
        "Table 9.3",
        f"Model loss: γ of candidates against real records. Filtering loss: γ of {USUAL.size:,} "
        "tested records against candidates, by ε.",
        f"The same of all that passes of {FULL.candidates // 2:,} candidates, against as many "
        "others; k of ε = 2, 4, 8 by (4.6).",
        "more records measure γ better; the caption is not legible for these ε",
    ),
    Definition(
        "Seedless",
        "γ of a forest: tested PCA-5, and PCA-5 with codes from a normal law that was fitted to "
        "the test set.",
        "PCA-5 from seeds and tested, and codes from a normal law that was fitted to the training "
        "set.",
        "a law that is fitted to the test set knows what it is tested on",
    ),
    Definition(
        "Figure 9.3",
        f"γ of a forest and a tree, with seeds and without, for C of "
        f"{', '.join(f'{each:g}' for each in CS)}.",
        f"The forest's, trained on {FULL.swept[0]:,} records for {FULL.swept[1]} epochs; of the "
        "printed network and of a true variational one.",
        "fourteen trainings at full length take hours",
    ),
    Definition(
        "Table 9.4",
        "Four counts among 10,000 training records, of a sub-population, and of VAE-3's records "
        "of it; γ of the last two. Whether these are tested is not said.",
        "The same, candidates and tested ones; heads of births and planned stays exchanged.",
        "both are printed, as the test removes what is rare",
    ),
    Definition(
        "Table 9.5, Figure 9.4",
        "β̂: the share of candidates with min κ < t over the seeds; the bound of Lemma 5.2 at "
        f"ε0 = {EPSILON0:g}.",
        f"The same; t and k in proportion where there are not {PUBLISHED_SEEDS:,} seeds; beside "
        "it the share rejected, a bound too, and the δ that such a k has at best.",
    ),
)


def most_spent() -> float:
    """Return the largest ε of a column of Table 9.2 by (4.6), over the ε that is stated."""
    return max(cost(each).printed for each in TABLE_9_2)


def rounded_delta() -> float:
    """Return the largest m·e^{−ε0(k − t)} of a column of Table 9.2, over 2^−40."""
    return max(
        each.part * math.exp(-each.epsilon0 * (each.k - each.t)) / DELTA for each in TABLE_9_2
    )


def largest_reconstruction() -> float:
    """Return the largest value of a reconstruction by one principal component."""
    records = np.array([[1.0, 1.0, 1.0], [1.0, 1.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]])
    mean = records.mean(axis=0)
    _, _, directions = np.linalg.svd(records - mean)
    first = directions[0]
    return float((np.outer((records - mean) @ first, first) + mean).max())


_ERRATA: Final = (
    Erratum(
        "Table 9.2", "Each column keeps to ε = 1 in all.",
        "By (4.6), which the text names, none does.",
        "Optimal composition keeps to it where nobody learns what was rejected: 0.86 to 0.88.",
        "unsafe", "ε of a column, the largest", most_spent,
    ),
    Erratum(
        "Table 9.2", "δ = 2^−40 with the printed ε0.", "ε0 is rounded, which δ does not forgive.",
        "ε0 is worked out again, not copied.", "unsafe", "m·e^{−ε0(k − t)}, the largest",
        rounded_delta,
    ),
    Erratum(
        "9.2, 9.3.2", "The whole release is (1, 2^−40)-differentially private.",
        "Models are fitted without noise, to records of others, who are promised nothing.",
        "(1, 2^−40) for the seeds; for the training records nothing.", "unsafe", "read", None,
    ),
    Erratum(
        "6.3.4, 9.2", "A variational auto-encoder with a Gaussian prior on its codes.",
        "The divergence that is added is of a mini-batch's mean and spread, not of each record's.",
        "An autoencoder with a regulariser (AE-3 here), whose codes may have any shape.", "wrong",
        "read", None,
    ),
    Erratum(
        "6.3.4, 9.2", "PCA's reconstruction gives the chances that flags are drawn by.",
        "It can leave [0, 1], where nothing says what is drawn, or with what chance.",
        "Chances are cut to within 2^−16 of 0 and 1 before anything is drawn or scored.", "wrong",
        "the largest “chance” of one component of four records of three flags",
        largest_reconstruction,
    ),
    Erratum(
        "9.2", "The law of seedless codes is estimated by encoding records of the test set.",
        "The same test set says how well they are told.", "The training set.", "wrong", "read",
        None,
    ),
    Erratum(
        "Table 9.4", "2,205 births and 1,007 planned stays in training, 979 and 2 in the group.",
        "The two heads are exchanged: a tenth of patients with an alcohol disorder would have "
        "been born in the stay.",
        "Births are the last column.", "a misprint", "read", None,
    ),
    Erratum(
        "Table 9.5", "ε0 = 0.001 and k of 1,000 to 20,000, in a chapter of δ = 2^−40.",
        "No t makes a δ of these that is worth the name.",
        "k = 50,000 reaches it; the share rejected bounds the same distance.", "unsafe",
        "the least δ, k = 20,000", lambda: least_delta(20_000, EPSILON0) / DELTA,
    ),
)  # fmt: skip

ERRATA: Final = (Errata(DISSERTATION, "Chapters 9 and 10: latent models", _ERRATA),)
