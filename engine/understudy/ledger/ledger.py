"""The ledger: debits, budgets and notes about runs, each written in one transaction."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from understudy.core.files import make_private
from understudy.core.refusal import Refusal
from understudy.ledger.book import Balance, Book, Dataset, PeopleStatement, fold
from understudy.ledger.chain import Checked, check_chain, to_lines
from understudy.ledger.events import (
    Budgeted,
    Debited,
    Noted,
    Opened,
    People,
    Recognised,
    event_follows,
)
from understudy.ledger.likeness import Likeness, Sketches, measure_likeness
from understudy.ledger.people import (
    Alike,
    OpenQuestions,
    find_open_questions,
    find_similar,
    refuse_not_new,
    refuse_other_dataset,
    require_answers,
)
from understudy.ledger.store import Store, Underway, Writing, load_key, mark_key
from understudy.ledger.words import check_budget, refuse_over_budget, refuse_too_small
from understudy.privacy.budget import Budget, Neighbours
from understudy.table.sources.cell_texts import AnyTable

_LONGEST_NAME = 200
_LONGEST_REASON = 2_000
_NOTHING_SAID = PeopleStatement()


@dataclass(frozen=True)
class Debit:
    """A run to be paid for.

    Attributes:
        run: its name.
        dataset: what it is run on, as `Ledger.identify` found it.
        what: its entry.
    """

    run: str
    dataset: Dataset
    what: Debited


class Ledger:
    """A ledger on disk, safe under several pages and processes at once.

    Args:
        path: of its file. Its key, the sketches of its tables, and the locks of the runs under way,
            lie beside it.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.underway = Underway(path.with_suffix(".underway"))
        self._store = Store(path)
        self._sketches = Sketches(path.with_suffix(".sketches"))

    def book(self) -> Book:
        """Return all that the ledger says; an empty book where there is none yet.

        Raises:
            Refusal: it cannot be read, or was changed from outside.
        """
        return fold(self._store.read())

    @property
    def head(self) -> str:
        """The hash of the last event: it changes whenever the ledger does.

        Raises:
            Refusal: it cannot be read.
        """
        return self._store.head()

    def likeness(self, table: AnyTable) -> Likeness:
        """Return the fingerprint and the sketch of a table. Only the key is written, if there is
        none yet.

        Raises:
            Refusal: the ledger cannot be used, its key is not the one it was begun with, or the
                table's file was changed meanwhile.
        """
        return measure_likeness(table, self._key(self.book().key))

    def identify(
        self,
        table: AnyTable | Likeness,
        name: str | None = None,
        *,
        dataset: str | None = None,
        said: PeopleStatement = _NOTHING_SAID,
    ) -> Dataset:
        """Return the dataset that a table belongs to. Nothing is written but, the first time, the
        key.

        The cautious rule: a table that was seen before belongs where it was; another of the same
        name belongs with it; else it is new, and its people have to be said to be.

        Args:
            table: the confidential table, or what it is known by.
            name: what it is called, such as its file's name without the suffix; None makes one up.
            dataset: the name of the dataset it belongs to, where somebody says so.
            said: what else is said of its people.

        Raises:
            Refusal: as of `measure_likeness`; another dataset is named for a table that was paid
                for as of one; or its people are said to be new, and a dataset of that name exists.
        """
        book = self.book()
        found = table if isinstance(table, Likeness) else self.likeness(table)
        print_ = found.fingerprint
        usual = f"table {print_[:6]}" if name is None else name
        fresh = Dataset(_fresh(), _name(dataset or usual), table=print_)
        known = book.recognise_dataset(fresh) or fresh
        if print_ in book.tables:
            if dataset is not None and known != book.find_dataset(fresh.name):
                raise refuse_other_dataset(known)
        elif said.new and book.has_people(known):
            raise refuse_not_new(known)
        said = replace(said, same=dataset is not None and not said.new)
        return replace(known, table=print_, sketch=found.sketch, said=said)

    def list_open_questions(self, dataset: Dataset) -> OpenQuestions | None:
        """Return what the custodian has still to say of a table before a debit; None if nothing.

        Args:
            dataset: what it is of, as `identify` found it.

        Raises:
            Refusal: as of `measure_likeness`.
        """
        return self._find_open_questions(self.book(), dataset)

    def debit(self, debit: Debit) -> Balance:
        """Pay for a run before it draws its first random number.

        Returns:
            The balance of its dataset, this run included.

        Raises:
            Refusal: it was not said whose records the table holds; the budget of the dataset
                would be exceeded, or cannot hold a run that promises nothing; the run was paid
                for already; or the ledger cannot be written. Nothing is spent then.
        """
        with self._writing() as writing:
            book = fold(writing.links)
            if debit.run in book.runs:
                raise Refusal(
                    f"The run “{debit.run}” was paid for already.", "Start a new run.", field="run"
                )
            require_answers(self._find_open_questions(book, debit.dataset))
            before = book.balance(debit.dataset)
            after = before.adding(debit.what.spend)
            budget = before.dataset.budget
            if budget is not None and not (debit.what.spend and after.fits(budget)):
                raise refuse_over_budget(before, debit.what.spend)
            dataset = self._recognise(writing, book, debit.dataset)
            writing.append(Debited.kind, debit.what.body(), dataset=dataset, run=debit.run)
            return fold(writing.links).balance(debit.dataset)

    def note(self, run: str, event: Noted) -> bool:
        """Record what became of a run.

        Returns:
            Whether it was news; see `follows`.

        Raises:
            Refusal: the ledger has no such run, or cannot be written.
        """
        with self._writing() as writing:
            found = fold(writing.links).runs.get(run)
            if found is None:
                raise Refusal(f"The ledger has no run “{run}”.", "Choose another.", field="run")
            if not event_follows(event, found.state):
                return False
            # How long a run took tells how many attempts it made, which this protocol hides.
            hidden = found.debit.protocol == "releases"
            writing.append(
                event.kind, event.body(), dataset=found.dataset, run=run, day_only=hidden
            )
            return True

    def budget(
        self, name: str, budget: Budget, neighbours: Neighbours = Neighbours.TABLES
    ) -> Balance:
        """Set the budget of a dataset; one that the ledger does not know is created under its name.

        Args:
            name: of the dataset.
            budget: what may be spent.
            neighbours: how the tables differ between which it may be.

        Runs that promised nothing before a budget was set do not stand in its way: no total
        holds them, and the balance tells their number.

        Raises:
            Refusal: the budget is not positive and finite, or more than that was spent already;
                or the ledger cannot be written.
        """
        check_budget(budget)
        presented = Dataset(_fresh(), _name(name))
        with self._writing() as writing:
            book = fold(writing.links)
            before = book.balance(presented)
            if not before.fits(budget, neighbours):
                raise refuse_too_small(before, budget, neighbours)
            dataset = self._recognise(writing, book, presented)
            event = Budgeted(epsilon=budget.epsilon, delta=budget.delta, neighbours=neighbours)
            writing.append(event.kind, event.body(), dataset=dataset)
            return fold(writing.links).balance(presented)

    def verify(self, head: str | None = None) -> Checked:
        """Check the chain from its first event to its last.

        Args:
            head: a last hash noted elsewhere, from which the chain must lead on.

        Raises:
            Refusal: it was changed from outside, or cannot be read.
        """
        return check_chain(self._store.read(), head)

    def export(self) -> str:
        """Return the chain as JSON lines, for `verify_export`. It holds neither the key nor
        anything that a guess of a table could be tested against.

        Raises:
            Refusal: as `book`.
        """
        return to_lines(self._store.read())

    @contextmanager
    def _writing(self) -> Iterator[Writing]:
        with self._store.writing() as writing:
            if not writing.links:
                writing.append(Opened.kind, Opened(key=mark_key(self._key(None))).body())
            yield writing

    def _recognise(self, writing: Writing, book: Book, presented: Dataset) -> str:
        """Return the id of a dataset, put down where it or its table is news. What the table is
        known by is kept before that, so that no table stands in the chain that is not known
        again."""
        known = book.recognise_dataset(presented)
        dataset = known or presented
        table = presented.table
        if table is not None and presented.sketch is not None:
            self._sketches.keep(table, presented.sketch, self._key(book.key))
        if known is None or (table is not None and table not in book.tables):
            event = self._recognition(book, presented, dataset)
            writing.append(event.kind, event.body(), dataset=dataset.id)
        return dataset.id

    def _recognition(self, book: Book, presented: Dataset, dataset: Dataset) -> Recognised:
        """Return what is put down of a table that is news, or of a name without one."""
        if presented.table is None:
            return Recognised(name=dataset.name)
        said = presented.said
        apart = [each.dataset.id for each in self._alike(book, presented)]
        others = tuple(each for each in apart if each != dataset.id)
        same: People = "same" if said.same else "named"
        return Recognised(
            name=dataset.name,
            fingerprint=presented.table,
            people=same if book.has_people(dataset) else "new",
            apart_from=others,
            reason=_line(said.reason)[:_LONGEST_REASON] if others else "",
        )

    def _find_open_questions(self, book: Book, presented: Dataset) -> OpenQuestions | None:
        if presented.table is None or presented.table in book.tables:
            return None
        return find_open_questions(book, presented, self._alike(book, presented))

    def _alike(self, book: Book, presented: Dataset) -> tuple[Alike, ...]:
        """Return the datasets that a table may be of."""
        key = self._key(book.key)
        return find_similar(book, presented.sketch, lambda each: self._sketches.of(each, key))

    def _key(self, mark: str | None) -> bytes:
        """Return the key of this folder, which must be the one of this mark; made, where there is
        none."""
        path = self.path.with_suffix(".key")
        try:
            if mark is None:
                make_private(path.parent)
                return load_key(path)
            key = path.read_bytes() if path.exists() else b""
        except OSError:
            raise Refusal(
                f"The ledger’s key, {path}, can neither be read nor made.",
                "Check that you may read and write that folder, and that the disk is not full. "
                "Nothing is run or spent without it.",
                field="ledger",
            ) from None
        if mark_key(key) != mark:
            raise Refusal(
                f"The ledger’s key, {path}, is not the one that its tables are known by.",
                "Put the key back from a backup. To go on without it, move the ledger away and "
                "start a new one, which will not know what was spent before.",
                field="ledger",
            )
        return key


def _fresh() -> str:
    """Return an id that no dataset has."""
    return f"d-{secrets.token_hex(8)}"


def _name(text: str) -> str:
    """Return a name fit for a line.

    Raises:
        Refusal: there is nothing in it.
    """
    plain = _line(text)
    if not plain:
        raise Refusal(
            "A dataset needs a name.", "Give it one, such as that of its file.", field="dataset"
        )
    return plain[:_LONGEST_NAME]


def _line(text: str) -> str:
    """Return a text in one line, of what can be printed."""
    return " ".join("".join(letter if letter.isprintable() else " " for letter in text).split())
