"""How every number of the medical evaluation is defined, as published and here."""

from __future__ import annotations

from typing import Final

from understudy.studies.latent.parameters import LARGE
from understudy.studies.latent.published import (
    CS,
    EPSILON0,
    SMALLEST_SET,
    TABLE_9_2,
    USUAL,
)
from understudy.studies.latent.sizes import FULL, PUBLISHED_SEEDS
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
