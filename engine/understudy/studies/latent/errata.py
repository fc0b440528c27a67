"""What is wrong in chapters 9 and 10 of the dissertation."""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from understudy.mechanisms.errata import DISSERTATION, Errata, Erratum
from understudy.studies.latent.parameters import cost, least_delta
from understudy.studies.latent.published import DELTA, EPSILON0, TABLE_9_2


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
