"""`understudy ledger`: what was spent on which dataset, and what may be."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from understudy.cli.options import Json
from understudy.cli.output import (
    describe_budget,
    echo,
    print_aligned,
    print_json,
    print_wrapped,
    read_text_file,
    refuse_disk_faults,
    refuse_taken,
)
from understudy.cli.verb import Verb, number_type
from understudy.core.refusal import Refusal

if TYPE_CHECKING:
    from understudy.ledger.book import Balance, Book, Run
    from understudy.ledger.chain import Checked
    from understudy.ledger.ledger import Ledger
    from understudy.privacy.budget import Budget

app = typer.Typer(rich_markup_mode=None)

_NOTE_HEAD = (
    "Note the head down elsewhere: `understudy ledger verify --head` will then also find events "
    "that were cut off the end."
)
_Name = Annotated[str, typer.Argument(metavar="NAME", help="The name of the dataset.")]
_Head = Annotated[
    str | None,
    typer.Option(
        "--head",
        metavar="HASH",
        show_default=False,
        help="A head noted earlier, which the ledger must lead on from.",
    ),
]


@app.callback(invoke_without_command=True)
def ledger(
    context: typer.Context,
    dataset: Annotated[
        str | None,
        typer.Option(
            "--dataset", metavar="NAME", show_default=False, help="Show the runs of this dataset."
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Show what was spent on each dataset, what may be, and what became of the runs."""
    if context.invoked_subcommand is not None:
        if dataset is not None or as_json:
            raise Refusal(
                "An option stands before the verb it is for.",
                f"Write it after `understudy ledger {context.invoked_subcommand}`.",
            )
        return
    from understudy.runs.debit import reconcile

    kept = _home_ledger()
    book = reconcile(kept)
    if dataset is None:
        _all(kept, book, as_json)
    else:
        _one(book, _balance(book, dataset), as_json)


class _Between(StrEnum):
    """The neighbours of `Neighbours` that a budget can be for."""

    tables = "tables"
    replacements = "replacements"


@app.command(cls=Verb)
def budget(
    name: _Name,
    epsilon: Annotated[
        float,
        typer.Option(
            "--epsilon",
            metavar="NUMBER",
            parser=number_type,
            show_default=False,
            help="The ε that all runs on the dataset may come to, for one person.",
        ),
    ],
    delta: Annotated[
        float,
        typer.Option(
            "--delta",
            metavar="CHANCE",
            parser=number_type,
            show_default=False,
            help="The δ that they may come to.",
        ),
    ],
    neighbours: Annotated[
        _Between,
        typer.Option(
            "--neighbours",
            help="Between which tables: those with a person's records added or removed, or those "
            "of one number of records in which a person's are replaced (default tables).",
        ),
    ] = _Between.tables,
    as_json: Json = False,
) -> None:
    """Set what may be spent on a dataset. A run that would exceed it is refused."""
    from understudy.privacy.budget import Budget, Neighbours

    kept = _home_ledger()
    balance = kept.budget(name, Budget(epsilon, delta), Neighbours(neighbours.value))
    shown = _Shown(balance)
    if as_json:
        print_json(shown.as_dict())
        return
    print_aligned(shown.rows)
    if not balance.dataset.fingerprints:
        echo()
        print_wrapped(
            f"The ledger knows no table of “{balance.dataset.name}” yet. The budget holds for the "
            "first one whose file has this name, and for those that go with it."
        )


@app.command(cls=Verb)
def verify(
    file: Annotated[
        Path | None,
        typer.Argument(
            metavar="FILE", show_default=False, help="An exported ledger, instead of the one here."
        ),
    ] = None,
    head: _Head = None,
    as_json: Json = False,
) -> None:
    """Check that no event of the ledger was changed, exchanged or taken out."""
    from understudy.ledger.chain import verify_export

    if file is None:
        checked = _home_ledger().verify(head)
    else:
        checked = verify_export(read_text_file(file, "an exported ledger"), head)
    if as_json:
        print_json(_check_as_data(checked))
        return
    print_aligned([("Events", f"{checked.events:,}, each as it was written"), _head_row(checked)])
    echo()
    print_wrapped(_NOTE_HEAD)


@app.command(cls=Verb)
def export(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="The file to write, one event to a line.")
    ],
    as_json: Json = False,
) -> None:
    """Write the whole ledger to a file that anybody can check. It holds nothing of any table."""
    from understudy.ledger.chain import verify_export

    text = _home_ledger().export()
    checked = verify_export(text)
    refuse_taken(file)
    with refuse_disk_faults(file):
        file.write_text(text, encoding="utf-8")
    if as_json:
        print_json({"file": str(file), **_check_as_data(checked)})
        return
    print_aligned([("File", f"{file}, {checked.events:,} events"), _head_row(checked)])


def _home_ledger() -> Ledger:
    from understudy.runs.control import home_ledger

    return home_ledger()


def _check_as_data(checked: Checked) -> dict[str, Any]:
    return {"events": checked.events, "head": checked.head}


def _head_row(checked: Checked) -> tuple[str, str]:
    return ("Head", checked.head)


def _balance(book: Book, name: str) -> Balance:
    found = book.find_dataset(name)
    if found is None:
        names = ", ".join(each.name for each in book.datasets.values())
        raise Refusal(
            f"--dataset: The ledger has no dataset “{name}”.",
            f"Choose one of {names}." if names else "No run was made yet.",
        )
    return book.balance(found)


