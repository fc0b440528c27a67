"""Debit, note, budget: what may be written into the ledger, each as one transaction."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from engine.ledger.book import Balance, Book, Dataset, fold
from engine.ledger.chain import Checked, check, to_lines
from engine.ledger.events import Budgeted, Debited, Noted, Opened, Recognised, follows
from engine.ledger.identity import fingerprint, key_mark, secret_key
from engine.ledger.store import Store, Writing, make_private
from engine.ledger.underway import Underway
from engine.ledger.words import check_budget, over_budget, too_small
from engine.privacy.budget import Budget
from engine.refusal import Refusal
from engine.table.raw import RawTable
from engine.table.records import Records
from engine.table.streamed import StreamedTable

_LONGEST_NAME = 200


@dataclass(frozen=True)
class Debit:
    """A run to be paid for.

    Attributes:
        run: its name.
        dataset: what it is run on, as `Ledger.identify` found it.
        what: the particulars.
    """

    run: str
    dataset: Dataset
    what: Debited


class Ledger:
    """A ledger on disk, safe under several pages and processes at once.

    Args:
        path: of its file. Its key, and the locks of the runs under way, lie beside it.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.underway = Underway(path.with_suffix(".underway"))
        self._store = Store(path)

    def book(self) -> Book:
        """All that the ledger says; an empty book where there is none yet.

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

    def identify(
        self,
        table: RawTable | Records | StreamedTable,
        name: str | None = None,
        *,
        dataset: str | None = None,
    ) -> Dataset:
        """The dataset that a table belongs to. Nothing is written but, the first time, the key.

        The cautious rule: a table that was seen before belongs where it was; another of the same
        name belongs with it; else it is new. Of a table not seen before, whoever names a dataset on
        purpose is believed.

        Args:
            table: the confidential table.
            name: what it is called, such as its file's name without the suffix; None makes one up.
            dataset: the name of the dataset it belongs to, where somebody says so.

        Raises:
            Refusal: the ledger cannot be used, its key is not the one it was begun with, or
                another dataset is named for a table that was paid for as of one.
        """
        book = self.book()
        found = fingerprint(table, self._key(book.key))
        usual = f"table {found[:6]}" if name is None else name
        fresh = Dataset(_fresh(), _name(dataset or usual), table=found)
        known = book.known(fresh) or fresh
        if dataset is not None and found in book.tables and known != book.named(fresh.name):
            raise Refusal(
                f"This very table is in the ledger as “{known.name}”, and its records cannot be "
                "other people’s as well.",
                f"Leave the dataset out, or name “{known.name}”.",
                field="dataset",
            )
        return replace(known, table=found)

    def debit(self, debit: Debit) -> Balance:
        """Pay for a run before it draws its first random number.

        Returns:
            The balance of its dataset, this run included.

        Raises:
            Refusal: the budget of the dataset would be exceeded, or cannot hold a run that
                promises nothing; the run was paid for already; or the ledger cannot be written.
                Nothing is spent then.
        """
        with self._writing() as writing:
            book = fold(writing.links)
            if debit.run in book.runs:
                raise Refusal(
                    f"The run “{debit.run}” was paid for already.", "Start a new run.", field="run"
                )
            before = book.balance(debit.dataset)
            after = before.adding(debit.what.spend)
            budget = before.dataset.budget
            if budget is not None and not (debit.what.spend and after.fits(budget)):
                raise over_budget(before, debit.what.spend)
            dataset = self._recognised(writing, book, debit.dataset)
            writing.append(Debited.kind, debit.what.body(), dataset=dataset, run=debit.run)
            return fold(writing.links).balance(debit.dataset)

    def note(self, run: str, event: Noted) -> bool:
        """Put down what became of a run.

        Returns:
            Whether it was news; see `follows`.

        Raises:
            Refusal: the ledger has no such run, or cannot be written.
        """
        with self._writing() as writing:
            found = fold(writing.links).runs.get(run)
            if found is None:
                raise Refusal(f"The ledger has no run “{run}”.", "Choose another.", field="run")
            if not follows(event, found.state):
                return False
            # How long a run took tells how many attempts it made, which this protocol hides.
            hidden = found.debit.protocol == "releases"
            writing.append(
                event.kind, event.body(), dataset=found.dataset, run=run, day_only=hidden
            )
            return True

    def budget(self, name: str, budget: Budget) -> Balance:
        """Set what may be spent on a dataset; one not heard of yet is put down under its name.

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
            if not before.fits(budget):
                raise too_small(before, budget)
            dataset = self._recognised(writing, book, presented)
            event = Budgeted(epsilon=budget.epsilon, delta=budget.delta)
            writing.append(event.kind, event.body(), dataset=dataset)
            return fold(writing.links).balance(presented)

    def verify(self, head: str | None = None) -> Checked:
        """Check the chain from its first event to its last.

        Args:
            head: a last hash noted elsewhere, from which the chain must lead on.

        Raises:
            Refusal: it was changed from outside, or cannot be read.
        """
        return check(self._store.read(), head)

    def export(self) -> str:
        """The chain as JSON lines, for `verify_export`. It holds neither the key nor anything that
        a guess of a table could be tested against.

        Raises:
            Refusal: as `book`.
        """
        return to_lines(self._store.read())

    @contextmanager
    def _writing(self) -> Iterator[Writing]:
        with self._store.writing() as writing:
            if not writing.links:
                writing.append(Opened.kind, Opened(key=key_mark(self._key(None))).body())
            yield writing

    def _recognised(self, writing: Writing, book: Book, presented: Dataset) -> str:
        """The id of a dataset, put down where it or its table is news."""
        known = book.known(presented)
        dataset = known or presented
        table = presented.table
        news = table is not None and table not in book.tables
        if known is None or news:
            event = Recognised(name=dataset.name, fingerprint=table)
            writing.append(event.kind, event.body(), dataset=dataset.id)
        return dataset.id

    def _key(self, mark: str | None) -> bytes:
        """The key of this folder, which must be the one of this mark; made, where there is none."""
        path = self.path.with_suffix(".key")
        try:
            if mark is None:
                make_private(path.parent)
                return secret_key(path)
            key = path.read_bytes() if path.exists() else b""
        except OSError:
            raise Refusal(
                f"The ledger’s key, {path}, can neither be read nor made.",
                "Check that you may read and write that folder, and that the disk is not full. "
                "Nothing is run or spent without it.",
                field="ledger",
            ) from None
        if key_mark(key) != mark:
            raise Refusal(
                f"The ledger’s key, {path}, is not the one that its tables are known by.",
                "Put the key back from a backup. To go on without it, move the ledger away and "
                "start a new one, which will not know what was spent before.",
                field="ledger",
            )
        return key


def _fresh() -> str:
    """An id that no dataset has."""
    return f"d-{secrets.token_hex(8)}"


def _name(text: str) -> str:
    """A name fit for a line.

    Raises:
        Refusal: there is nothing in it.
    """
    plain = " ".join("".join(letter if letter.isprintable() else " " for letter in text).split())
    if not plain:
        raise Refusal(
            "A dataset needs a name.", "Give it one, such as that of its file.", field="dataset"
        )
    return plain[:_LONGEST_NAME]
