"""What of the ledger goes with a release: what it cost, what was spent in all, what was allowed.

Left out: the fingerprints of tables, what the dataset is called in the ledger (as a rule the name
of a confidential file), when anything happened, what became of other runs, and which other tables
were compared with these and found alike, as that is computed from confidential records.

The statement of a run is made from its plan alone, and counts that run alone. A packet is made
later and knows from the ledger of all runs. Wherever it says how much one release may tell a
reader, it says the same of all of them together.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any, Final, final

from understudy.core import numerals
from understudy.core.refusal import Refusal
from understudy.ledger.book import Book
from understudy.ledger.events import Debited
from understudy.mechanisms.statement import bind_release
from understudy.privacy import wording
from understudy.privacy.budget import Budget, Neighbours
from understudy.privacy.strength import AMOUNTS_TO, strength

_HASH: Final = re.compile(r"[0-9a-f]{64}")
_FIELDS: Final = {"debit", "dataset", "released_sha256", "head"}
_DATASET: Final = {
    "spent",
    "spent_between_populations",
    "budget",
    "neighbours",
    "runs",
    "runs_that_promise_nothing",
    "tables",
}


@final
@dataclass(frozen=True)
class LedgerExtract:
    """One run in the ledger, and the balance of its dataset when the packet was made.

    Attributes:
        debit: what was put down about the run before it drew its first random number.
        spent: the plain sum over all runs on the dataset, between tables that differ in the
            records of one person; unbounded where nothing is promised to a person with so many
            records.
        population: the same between populations of which the table is a secret sample; None where
            a run does not claim that, or nothing is promised.
        budget: what may be spent on the dataset; None where nothing was set.
        neighbours: how the tables differ that `spent` is about.
        runs: how many runs were paid for, this one included.
        unpromised: how many of them promise nothing, which no total can hold.
        tables: on how many tables they were, all of the same people as the custodian said; those
            said to be of other people are not counted.
        released_sha256: what binds all outputs that the run put down as released: the hash of the
            file where there is one, of a list of hashes where there are several; see `bound`.
        head: the last hash of the ledger, from which whoever is shown the ledger later can tell
            that nothing before it was changed.
    """

    debit: Debited
    spent: Budget
    population: Budget | None
    budget: Budget | None
    neighbours: Neighbours
    runs: int
    unpromised: int
    tables: int
    released_sha256: str
    head: str

    def __post_init__(self) -> None:
        exact = (
            type(self.debit) is Debited
            and type(self.spent) is Budget
            and type(self.population) in (Budget, type(None))
            and type(self.budget) in (Budget, type(None))
            and type(self.neighbours) is Neighbours
            and type(self.runs) is int
            and type(self.unpromised) is int
            and type(self.tables) is int
        )
        if not exact or not all(map(_is_hash, (self.released_sha256, self.head))):
            raise TypeError("a ledger extract holds a debit, budgets, counts and hashes only")
        # Whatever a debit was made with that its own check would not let in stays out.
        object.__setattr__(self, "debit", Debited.read(self.debit.body()))

    @classmethod
    def of(cls, book: Book, run: str, outputs: Sequence[str]) -> LedgerExtract:
        """Return what the book says about a run.

        Args:
            book: all of the ledger.
            run: the run's name.
            outputs: the names of its outputs.

        Raises:
            Refusal: the ledger does not know the run, or not that it released these.
        """
        found = book.runs.get(run)
        if found is None:
            raise Refusal(
                f"The ledger does not know the run “{run}”, so it cannot be shown what it cost.",
                "Make the packet where the run was made, with the ledger of that home folder.",
                field="run",
            )
        there = {PurePath(name).stem: sha256 for name, sha256 in found.artefacts.items()}
        if found.state != "released" or not set(outputs) <= set(there):
            raise Refusal(
                f"The ledger does not say that the run “{run}” released these outputs.",
                "Choose a run that has finished.",
                field="run",
            )
        balance = book.balance(book.datasets[found.dataset])
        return cls(
            found.debit,
            balance.spent,
            balance.population,
            balance.dataset.budget,
            balance.neighbours,
            balance.runs,
            balance.unpromised,
            len(balance.dataset.fingerprints),
            bind_release({name: there[name] for name in outputs}),
            book.head,
        )

    def as_dict(self) -> dict[str, Any]:
        """Return the extract, ready for JSON."""
        return {
            "debit": self.debit.body(),
            "dataset": {
                "spent": self.spent.as_dict(),
                "spent_between_populations": None
                if self.population is None
                else self.population.as_dict(),
                "budget": None if self.budget is None else self.budget.as_dict(),
                "neighbours": str(self.neighbours),
                "runs": self.runs,
                "runs_that_promise_nothing": self.unpromised,
                "tables": self.tables,
            },
            "released_sha256": self.released_sha256,
            "head": self.head,
        }

    @classmethod
    def read(cls, said: Any) -> LedgerExtract:
        """Read what `as_dict` wrote.

        Raises:
            Refusal: it is something else.
        """
        try:
            dataset = said["dataset"]
            if set(said) != _FIELDS or set(dataset) != _DATASET:
                raise ValueError
            budget, population = dataset["budget"], dataset["spent_between_populations"]
            return cls(
                Debited.read(said["debit"]),
                _budget(dataset["spent"]),
                None if population is None else _budget(population),
                None if budget is None else _budget(budget),
                Neighbours(dataset["neighbours"]),
                dataset["runs"],
                dataset["runs_that_promise_nothing"],
                dataset["tables"],
                said["released_sha256"],
                said["head"],
            )
        except (KeyError, TypeError, ValueError):
            raise Refusal(
                "The ledger extract is not of the form that Understudy writes.",
                "Get the packet again from whoever made it.",
                field="ledger",
            ) from None


def _is_hash(text: Any) -> bool:
    return type(text) is str and _HASH.fullmatch(text) is not None


def _budget(said: Mapping[str, Any]) -> Budget:
    if set(said) != {"epsilon", "delta"}:
        raise ValueError
    if said["epsilon"] is None:
        return Budget.unbounded()
    return Budget(float(said["epsilon"]), float(said["delta"]))


ALONE = "The ledger knows no other run on these data."


def cumulative_sentences(extract: LedgerExtract) -> str | None:
    """Return how much all releases from the same records may tell a reader; None for the only
    one."""
    if extract.runs == 1:
        return None
    runs = f"The ledger knows {numerals.count(extract.runs - 1, 'other run')} on the same data."
    if extract.unpromised:
        verb = "promise" if extract.unpromised > 1 else "promises"
        return (
            f"{runs} Nothing bounds what all of them together show, as {extract.unpromised:,} of "
            f"the {extract.runs:,} {verb} nothing."
        )
    if not extract.spent.bounded:
        return (
            f"{runs} Nothing bounds what all of them together show, as their sum promises nothing "
            "to a person who has so many records."
        )
    return (
        f"{runs} All {extract.runs:,} together come to "
        f"{spell_budget(extract.spent)}{_between(extract)}. For somebody who reads what "
        "all of them released, this stands in place of what is said of this table "
        f"alone: {_belief(extract)} "
        f"{AMOUNTS_TO[strength(extract.spent)]}"
    )


def _belief(extract: LedgerExtract) -> str:
    return wording.belief_sentence(
        extract.spent, of=wording.ALL_RELEASES, neighbours=extract.neighbours
    )


def _between(extract: LedgerExtract) -> str:
    """Between which tables, where those are not the usual ones."""
    if extract.neighbours is Neighbours.TABLES:
        return ""
    return f" between {extract.neighbours.describe_inputs(1)}"


def spell_budget(budget: Budget) -> str:
    """Return an (ε, δ) in words, rounded up."""
    if not budget.bounded:
        return "more than any ε"
    return f"ε = {numerals.epsilon(budget.epsilon)}, δ = {numerals.delta(budget.delta)}"