def _all(kept: Ledger, book: Book, as_json: bool) -> None:
    shown = [_Shown(balance) for balance in book.balances]
    if as_json:
        place = {"ledger": str(kept.path), "events": book.events, "head": book.head}
        print_json({**place, "datasets": [each.as_dict() for each in shown]})
        return
    if not shown:
        print_wrapped(f"The ledger, {kept.path}, has no dataset yet: no run was made.")
        return
    print_aligned([("Dataset", "Runs", "Spent", "Budget", "Left"), *(each.line for each in shown)])


def _one(book: Book, balance: Balance, as_json: bool) -> None:
    shown, runs = _Shown(balance), book.runs_of(balance.dataset)
    shares = book.run_shares(balance.dataset)
    if as_json:
        listed = [{**_run(run), "in_total": _figures(shares.get(run.id))} for run in runs]
        print_json({**shown.as_dict(), "runs": listed})
        return
    print_aligned(shown.rows)
    if runs:
        echo()
        print_aligned(_run_lines(runs, shares))
        _explain_total(balance)


@dataclass(frozen=True)
class _Shown:
    """A balance, as it is printed."""

    balance: Balance

    def as_dict(self) -> dict[str, Any]:
        dataset = self.balance.dataset
        return {
            "id": dataset.id,
            "name": dataset.name,
            "count": self.balance.runs,
            "unpromised": self.balance.unpromised,
            "spent": _figures(self.balance.spent),
            "spent_between_populations": _figures(self.balance.population),
            "neighbours": str(self.balance.neighbours),
            "budget": _figures(dataset.budget),
            "budget_neighbours": str(dataset.neighbours),
            "left": self.balance.left,
        }

    @property
    def spent(self) -> str:
        if not self.balance.spends:
            return "nothing"
        spent = self.balance.spent
        return describe_budget(spent.epsilon, spent.delta) if spent.bounded else "beyond any ε"

    @property
    def runs(self) -> str:
        unpromised = self.balance.unpromised
        aside = f" ({unpromised:,} without a promise)" if unpromised else ""
        return f"{self.balance.runs:,}{aside}"

    @property
    def budget(self) -> str:
        set_ = self.balance.dataset.budget
        return "not set" if set_ is None else describe_budget(set_.epsilon, set_.delta)

    @property
    def left(self) -> str:
        from understudy.core.numerals import round_down

        return "" if self.balance.left is None else f"ε = {round_down(self.balance.left)}"

    @property
    def line(self) -> tuple[str, ...]:
        return (self.balance.dataset.name, self.runs, self.spent, self.budget, self.left)

    @property
    def rows(self) -> list[tuple[str, str]]:
        names = ("Dataset", "Runs", "Spent", "Budget", "Left")
        found = [row for row in zip(names, self.line, strict=True) if row[1]]
        found += self._between
        sampled = self.balance.population
        if sampled is not None:
            budget = describe_budget(sampled.epsilon, sampled.delta)
            said = f"{budget}, if the table is a secret sample"
            found.append(("Between populations", said))
        return found

    @property
    def _between(self) -> list[tuple[str, str]]:
        """Between which tables the figures hold, where those are not the usual ones."""
        from understudy.privacy.budget import Neighbours

        balance, usual = self.balance, Neighbours.TABLES
        found = []
        if balance.neighbours is not usual:
            found.append(("Spent between", balance.neighbours.describe_inputs(1)))
        if balance.dataset.budget is not None and balance.dataset.neighbours is not usual:
            found.append(("Budget between", balance.dataset.neighbours.describe_inputs(1)))
        return found


def _figures(budget: Budget | None) -> dict[str, float | None] | None:
    if budget is None:
        return None
    if not budget.bounded:
        return {"epsilon": None, "delta": None}
    return {"epsilon": budget.epsilon, "delta": budget.delta}


def _run(run: Run) -> dict[str, Any]:
    return {
        "id": run.id,
        "planned": run.planned.isoformat(),
        "state": run.state,
        "changed": run.changed.isoformat(),
        "promised": _figures(run.promised),
        **run.debit.body(),
        "artefacts": dict(run.artefacts),
    }


def _run_lines(runs: Sequence[Run], shares: Mapping[str, Budget]) -> list[tuple[str, ...]]:
    """Return a line for each run under a line of headings, with what each adds to the total if
    some run adds more than it promises by itself."""
    lines: list[tuple[str, ...]] = [("Planned", "State", "Promised", "In the total", "Run")]
    lines += [_run_line(run, shares.get(run.id)) for run in runs]
    if all(run.promised == shares.get(run.id) for run in runs):
        return [(*line[:3], line[-1]) for line in lines]
    return lines


def _run_line(run: Run, share: Budget | None) -> tuple[str, str, str, str, str]:
    return (
        f"{run.planned.astimezone():%Y-%m-%d %H:%M:%S}",
        run.state,
        _budget_text(run.promised),
        _budget_text(share),
        run.id,
    )


def _budget_text(budget: Budget | None) -> str:
    if budget is None:
        return "nothing"
    return describe_budget(budget.epsilon, budget.delta) if budget.bounded else "beyond any ε"


def _explain_total(balance: Balance) -> None:
    """Print why the lines of runs add up to more than they promise by themselves."""
    from understudy.ledger.words import explain_shares

    why = explain_shares(balance.spends)
    if why:
        echo()
        print_wrapped(why)
