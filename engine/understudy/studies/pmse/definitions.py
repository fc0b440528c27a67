"""How every number of the published simulations is defined, as published and here."""

from __future__ import annotations

from typing import Final

from understudy.studies.pmse.methods import DRAWS, USUAL
from understudy.studies.pmse.practised.failing import CPS, DEPTHS
from understudy.studies.pmse.practised.published_model import RECORDS
from understudy.studies.pmse.published import BOUNDS, EPSILONS, FIGURE_EPSILONS
from understudy.studies.pmse.sizes import (
    FULL,
    LEAF,
    PUBLISHED_CHANGES,
    PUBLISHED_REPEATS,
)
from understudy.studies.reproduction import Definition

DEFINITIONS: Final = (
    Definition(
        "Table 1, Figure 1",
        f"Per cent of {PUBLISHED_CHANGES:,} simulations, of {RECORDS:,} records, in which noise "
        f"N(0, 25) on one record moves the pMSE of greedy trees by more than 1/n; depths "
        f"{', '.join('unlimited' if each is None else str(each) for each in DEPTHS)}, cp of "
        f"{' and '.join(f'{each:g}' for each in CPS)}.",
        f"The same in {FULL.changes:,} simulations, trees by scikit-learn, cp as a share of "
        "the root's impurity.",
        "a million take half a day; so many give a tenth of a percentage point",
    ),
    Definition(
        "Figures 2 and 4",
        "|β̂ − β̂ of the synthetic table| of intercept and slope; ε of "
        f"{', '.join(f'{each:g}' for each in FIGURE_EPSILONS)}; bounded methods truncated at "
        f"{', '.join(f'{each:g}' for each in BOUNDS)} standard deviations; trees of four depths. "
        "The number of tables is not said.",
        f"The same, of {FULL.repeats} tables each, at {USUAL:g} standard deviations where a "
        "method has no others; safe mechanism, linear and calibrated model beside.",
        "other ways at the same ε are what a custodian chooses from",
    ),
    Definition(
        "Table 2, Figure 3",
        f"Mean and variance of the pMSE of {PUBLISHED_REPEATS:,} tables a method at ε of "
        f"{', '.join(f'{each:g}' for each in EPSILONS)}; which tree evaluates is not said.",
        f"The same of {FULL.repeats} tables; a tree without cp whose leaves hold {LEAF} or "
        "more, which comes to the published pMSE without privacy.",
        "with the printed cp = 0.01 such a tree makes no split at all",
    ),
    Definition(
        "pMSE Mech.",
        f"States of a Metropolis chain, l = {DRAWS} at ε/l, of a length that is not said.",
        f"The last state of {FULL.steps:,} steps at ε/{DRAWS}, as practised and without an "
        "ε; beside it the safe mechanism at the full ε.",
        "a chain has no ε of its own, and the length decides the result",
    ),
    Definition(
        "Smooth Hist., DP Bayes",
        "λ ≥ K/(K + n(e^{ε/n} − 1)), K not said; how ε is divided and the priors are not said.",
        "λ as printed, four bins a side; ε divided evenly.",
        "with the printed λ no K gives the printed numbers",
    ),
)
