"""Labels, help and sentences that several pages show."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from understudy.core.numerals import FIXED as FIXED
from understudy.core.numerals import count as count
from understudy.core.numerals import delta as delta
from understudy.core.numerals import epsilon as epsilon
from understudy.core.numerals import one_in as one_in
from understudy.core.numerals import percent as percent
from understudy.core.numerals import print_range as print_range
from understudy.core.numerals import round_down, without_leading_zeros
from understudy.core.text_escape import escape_invisible
from understudy.mechanisms.mechanism import PlannedRun
from understudy.mechanisms.outputs import read_of
from understudy.privacy import wording
from understudy.privacy.accounting.guarantee import Guarantee
from understudy.privacy.budget import DELTA, Budget, Neighbours
from understudy.privacy.strength import AMOUNTS_TO, Strength, strength
from understudy.table.people import People

_MARKDOWN = re.compile(r"([\\`*_{}\[\]<>#$~^|&]|:(?=\w)|^[-+])")


def escape(text: str) -> str:
    """Return a text from a file, shown letter by letter where Markdown would read signs in it, or
    where a letter would not be seen."""
    return keep_together(_MARKDOWN.sub(r"\\\1", escape_invisible(" ".join(text.split()))))


def keep_together(text: str) -> str:
    """Return the text with every number on the same line as its sign for per cent."""
    return re.sub(r"(?<=\d) %", f"{FIXED}%", text)


HELP: Final[Mapping[str, str]] = {
    "epsilon": f"**ε** (epsilon). {wording.EPSILON}",
    "delta": f"**δ** (delta). {DELTA}",
    "pass_cap": (
        "**ρ** (rho) is the share of passing candidates turned down all the same, by a coin "
        "that looks at nothing. It lets the promise cover rejections, so that the number of "
        "attempts and of released records may be published."
    ),
}
"""What figures mean that nobody sets; of a setting, its field says it."""

COUNTED: Final[Mapping[str, str]] = {"attempts": "attempt", "releases": "record"}
"""What is counted and composed under each protocol."""

COMPARED: Final = (
    "How far each is off by noise, for the same budget, from public numbers alone. “All pairs” is "
    "the mean over all pairs of columns; a pair of which nothing is counted is taken to be as far "
    "off as columns of a census are from being independent. The published network is taken to have "
    "one parent a column, and the right one; the noise on its choice of parents, which is large, "
    "comes on top."
)

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
    "attempting": "Making records",
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

INTERNAL: Final = (
    "Computed from confidential records without noise. For your eyes; it is in no file that "
    "Understudy offers for release."
)

PUBLIC_KNOWLEDGE: Final = (
    "What these columns may contain, how they are bucketed and how the file is read is public "
    "knowledge: it comes from a form, a codebook or common sense, and would be the same whoever is "
    "in this table."
)
PUBLIC_DERIVATIONS: Final = (
    " So are the formulas of derived columns, with their cuts and lists: none was read off the "
    "table."
)
PUBLIC_TOTALS: Final = " So are the known totals, published where I named."
PUBLIC_RULES: Final = " So are the rules, each known from the source that I named."

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


def show_left(value: float) -> str:
    """Return an ε that is left to spend, never overstated."""
    return without_leading_zeros(round_down(value))


def format_budget(value: Budget) -> str:
    """Return an (ε, δ) in a line."""
    if not value.bounded:
        return "nothing promised"
    return f"ε = {epsilon(value.epsilon)}, δ = {delta(value.delta)}"


def format_counted(protocol: str, number: int) -> str:
    """Return how many attempts, or records under the protocol that hides the attempts."""
    return count(number, COUNTED[protocol])


def explain_total(
    total: Budget,
    records_per_person: int | None = 1,
    neighbours: Neighbours = Neighbours.TABLES,
    of: wording.WordedPromise = wording.THIS_TABLE,
) -> str:
    """Return what a total says: what a board asks first, how much that is, and ε and δ."""
    if not total.bounded:
        return AMOUNTS_TO[Strength.NONE]
    return keep_together(wording.promise_sentence(total, records_per_person, neighbours, of))


def describe_promise(decided: PlannedRun) -> str:
    """Return what a total says, of all that a plan releases."""
    found, of = decided.guarantee, read_of(decided.outputs)
    return explain_total(found.total, found.records_told, found.neighbours, of)


def split_paragraphs(statement: str) -> str:
    """Return a statement with what ε and δ mean in a paragraph of its own, after what a board
    asks."""
    return statement.replace(f" {_FORMALLY}", f"\n\n{_FORMALLY}", 1)


_FORMALLY: Final = "The probability of any conclusion"


def describe_population(population: Budget | None) -> str | None:
    """Return what is promised to members of a population; None where the table is no sample of
    one."""
    if population is None:
        return None
    return (
        f"As the table is a secret sample, {format_budget(population)} between populations, "
        "for those who do not know whom it took in. That says nothing about who is in the table."
    )


def describe_neighbours(found: Guarantee) -> str:
    """Return between which tables a total holds, as a sentence."""
    return f"It compares {found.compared}."


def warn_large(total: Budget, advice: str = "Spend less.") -> str | None:
    """Return what to say, and advise, where a total promises next to nothing.

    Args:
        total: it.
        advice: where it is the ε that is too large.
    """
    if not total.bounded or strength(total) is not Strength.VERY_WEAK:
        return None
    if strength(Budget(total.epsilon)) is not Strength.VERY_WEAK:
        return (
            f"With δ = {delta(total.delta)}, next to nothing is promised to any one person, "
            "whatever ε is: a release that shows more than ε by itself allows is not unlikely. "
            "Choose a smaller δ, such as 1e-9."
        )
    return (
        f"With ε = {epsilon(total.epsilon)} in all, next to nothing is promised to any one "
        "person: the release allows conclusions about them that would be all but impossible "
        "without their record. " + advice
    )


def describe_people(people: People) -> str:
    """Return a sentence on how many records of a person are kept, which the schema says."""
    most = count(people.records_at_most, "row")
    return (
        f"One person counts with {most} at most, as the Data page says, and the promise is for all "
        "of them together."
    )
