"""The settings of the privacy test."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from understudy.mechanisms.fields import Field, Option, Place, Switch, Words
from understudy.mechanisms.kinds import Choice, Number, Scale, Whole
from understudy.mechanisms.seedbased.fields.groups import TEST, has_gamma, has_noise, tested

TESTS: Final[Mapping[str, str]] = {
    "plausible-deniability": "Plausible deniability",
    "relative-sensitivity": "Relative sensitivity",
}
"""Each privacy test by its name."""

THE_TEST: Final = (
    Field(
        name="test",
        words=Words(
            label="How plausible seeds are counted",
            short="Privacy test",
            meaning="How plausible seeds are counted.",
            help="Both ask whether enough other records could have made the candidate. "
            "**Relative sensitivity** counts every seed that makes it no more likely than its own "
            "seed does, weighted by how likely; **plausible deniability** counts only those about "
            "as likely, within the factor γ. The first counts more, and its ε has ln(1 + 1/t) "
            "where the other has ln(1 + γ/t), so it usually passes more at the same ε. Where ω is "
            "fixed or announced the two come to the same.",
        ),
        kind=Choice(TESTS),
        group=TEST,
        places=(Place("test", "test.kind"),),
        option=Option(
            "plausible-deniability, which counts the records that are about as likely to have made "
            "a candidate as its seed is; or relative-sensitivity, which weighs all less likely "
            "ones too, and usually passes more at the same ε (default plausible-deniability; plan: "
            "relative-sensitivity).",
            metavar="TEST",
        ),
        applies=tested,
    ),
    Field(
        name="k",
        words=Words(
            sign="k",
            label="plausible seeds needed",
            meaning="So many plausible seeds a candidate needs.",
            help="**k** is how many records must be plausible seeds: records that could have made "
            "the candidate about as likely as its own seed did. A larger k hides each record among "
            "more others, and fewer candidates pass.",
        ),
        kind=Whole(Scale(2, 1e5)),
        group=TEST,
        places=(Place("k", "test.k"),),
        unit="records",
        option=Option(
            "How many records must be plausible seeds of a released one (default 50; plan: the "
            "smallest)."
        ),
        applies=tested,
    ),
    Field(
        name="gamma",
        words=Words(
            sign="γ",
            label="how alike “plausible” is",
            meaning="How alike likelihoods of plausible seeds have to be.",
            help="**γ** (gamma) says what “about as likely” means: two records count as equally "
            "plausible when their chances lie within this factor. It has to be more than 1. Where "
            "ω is fixed or announced, plausible seeds are equally likely and γ changes nothing.",
        ),
        kind=Number(Scale(1.1, 20), step=0.5),
        group=TEST,
        places=(Place("gamma", "test.gamma"),),
        unit="factor",
        option=Option(
            "γ: the factor within which two likelihoods count as similar, more than 1 (default 4; "
            "relative-sensitivity has none)."
        ),
        applies=has_gamma,
        usual=4.0,
        only_where_used=True,
    ),
    Field(
        name="epsilon0",
        words=Words(
            sign="ε0",
            label="spent on blurring k",
            meaning="What is spent on blurring k; noise of scale 1/ε0 is added to it.",
            help="**ε0** is the part of ε spent on blurring k: each test adds noise of scale 1/ε0 "
            "to it. A smaller ε0 costs less and asks for a larger k.",
        ),
        kind=Number(Scale(1e-3, 10), or_none=True),
        group=TEST,
        places=(Place("epsilon0", "test.epsilon0"),),
        option=Option(
            "ε0: the noise on k has the scale 1/ε0, in records (default 1). “none” is the test "
            "without noise, which gives no differential privacy."
        ),
        applies=tested,
        none="no noise",
        usual=1.0,
        switch=Switch(
            "deterministic",
            "Test without noise",
            "Every candidate with k plausible seeds passes and no other, without noise. There is "
            "then no ε and no δ: nothing is promised about a single record.",
            on="none",
            caution="Without noise on k there is no differential privacy. Use this to compare, not "
            "to release.",
        ),
        told=True,
    ),
    Field(
        name="t",
        words=Words(
            sign="t",
            label="where the proof splits ε and δ",
            meaning="It stands in the proof only and changes nothing in a run.",
            help="**t** stands in the proof only and changes nothing in a run: a larger t states a "
            "smaller ε with a larger δ. Automatic takes the t with the smallest total ε.",
        ),
        kind=Whole(),
        group=TEST,
        places=(Place("t", "t"),),
        unit="records",
        option=Option(
            "t of the theorem, less than k: trades ε for δ in the statement and changes nothing in "
            "a run (default: the best for δ)."
        ),
        stands="folded",
        applies=has_noise,
        none="automatic",
        usual=25,
        only_where_used=True,
        switch=Switch(
            "t_by_hand",
            "Choose t by hand",
            "**t** stands in the proof only and changes nothing in a run: a larger t states a "
            "smaller ε with a larger δ. Automatic takes the t with the smallest total ε.",
            on="value",
        ),
    ),
)
