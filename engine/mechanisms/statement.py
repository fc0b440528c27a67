"""The statement of the guarantee that goes with what a run released.

It holds settings, proven numbers and what the custodian declared public. It holds nothing
computed from confidential records without noise. Whether the number of records may stand here is
for the guarantee to cover: each method says what a reader sees.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from engine import __version__
from engine.mechanisms.mechanism import Decided
from engine.privacy import wording
from engine.privacy.accounting.guarantee import Guarantee
from engine.privacy.belief import Belief, belief
from engine.privacy.budget import Budget
from engine.privacy.neighbours import Neighbours
from engine.privacy.strength import PRIOR, Strength, strength
from engine.table.encoding import neutralised
from engine.table.formula_safety import NOTE
from engine.table.schema import Schema
from engine.table.seed_mark import COLUMN, marked_schema

STAIN: Final = (
    "DEMONSTRATION, NOT PRIVATE: this table was made with a fixed random seed, so anybody can "
    f"repeat the noise and take it away. Every record says so in the column “{COLUMN}”."
)
TABLE: Final = "synthetic"
"""The name of the output that is the synthetic table."""
NOTHING: Final = "Nothing: see the statement."
NOBODY: Final = "Nobody: see the statement."


@dataclass(frozen=True)
class Released:
    """A file that a run released.

    Attributes:
        output: the name of the output; see `Output`.
        sha256: of the file, so that the two stay together.
        rows: how many records it has; None where it is no table.
    """

    output: str
    sha256: str
    rows: int | None = None


def statement(
    decided: Decided, released: Sequence[Released], *, stained: bool, as_csv: bool = True
) -> dict[str, Any]:
    """What is promised about a release, as one JSON object.

    Args:
        decided: what was run.
        released: its files, the synthetic table first where there is one.
        stained: whether a fixed seed was used.
        as_csv: whether the table is CSV, where formulas are made harmless.
    """
    found, schema = decided.guarantee, decided.schema
    table, others = _apart(released)
    return {
        "guarantee": _stained(found) if stained else _guarantee(found),
        **({"stain": STAIN} if stained else found.particulars),
        "table": None if table is None else _table(table, schema, stained=stained, as_csv=as_csv),
        **({"outputs": others} if others else {}),
        # How stray values were settled tells whether there were any.
        "plan": decided.plan.published(),
        "declared_public": None
        if schema.declaration is None
        else schema.declaration.model_dump(mode="json"),
        "made_by": f"understudy {__version__}",
    }


def released_of(said: Mapping[str, Any]) -> tuple[Released, ...]:
    """The files that a statement is about.

    Raises:
        KeyError, TypeError, AttributeError: it is no statement.
    """
    table = said["table"]
    first = [] if table is None else [Released(TABLE, table["sha256"], table["rows"])]
    others = said.get("outputs", {})
    return (
        *first,
        *(Released(name, each["sha256"], each.get("rows")) for name, each in others.items()),
    )


def _apart(released: Sequence[Released]) -> tuple[Released | None, dict[str, dict[str, Any]]]:
    """The synthetic table, and all else by its name."""
    tables = [each for each in released if each.rows is not None]
    table = tables[0] if tables else None
    others = {
        each.output: {
            "sha256": each.sha256,
            **({} if each.rows is None else {"rows": each.rows}),
        }
        for each in released
        if each is not table
    }
    return table, others


def _table(table: Released, schema: Schema, *, stained: bool, as_csv: bool) -> dict[str, Any]:
    shown = marked_schema(schema) if stained else schema
    return {
        "rows": table.rows,
        "sha256": table.sha256,
        "columns": list(shown.names),
        **({"formulas": NOTE} if as_csv and neutralised(shown) else {}),
    }


def _guarantee(found: Guarantee) -> dict[str, Any]:
    """What is promised, to whom, and under which conditions."""
    scope, total = found.scope, found.total
    return {
        "strength": str(strength(total)),
        "beliefs": _beliefs(total),
        **total.stated(),
        "neighbours": str(found.neighbours),
        "statement": found.statement,
        "compares": found.neighbours.compared(found.records_per_person),
        "protects": scope.protects,
        "population": _population(found),
        "record": found.record.stated(),
        "records_per_person": found.records_per_person,
        "protocol": found.protocol,
        "covers": scope.covers,
        "reader_sees": list(scope.reader_sees),
        "assumes": list(scope.assumes),
        "not_covered": list(scope.not_covered),
        "test": None if found.test is None else dict(found.test),
        "formula": [dict(each) for each in scope.formulas],
    }


def _stained(found: Guarantee) -> dict[str, Any]:
    """What is promised about what was made with a fixed random seed: nothing."""
    return {
        "strength": str(Strength.NONE),
        "beliefs": None,
        **Budget.unbounded().stated(),
        "neighbours": str(found.neighbours),
        "statement": STAIN,
        "compares": found.neighbours.compared(found.records_per_person),
        "protects": NOBODY,
        "population": None,
        "record": Budget.unbounded().stated(),
        "records_per_person": found.records_per_person,
        "protocol": found.protocol,
        "covers": NOTHING,
        "reader_sees": [],
        "assumes": [],
        "not_covered": [],
        "test": None,
        "formula": [],
    }


def _population(found: Guarantee) -> dict[str, Any] | None:
    """What is promised to members of a population of which the table is a secret sample."""
    figure = found.population
    if figure is None:
        return None
    return {
        "neighbours": str(Neighbours.POPULATIONS),
        "compares": Neighbours.POPULATIONS.compared(found.records_per_person),
        "sampling": found.sampling,
        **figure.stated(),
        "statement": "The table is claimed to be a secret sample, which took in each member of a "
        f"population with a chance of {found.sampling:.12g}. "
        f"{wording.population_sentence(figure)} "
        f"{wording.membership_sentence(figure)} Whether somebody is in the table, and what stands "
        "there of them, is another question, which the figures between tables answer alone.",
    }


def _beliefs(total: Budget) -> dict[str, Any] | None:
    """What a belief about one person may become, in figures; None where nothing bounds any."""
    if not total.bounded:
        return None
    return {
        "prior": PRIOR,
        "presence": _bound(belief(PRIOR, total)),
        "value": _bound(belief(PRIOR, total, "value")),
    }


def _bound(found: Belief) -> dict[str, float]:
    return {"at_most": found.at_most, "chance_beyond": found.failing}
