"""Fields of candidates and of the test that each has to pass."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from understudy.core.numerals import print_range
from understudy.mechanisms.fields import COLUMNS, Field, Option, Place, Switch, Values, Words, holds
from understudy.mechanisms.kinds import Choice, Number, Scale, Share, Span, Whole
from understudy.mechanisms.seedbased.fields.model_fields import (
    CANDIDATES,
    TEST,
    a_range,
    has_gamma,
    has_noise,
    is_tested,
    rows_only,
    seedless,
)

PROTOCOLS: Final[Mapping[str, str]] = {
    "attempts": "Every attempt",
    "releases": "The released records only",
}

SEES: Final[Mapping[str, str]] = {
    "attempts": "The table, and how many attempts were made and turned down. Nothing to hide.",
    "releases": "The table, with exactly as many records as you ask for. How many attempts it "
    "took stays secret, and you declare a share that is sure to pass.",
}
"""What a reader sees under each protocol, in a sentence."""


def _show_omega(values: Values) -> str:
    low, high, columns = (values.get(name) for name in ("omega_low", "omega_high", COLUMNS))
    said = print_range(str(low) if low == high else f"{low}-{high}")
    return said if columns is None else f"{said} of {columns} columns"


def _show_protocol(values: Values) -> str:
    if rows_only(values):
        return "All rows, and how many"
    return PROTOCOLS[values.get("protocol", "attempts")]


THE_CANDIDATES: Final = (
    Field(
        name="target_epsilon",
        words=Words(
            label="ε at most",
            meaning="The total that k, ε0 and t were found for.",
        ),
        kind=Number(),
        group=CANDIDATES,
        option=Option(
            "The total ε to stay within: the smallest k that does, its ε0 and t are then found, "
            "and the model's ε is at most this (default: k and ε0 are chosen by hand)."
        ),
        stands="elsewhere",
    ),
    Field(
        name="omega",
        words=Words(
            sign="ω",
            label="columns drawn afresh",
            meaning="So many columns of a candidate are drawn from the model; the others are "
            "copied from its seed.",
            help="**ω** (omega) is how many columns of a candidate are drawn afresh from the "
            "model, the last ones in dependency order. The others are copied from its seed. With "
            "all columns drawn afresh (seedless) nothing is copied, every candidate passes, and "
            "the seeds cost nothing.",
        ),
        kind=Span(),
        group=CANDIDATES,
        places=(
            Place("omega_low", "omega.low", "ω, columns drawn afresh, at least", "ω from"),
            Place("omega_high", "omega.high", "ω, columns drawn afresh, at most", "ω up to"),
        ),
        unit="columns",
        option=Option(
            "ω: how many attributes, the last in dependency order, are drawn afresh: 9, or a range "
            "such as 5-11 (default: all of them or all but one).",
            metavar="N or N-N",
        ),
        variants=(
            (
                seedless,
                Words(
                    sign="ω",
                    label="columns drawn afresh",
                    meaning="All columns of every record are drawn from the model; nothing is "
                    "copied from a record, so no test is needed.",
                ),
            ),
        ),
        shown=_show_omega,
    ),
    Field(
        name="reading",
        words=Words(
            label="Whether ω is hidden",
            meaning="Hidden: a coin that nobody sees decides it. Announced: attempts take the "
            "values in turn, and everybody may know.",
            help="Hidden: each attempt draws its ω and nobody learns it, so the test weighs all of "
            "them. Announced: attempts take the values in turn, everybody may know, and γ counts "
            "as 1.",
        ),
        kind=Choice({"hidden": "hidden", "announced": "announced"}),
        group=CANDIDATES,
        places=(Place("reading", "omega.reading"),),
        option=Option(
            "Of a range of ω: whether its value is a coin that the reader never sees, or is known "
            "for each attempt (default hidden)."
        ),
        applies=a_range,
    ),
    Field(
        name="protocol",
        words=Words(
            label="What a reader may see",
            meaning="How many candidates were made, and how many of them were released, may be "
            "known.",
            help="What somebody who reads the release may come to know. **Every attempt**: how "
            "many were made and how many released nothing may be published too. **The records "
            "only**: exactly as many as you ask for are released, and how many attempts that took, "
            "or how long, stays with you.",
        ),
        kind=Choice(PROTOCOLS),
        group=CANDIDATES,
        places=(Place("protocol", "protocol"),),
        option=Option(
            "What a reader may see: every attempt, its rejection too; or exactly N records, how "
            "many attempts they took being hidden (default attempts)."
        ),
        shown=_show_protocol,
        variants=(
            (
                rows_only,
                Words(
                    label="What a reader may see",
                    meaning="They are all drawn from the model, and none from a record.",
                ),
            ),
            (
                holds("protocol", "releases"),
                Words(
                    label="What a reader may see",
                    meaning="How many attempts they took, and how long, stays with the custodian.",
                ),
            ),
        ),
    ),
    Field(
        name="attempts",
        words=Words(
            sign="N",
            label="attempts or records planned",
            meaning="Fixed before the run.",
            help="**N**, the number of attempts: candidates made, one from a seed each. It is "
            "fixed beforehand, and each attempt that looks at a seed costs privacy, whether its "
            "candidate is released or not.",
        ),
        kind=Whole(Scale(1, 1e7)),
        group=CANDIDATES,
        places=(Place("attempts", "attempts"),),
        unit="N",
        option=Option(
            "How many candidates are made and tested, each paid for; with releases, how many "
            "records are released (default 5000)."
        ),
        variants=(
            (
                holds("protocol", "releases"),
                Words(
                    sign="m",
                    label="records to release",
                    meaning="Fixed before the run.",
                    help="How many records are released, fixed beforehand. Attempts are made until "
                    "so many have passed; each released record costs privacy, and how many "
                    "attempts it took is not told.",
                ),
            ),
            (
                rows_only,
                Words(
                    label="Rows in the synthetic table",
                    meaning="All drawn from the model. Any other number would cost the same.",
                    help="How many rows the synthetic table is to have. They are all drawn from "
                    "the one model, so that more of them cost nothing more.",
                ),
            ),
            (
                holds("protocol", "attempts"),
                Words(
                    sign="N",
                    label="attempts",
                    meaning="Fixed before the run.",
                ),
            ),
        ),
    ),
    Field(
        name="pass_floor",
        words=Words(
            sign="Pass floor",
            label="share sure to pass",
            meaning="The share of attempts that is sure to pass, declared before the run.",
            help="A share of the attempts that is sure to pass whatever records are in the table, "
            "declared before the run and without looking at it. The promise counts on it. A run "
            "that falls clearly under it stops and releases nothing, and its budget is spent.",
        ),
        kind=Share(),
        group=CANDIDATES,
        places=(Place("pass_floor", "pass_floor"),),
        unit="share",
        option=Option(
            "With releases: a share of the attempts that is sure to pass whatever the table, such "
            "as 0.1. A run that falls under it stops and releases nothing."
        ),
        applies=holds("protocol", "releases"),
        usual=0.1,
        only_where_used=True,
    ),
)


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
        applies=is_tested,
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
        applies=is_tested,
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
        applies=is_tested,
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
