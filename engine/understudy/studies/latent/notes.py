"""How every number of the medical evaluation is defined, and the errors of chapters 9 and 10 of the
dissertation.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from understudy.mechanisms.errata import DISSERTATION, Errata, Erratum
from understudy.studies.latent.parameters import LARGE, cost, least_delta
from understudy.studies.latent.publication import (
    CS,
    DELTA,
    EPSILON0,
    FULL,
    PUBLISHED_SEEDS,
    SMALLEST_SET,
    TABLE_9_2,
    USUAL,
)
from understudy.studies.reproduction import Definition

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
