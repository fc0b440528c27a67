"""Datasets, runs and balances, computed from the chain of events. None of it is stored."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from types import MappingProxyType

from understudy.ledger.chain import GENESIS, Link
from understudy.ledger.events import (
    ENDED,
    Budgeted,
    Debited,
    Event,
    Noted,
    Opened,
    Recognised,
    Released,
    Resumed,
    State,
    read_event,
    read_moment,
)
from understudy.ledger.likeness import Sketch
from understudy.ledger.totals import (
    Spend,
    add_up,
    add_up_population,
    compose_fixed,
    find_neighbours,
    fits_budget,
    share_total,
    total_alone,
)
from understudy.privacy.budget import Budget, Neighbours


@dataclass(frozen=True)
class PeopleStatement:
    """What the custodian says of a table that the ledger has not seen.

    Attributes:
        new: that nobody in it is in a table that was seen before.
        same: that its people are those of the dataset it is presented as, or some of them are.
        reason: why they are not those of a table that looks alike; "" where nothing was said.
    """

    new: bool = False
    same: bool = False
    reason: str = ""


@dataclass(frozen=True)
class Dataset:
    """The records of some people, in whatever file they come.

    Attributes:
        id: what it is called in the chain.
        name: what people call it.
        budget: what the custodian allows to be spent on it; None where nothing was set.
        neighbours: how the tables differ between which that is allowed.
        fingerprints: of the tables known to be of it.
        table: the fingerprint of the table at hand, where there is one.
        sketch: what a table that is nearly the same is known by. Secret.
        said: what the custodian says of the table at hand.
    """

    id: str
    name: str
    budget: Budget | None = None
    neighbours: Neighbours = Neighbours.TABLES
    fingerprints: frozenset[str] = frozenset()
    table: str | None = None
    sketch: Sketch | None = field(default=None, repr=False, compare=False)
    said: PeopleStatement = PeopleStatement()


@dataclass(frozen=True)
class Run:
    """A run that was paid for.

    Attributes:
        id: its name, which is that of its folder.
        dataset: the id of what it was run on.
        debit: what was paid.
        planned: when.
        state: what is known to have become of it.
        changed: since when.
        artefacts: SHA-256, in hex, of each released file, by its name.
        resumed: how often it went on after its process was gone.
    """

    id: str
    dataset: str
    debit: Debited
    planned: datetime
    state: State
    changed: datetime
    artefacts: Mapping[str, str] = field(default_factory=dict)
    resumed: int = 0

    @property
    def ended(self) -> bool:
        """Whether nothing more will happen to it."""
        return self.state in ENDED

    @property
    def promised(self) -> Budget | None:
        """What it promises one person by itself; None where it promises nothing."""
        spend = self.debit.spend
        return None if spend is None else total_alone(spend)


@dataclass(frozen=True)
class Balance:
    """What was spent on one dataset, whatever became of the runs.

    Attributes:
        dataset: it.
        spends: what each run that promises something adds.
        unpromised: how many further runs promise nothing, which no total can hold.
    """

    dataset: Dataset
    spends: tuple[Spend, ...] = ()
    unpromised: int = 0

    @property
    def runs(self) -> int:
        """How many runs were paid for."""
        return len(self.spends) + self.unpromised

    @property
    def neighbours(self) -> Neighbours:
        """How the tables differ that the totals are about: in records added or removed, or where
        a run promises nothing about those, in records replaced."""
        return find_neighbours(self.spends)

    @property
    def spent(self) -> Budget:
        """The plain sum between tables that differ by the records of one person, which holds
        however the settings of later runs were chosen. Unbounded where nothing is promised to a
        person with so many records."""
        return add_up(self.spends)

    @property
    def population(self) -> Budget | None:
        """The same between populations that differ by one member; None where a run does not claim
        that the table is a secret sample of one, or nothing is promised."""
        return add_up_population(self.spends)

    @property
    def fixed_beforehand(self) -> Budget:
        """What the runs would come to, had all settings been fixed before the first: at the δ of
        the budget or, without one, at that of the plain sum."""
        budget, spent = self.dataset.budget, self.spent
        if not spent.bounded:
            return spent
        return compose_fixed(self.spends, spent.delta if budget is None else budget.delta)

    @property
    def left(self) -> float | None:
        """The ε up to the budget, 0 where its δ is spent; None without a budget."""
        budget, spent = self.dataset.budget, add_up(self.spends, self.dataset.neighbours)
        if budget is None:
            return None
        if not spent.bounded or spent.delta > budget.delta:
            return 0.0
        return max(0.0, budget.epsilon - spent.epsilon)

    def fits(self, budget: Budget, allowed: Neighbours | None = None) -> bool:
        """Return whether what was spent stays within a budget.

        Args:
            budget: it.
            allowed: between which tables it is allowed; those of the dataset's own if left out.
        """
        return fits_budget(self.spends, budget, allowed or self.dataset.neighbours)

    def adding(self, spend: Spend | None) -> Balance:
        """Return the balance as it would be with one run more; None for a run that promises
        nothing."""
        if spend is None:
            return replace(self, unpromised=self.unpromised + 1)
        return replace(self, spends=(*self.spends, spend))


@dataclass(frozen=True)
class Book:
    """The state of the ledger after all of its events.

    Attributes:
        datasets: by id, in the order in which they were first heard of.
        runs: by name, oldest first.
        tables: which dataset a fingerprint belongs to.
        key: the mark of the key that the fingerprints were made with; None in an empty book.
        events, head: how long the chain is, and its last hash.
    """

    datasets: Mapping[str, Dataset] = field(default_factory=dict)
    runs: Mapping[str, Run] = field(default_factory=dict)
    tables: Mapping[str, str] = field(default_factory=dict)
    key: str | None = None
    events: int = 0
    head: str = GENESIS

    def find_dataset(self, name: str) -> Dataset | None:
        """Return the dataset of a name, capitals or not; None if there is none."""
        wanted = name.strip().casefold()
        found = (each for each in self.datasets.values() if each.name.casefold() == wanted)
        return next(found, None)

    def recognise_dataset(self, dataset: Dataset) -> Dataset | None:
        """Return the dataset that one presented here turns out to be; None if it is new.

        The cautious rule: the one that has this very table; else the very one; else the one of
        the same name.
        """
        by_table = self.tables.get(dataset.table or "", dataset.id)
        return self.datasets.get(by_table) or self.find_dataset(dataset.name)

    def has_people(self, dataset: Dataset) -> bool:
        """Return whether a dataset is more than a name: it has a table, or a run was paid for."""
        return bool(dataset.fingerprints) or bool(self.runs_of(dataset))

    def runs_of(self, dataset: Dataset) -> tuple[Run, ...]:
        """Return the runs on a dataset, newest first."""
        found = [run for run in self.runs.values() if run.dataset == dataset.id]
        return tuple(reversed(found))

    def run_shares(self, dataset: Dataset) -> Mapping[str, Budget]:
        """Return what each run adds to the total of a dataset, by the run's name. It is more than
        the run promises by itself if another run is about other neighbours, or about more records
        per person. Runs that promise nothing add nothing."""
        runs = {run.id: run.debit.spend for run in self.runs_of(dataset)}
        spends = {name: spend for name, spend in runs.items() if spend is not None}
        found = list(spends.values())
        return dict(zip(spends, share_total(found, find_neighbours(found)), strict=True))

    def balance(self, dataset: Dataset) -> Balance:
        """Return what was spent on a dataset, which may be new."""
        found = self.recognise_dataset(dataset) or dataset
        spends = [run.debit.spend for run in self.runs_of(found)]
        promised = tuple(spend for spend in reversed(spends) if spend is not None)
        return Balance(found, promised, len(spends) - len(promised))

    @property
    def balances(self) -> tuple[Balance, ...]:
        """The balance of every dataset."""
        return tuple(self.balance(dataset) for dataset in self.datasets.values())

    @property
    def unended(self) -> tuple[Run, ...]:
        """The runs of which the end is not known, oldest first."""
        return tuple(run for run in self.runs.values() if not run.ended)


def fold(links: Iterable[Link]) -> Book:
    """Read a chain from its first link to its last.

    Raises:
        Refusal: an event is of a kind that this version does not know.
    """
    folding = _Folding()
    for link in links:
        folding.take(link, read_event(link))
    return folding.book()


class _Folding:
    """A book in the making."""

    def __init__(self) -> None:
        self._datasets: dict[str, Dataset] = {}
        self._runs: dict[str, Run] = {}
        self._tables: dict[str, str] = {}
        self._key: str | None = None
        self._events, self._head = 0, GENESIS

    def take(self, link: Link, event: Event) -> None:
        self._events, self._head = link.seq, link.hash
        dataset, run = link.dataset or "", link.run or ""
        match event:
            case Opened():
                self._key = event.key
            case Recognised():
                self._recognise(dataset, event)
            case Budgeted():
                found = self._datasets[dataset]
                self._datasets[dataset] = replace(
                    found, budget=event.budget, neighbours=event.neighbours
                )
            case Debited():
                at = read_moment(link)
                self._runs[run] = Run(run, dataset, event, at, "planned", at)
            case Noted():
                self._note(run, event, read_moment(link))

    def _recognise(self, dataset: str, event: Recognised) -> None:
        found = self._datasets.setdefault(dataset, Dataset(dataset, event.name))
        if event.fingerprint is None:
            return
        more = found.fingerprints | {event.fingerprint}
        self._datasets[dataset] = replace(found, fingerprints=more)
        self._tables[event.fingerprint] = dataset

    def _note(self, run: str, event: Noted, at: datetime) -> None:
        before = self._runs[run]
        artefacts = event.artefacts if isinstance(event, Released) else {}
        self._runs[run] = replace(
            before,
            state=event.state,
            changed=at,
            artefacts=MappingProxyType(dict(artefacts)),
            resumed=before.resumed + isinstance(event, Resumed),
        )

    def book(self) -> Book:
        return Book(
            MappingProxyType(self._datasets),
            MappingProxyType(self._runs),
            MappingProxyType(self._tables),
            self._key,
            self._events,
            self._head,
        )
