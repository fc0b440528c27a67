"""Every explanation on the page, in one place, for a reader who has never met ε."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from engine.charts.settings import MODELS as MODELS
from engine.charts.settings import SETTINGS as SETTINGS
from engine.charts.settings import TESTS as TESTS
from engine.charts.settings import ranged as ranged
from engine.charts.settings import setting as setting
from engine.core.numerals import FIXED as FIXED
from engine.core.numerals import count as count
from engine.core.numerals import delta as delta
from engine.core.numerals import epsilon as epsilon
from engine.core.numerals import one_in as one_in
from engine.core.numerals import percent as percent
from engine.core.numerals import without_leading_zeros
from engine.core.visible import visible
from engine.ledger.words import downwards
from engine.mechanisms.seedbased.plan import Plan
from engine.privacy import wording
from engine.privacy.budget import DELTA, Budget

_MARKDOWN = re.compile(r"([\\`*_{}\[\]<>#$~^|&]|:(?=\w)|^[-+])")


def plain(text: str) -> str:
    """Text from a file, shown letter by letter where Markdown would read signs in it, or where a
    letter would not be seen."""
    return unbroken(_MARKDOWN.sub(r"\\\1", visible(" ".join(text.split()))))


def unbroken(text: str) -> str:
    """The text with every number on the same line as its sign for per cent."""
    return re.sub(r"(?<=\d) %", f"{FIXED}%", text)


HELP: Final[Mapping[str, str]] = {
    "epsilon": f"**ε** (epsilon). {wording.EPSILON}",
    "delta": f"**δ** (delta). {DELTA}",
    "k": (
        "**k** is how many records must be plausible seeds: records that could have made the "
        "candidate about as likely as its own seed did. A larger k hides each record among "
        "more others, and fewer candidates pass."
    ),
    "gamma": (
        "**γ** (gamma) says what “about as likely” means: two records count as equally "
        "plausible when their chances lie within this factor. It has to be more than 1. Where "
        "ω is fixed or announced, plausible seeds are equally likely and γ changes nothing."
    ),
    "epsilon0": (
        "**ε0** is the part of ε spent on blurring k: each test adds noise of scale 1/ε0 to it. "
        "A smaller ε0 costs less and asks for a larger k."
    ),
    "omega": (
        "**ω** (omega) is how many columns of a candidate are drawn afresh from the model, the "
        "last ones in dependency order. The others are copied from its seed. With all columns "
        "drawn afresh (seedless) nothing is copied, every candidate passes, and the seeds cost "
        "nothing."
    ),
    "reading": (
        "Hidden: each attempt draws its ω and nobody learns it, so the test weighs all of them. "
        "Announced: attempts take the values in turn, everybody may know, and γ counts as 1."
    ),
    "test": (
        "Both ask whether enough other records could have made the candidate. **Relative "
        "sensitivity** counts every seed that makes it no more likely than its own seed does, "
        "weighted by how likely; **plausible deniability** counts only those about as likely, "
        "within the factor γ. The first counts more, and its ε has ln(1 + 1/t) where the other "
        "has ln(1 + γ/t), so it usually passes more at the same ε. Where ω is fixed or announced "
        "the two come to the same."
    ),
    "protocol": (
        "What somebody who reads the release may come to know. **Every attempt**: how many were "
        "made and how many released nothing may be published too. **The records only**: exactly "
        "as many as you ask for are released, and how many attempts that took, or how long, "
        "stays with you."
    ),
    "pass_floor": (
        "A share of the attempts that is sure to pass whatever records are in the table, "
        "declared before the run and without looking at it. The promise counts on it. A run "
        "that falls clearly under it stops and releases nothing, and its budget is spent."
    ),
    "records_per_person": (
        "The most records that one person may have in the table. The promise is then for all of "
        "them together, and costs more than for one."
    ),
    "attempts": (
        "**N**, the number of attempts: candidates made, one from a seed each. It is fixed "
        "beforehand, and each attempt that looks at a seed costs privacy, whether its "
        "candidate is released or not."
    ),
    "records": (
        "How many records are released, fixed beforehand. Attempts are made until so many have "
        "passed; each released record costs privacy, and how many attempts it took is not told."
    ),
    "kept": (
        "Each candidate starts from a real record, its seed: so many columns are copied from it, "
        "and the rest are drawn afresh from the model. The more are copied, the more a candidate "
        "is like a record that exists, and the fewer other records could have made it. 0 copies "
        "nothing (seedless). ω counts the columns drawn afresh: all but those copied."
    ),
    "records_at_least": (
        "A number of records that everybody may know the table has at least: from a publication, "
        "or because it covers a known population. It says beforehand how near each plan will come, "
        "and how many seeds can be counted on."
    ),
    "public_records": (
        "A number of records that everybody may know the table has at least, with or without any "
        "one person: from a publication, or because it covers a known population. Not a number "
        "you counted. A plan that looks at seeds counts on it, and the statement calls it public "
        "knowledge because you say so here."
    ),
    "rows": (
        "How many rows the synthetic table is to have. They are all drawn from the one model, so "
        "that more of them cost nothing more."
    ),
    "seeds_at_least": (
        "How many seed records are counted on. The promise about rejected candidates rests on "
        "it. Each record becomes a seed by a coin, so the table must be publicly known to have a "
        "few times as many records; the number is under “How the total comes about”."
    ),
    "model_epsilon": (
        "What learning the model may spend, in all. The published network spends as much on "
        "learning which columns depend on which as on learning how; the two look at different "
        "records, so the larger counts, not the sum."
    ),
    "t": (
        "**t** stands in the proof only and changes nothing in a run: a larger t states a "
        "smaller ε with a larger δ. Automatic takes the t with the smallest total ε."
    ),
    "pass_cap": (
        "**ρ** (rho) is the share of passing candidates turned down all the same, by a coin "
        "that looks at nothing. It lets the promise cover rejections, so that the number of "
        "attempts and of released records may be published."
    ),
    "shares": (
        "Each record goes to one of four parts by a coin of its own: seeds for candidates, "
        "records that show which columns depend on which, records that show how, and records "
        "held out to compare with. The calibrated model is learned from the two middle parts "
        "together. A plan that copies nothing needs no seeds."
    ),
    "sampling": (
        "Only if the table is itself a secret random sample: each member of a population got in "
        "independently with this chance, and nobody knows who did. A second, smaller figure then "
        "speaks of whether somebody is a member of the population. What is promised to whoever is "
        "in the table stays the same."
    ),
    "deterministic": (
        "Every candidate with k plausible seeds passes and no other, without noise. There is "
        "then no ε and no δ: nothing is promised about a single record."
    ),
    "noiseless": (
        "The model is learned from the exact counts, to see what the noise costs. Nothing is "
        "then promised."
    ),
    "estimate": (
        "The mean of what the noisy counts suggest, or one draw from what they leave open. Both "
        "cost the same."
    ),
    "kind": (
        "**Calibrated** buys each piece of knowledge for its price (single columns, which columns "
        "go together, the pairs where it is still off) and fits one model to all of it: the "
        "closest for what it costs. **Published network** is the procedure of the literature, to "
        "compare with. **Independent columns** is simple, cheap, and blind to any relation between "
        "columns: best only where there are too few records for more. A model **of another "
        "package** that is installed beside Understudy is taken on its own word."
    ),
    "policies": (
        "What becomes of values that the schema does not name: stop with a message, count them "
        "as missing (where missing is allowed), or move numbers to the nearest allowed one."
    ),
}

LABELS: Final[Mapping[str, str]] = {
    "test": "How plausible seeds are counted",
    "protocol": "What a reader will see",
    "pass_floor": "Pass floor · share sure to pass",
    "records_per_person": "Records per person, at most",
    "records": "m · records to release",
    "records_at_least": "Records in the table, at least",
    "public_records": "Records publicly known to be in the table, at least",
    "rows": "Rows in the synthetic table",
    "k": "k · plausible seeds needed",
    "gamma": "γ · how alike “plausible” is",
    "epsilon0": "ε0 · spent on blurring k",
    "omega": "ω · columns drawn afresh",
    "attempts": "N · attempts",
    "delta": "δ · what is added",
    "seeds_at_least": "Seed records, at least",
    "model_epsilon": "ε of the model",
    "t": "t · where the proof splits ε and δ",
    "sampling": "Chance of having got into the table",
}

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

COUNTED: Final[Mapping[str, str]] = {"attempts": "attempt", "releases": "record"}
"""What is counted and composed under each protocol."""

PURPOSES: Final[Mapping[str, str]] = {
    "table": "A whole table",
    "alike": "Records like given ones",
}
"""What a synthetic table is for."""

SERVES: Final[Mapping[str, str]] = {
    "table": "It stands in for the confidential table as a whole, with as many rows as you like, "
    "at one total ε.",
    "alike": "A sub-population, or rows that each resemble a record that exists: each row is made "
    "from a real one, and tested.",
}
"""What each purpose is, in a sentence."""

COMPARED: Final = (
    "Off by noise, for the same budget, from public numbers alone. “All pairs” is the mean over "
    "all pairs of columns, with those that nothing is counted of taken to be as far off as columns "
    "of a census are from being independent. For the published network it is as if every column "
    "had one parent and it were the right one; noise on its choice of parents, which is large, "
    "comes on top."
)

KINDS: Final[Mapping[str, str]] = {
    "categories": "Categories",
    "integers": "Whole numbers",
    "numbers": "Numbers with decimals",
}

POLICIES: Final[Mapping[str, str]] = {
    "refuse": "Stop and tell me",
    "missing": "Treat as missing",
    "clip": "Move to the nearest allowed value",
}

BUCKETS: Final[Mapping[str, str]] = {
    "each": "Each value by itself",
    "width": "Equal widths",
    "cuts": "Cut points",
    "groups": "Groups of values",
}

STATES: Final[Mapping[str, str]] = {
    "starting": "Starting",
    "splitting": "Dealing records into parts",
    "learning": "Learning the model",
    "attempting": "Making and testing candidates",
    "evaluating": "Measuring what was kept and lost",
    "finished": "Finished",
    "cancelled": "Cancelled",
    "failed": "Stopped",
}

OUTCOMES: Final[Mapping[str, str]] = {
    "planned": "planned",
    "running": "running",
    "released": "released",
    "failed": "stopped",
    "cancelled": "cancelled",
    "abandoned": "abandoned",
}
"""What became of a run, as the ledger knows it."""

WHICH_TEST: Final = (
    "Relative sensitivity usually wins: it counts every seed that makes the candidate no more "
    "likely than its own seed does, weighted, where plausible deniability counts only those in "
    "the same γ-bucket; and its ε has ln(1 + 1/t) in place of ln(1 + γ/t). With as many columns "
    "copied in every attempt, as here, all plausible seeds are equally likely, and the two come "
    "to the same."
)

ALL_PASS: Final = (
    "All of them. This plan copies nothing from a record, so there is nothing to test: every row "
    "that the model draws is released, and there is no pass rate to rehearse."
)

EXPLORED: Final = (
    "The plan in use copies nothing, so nothing of it is tested, and its number of rows costs "
    "nothing: only ε of its model can be traded, and the Privacy page says beforehand how near "
    "each ε comes. To see what copying columns and testing would bring, this page goes by a plan "
    "that sets some records aside as seeds. Nothing changes unless you adopt a point."
)

INTERNAL: Final = (
    "Computed from confidential records without noise. For your eyes; it is in no file that "
    "Understudy offers for release."
)

PUBLIC_KNOWLEDGE: Final = (
    "What these columns may contain, how they are bucketed and how the file is read is public "
    "knowledge: it comes from a form, a codebook or common sense, and would be the same whoever is "
    "in this table."
)

TUNING: Final = (
    "Settings chosen by looking at your own table are not covered by the guarantee: the choice "
    "itself can show something. Tune on the sample census or on public data of the same shape, "
    "then carry the plan file over. Settings adopted from a chart of your own table say so, in the "
    "plan and in the statement of the release."
)

UNFORESEEN: Final = (
    "Something went wrong that this page did not foresee. Nothing was released and nothing "
    "further was spent. Go back a step and try again; if it happens once more, please report "
    "what you had just done, without any value from the table."
)


def left(value: float) -> str:
    """An ε that is left to spend, never overstated."""
    return without_leading_zeros(downwards(value))


def budget(value: Budget) -> str:
    """An (ε, δ) in a line."""
    if not value.bounded:
        return "nothing promised"
    return f"ε = {epsilon(value.epsilon)}, δ = {delta(value.delta)}"


def counted(protocol: str, number: int) -> str:
    """So many attempts, or records under the protocol that hides the attempts."""
    return count(number, COUNTED[protocol])


def planned(plan: Plan) -> str:
    """How much a plan makes: attempts or records, or rows where nothing is made from a seed."""
    if plan.shares.seeds == 0:
        return count(plan.attempts, "row")
    return counted(plan.protocol, plan.attempts)
