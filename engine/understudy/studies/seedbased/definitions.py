"""How every number of the census evaluation is defined, as published and here."""

from __future__ import annotations

from typing import Final

from understudy.studies.reproduction import Definition
from understudy.studies.seedbased import published
from understudy.studies.seedbased.measuring import LEAF
from understudy.studies.seedbased.setting import PUBLISHED_ROWS, Setting

_FULL: Final = Setting.of(len(published.CARDINALITIES))

DEFINITIONS: Final = (
    Definition(
        "Tables 1 and 2",
        f"{published.RECORDS:,} clean records of the American Community Survey of 2013; values of "
        "each column, possible records, and those that occur once.",
        f"The same of {PUBLISHED_ROWS:,} simulated people.",
        "the survey is not here; possible records are the product of the values, which the printed "
        "number is not",
    ),
    Definition(
        "Table 3",
        f"Trees, forests and AdaBoostM1 trained on {published.TRAINING:,} records or more, tested "
        f"on a disjoint set of at least 30 % as many; the average of {published.RUNS} runs with "
        "other samples. Agreement: with a classifier trained on real records.",
        f"Trained on {_FULL.most:,} records, tested on as many held-out ones, once; the interval "
        f"is of {_FULL.repeats} more fits, each without a fifth. Agreement as published, with a "
        "classifier trained on seeds.",
        "one fit of all records says more than the mean of several, and blocks give the interval; "
        "which base learner AdaBoostM1 had was not printed (stumps here)",
    ),
    Definition(
        "Table 4",
        "Logistic regression and SVM, with output and objective perturbation at ε = 1 by the "
        "code of their authors; one-hot features in [0, 1], rows of a norm of at most 1; λ of "
        "10⁻³ to 10⁻⁶, picked on the classifier without noise.",
        "The same, by an implementation of our own from the publication.",
    ),
    Definition(
        "Table 5",
        f"{published.DISTINGUISHED:,} real and {published.DISTINGUISHED:,} synthetic records to "
        "learn from, tested on as many of each that were not learned from.",
        f"The same: half of {_FULL.most:,} of each.",
    ),
    Definition(
        "Figure 1",
        "Errors of the most likely value given all others, relative to those of private marginals, "
        f"on records of the input, drawn millions of times; the average of {published.MODELS} "
        "models at each ε.",
        f"The same on {_FULL.tested:,} held-out records, {_FULL.models} models: "
        f"{_FULL.tested * _FULL.models:,} guesses at each ε and column.",
        "records that nothing was learned from",
    ),
    Definition(
        "Figure 2",
        "The model without noise beside marginals without noise, a guess, and a random forest "
        "trained on as many records as the model.",
        f"The same: the forest learns from {published.PARAMETERS:,} records, with leaves of "
        f"{LEAF} or more; private marginals stand beside.",
        "the text has the best classifier that was found without its settings, and trees that are "
        "grown out know less",
    ),
    Definition(
        "Figures 3 and 4",
        "Total variation of every column, and of every pair, from other real records, as box "
        "plots; the number of records is not said.",
        f"The same, of {_FULL.most:,} records each.",
    ),
    Definition(
        "Figure 5",
        "Seconds of one core until so many candidates are made, those that fail the test "
        f"included; the test stops at {published.TIMED_PLAUSIBLE} plausible seeds or after "
        f"{published.TIMED_EXAMINED:,} of {published.SEEDS:,}.",
        f"Seconds until so many records are released, with the candidates made; all "
        f"{published.SEEDS:,} seeds count, by an index. The share that passes is given for both.",
        "released records are what is wanted, and an exact count costs no more; it is also what "
        "the guarantee is proven for",
    ),
    Definition(
        "Figure 6",
        f"The share of candidates that pass at γ = {published.PASSING_GAMMA:g}, where plausible "
        f"seeds are counted among {published.PASSING_EXAMINED:,} of {published.SEEDS:,}, drawn at "
        "random for each candidate.",
        "The same, and beside it where all seeds count, as a run here does; expected shares, over "
        f"the noise on k, of {_FULL.scored:,} candidates of each ω.",
        "both are printed: a limit on what is looked at lets fewer pass and saves nothing here",
    ),
)
