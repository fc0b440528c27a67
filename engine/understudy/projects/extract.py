"""A copy of the ledger's entries about a project's runs, for reading.

The ledger itself is one book in the home folder, as a budget belongs to people and not to a
project: two projects about the same table spend from the same budget. The copy is for people;
nothing reads it back.
"""

from __future__ import annotations

from typing import Any

from understudy.ledger.book import Balance, Book, Run
from understudy.privacy.budget import Budget
from understudy.projects.project import Project, write_versioned
from understudy.runs.control import runs

EXTRACT = "ledger.json"


def extract(book: Book, project: Project) -> dict[str, Any]:
    """Return the runs of a project as the ledger has them, and the balance of each of their
    datasets."""
    here = {run.identity for run in runs(project.runs)}
    found = [run for run in book.runs.values() if run.id in here]
    datasets = [book.datasets[each] for each in dict.fromkeys(run.dataset for run in found)]
    return {
        "about": "A copy of what the ledger says. The ledger in the home folder is what counts.",
        "ledger": {"events": book.events, "head": book.head},
        "runs": [_run(run) for run in found],
        "datasets": [_balance(book.balance(each)) for each in datasets],
    }


def follow(book: Book, project: Project) -> None:
    """Bring the extract of a project up to date, and whose records it is about.

    Raises:
        Refusal: it cannot be written.
    """
    found = extract(book, project)
    write_versioned(project.path / EXTRACT, found)
    if found["runs"]:
        project.change(dataset=found["runs"][-1]["dataset"])


def _run(run: Run) -> dict[str, Any]:
    return {
        "run": run.id,
        "dataset": run.dataset,
        "planned": run.planned.isoformat(),
        "state": run.state,
        "since": run.changed.isoformat(),
        "protocol": run.debit.protocol,
        "count": run.debit.count,
        "promised": _budget(run.promised),
        "stained": run.debit.stained,
        "artefacts": dict(run.artefacts),
    }


def _balance(balance: Balance) -> dict[str, Any]:
    spent = balance.spent
    return {
        "dataset": balance.dataset.id,
        "name": balance.dataset.name,
        "runs": balance.runs,
        "spent": _budget(spent) if spent.bounded else None,
        "runs_without_promise": balance.unpromised,
        "budget": _budget(balance.dataset.budget),
    }


def _budget(budget: Budget | None) -> dict[str, float] | None:
    return None if budget is None else {"epsilon": budget.epsilon, "delta": budget.delta}
