"""The statement of the guarantee that goes with what a run released.

It holds settings, proven numbers and what the custodian declared public. It holds nothing
computed from confidential records without noise. Whether the number of records may be shown here
is for the guarantee to cover: each method says what a reader sees.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from understudy import __version__
from understudy.mechanisms.mechanism import PlannedRun
from understudy.privacy import wording
from understudy.privacy.accounting.guarantee import Guarantee
from understudy.privacy.budget import Budget, Neighbours
from understudy.privacy.strength import PRIOR, Belief, Strength, belief, strength
from understudy.table.encoding import has_neutralised_cells
from understudy.table.formula_safety import NOTE
from understudy.table.schema import Schema
from understudy.table.seed_mark import COLUMN, marked_schema

STAIN: Final = (
    "DEMONSTRATION, NOT PRIVATE: this table was made with a fixed random seed, so anybody can "
    f"repeat the noise and take it away. Every record says so in the column “{COLUMN}”."
)
STAIN_OF_FIGURES: Final = (
    "DEMONSTRATION, NOT PRIVATE: these figures were made with a fixed random seed, so anybody can "
    f"repeat the noise and take it away. They say so under “{COLUMN}”."
)
TABLE: Final = "synthetic"
"""The name of the output that is the one synthetic table."""
NOTHING: Final = "Nothing: see the statement."
NOBODY: Final = "Nobody: see the statement."


@dataclass(frozen=True)
class ReleasedFile:
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
    decided: PlannedRun, released: Sequence[ReleasedFile], *, stained: bool, as_csv: bool = True
) -> dict[str, Any]:
    """Return what is promised about a release, as one JSON object.

    Args:
        decided: what was run.
        released: its files, one for each output.
        stained: whether a fixed seed was used.
        as_csv: whether tables are CSV, where formulas are made harmless.

    Raises:
        KeyError: a file is of no output of the plan.
    """
    found, schema = decided.guarantee, decided.schema
    said = {
        each.output: _file(each, decided.output(each.output).schema, stained=stained, as_csv=as_csv)
        for each in released
    }
    table = said.pop(TABLE, None)
    return {
        "guarantee": _state_stained(found, decided) if stained else _guarantee(found),
        **({"stain": stain(decided)} if stained else found.particulars),
        "table": table,
        **({"outputs": said} if said else {}),
        # How stray values were settled tells whether there were any.
        "plan": decided.plan.publish(),
        "declared_public": None
        if schema.declaration is None
        else schema.declaration.model_dump(mode="json"),
        "made_by": f"understudy {__version__}",
    }


def released_of(said: Mapping[str, Any]) -> tuple[ReleasedFile, ...]:
    """Return the files that a statement is about.

    Raises:
        KeyError, TypeError, AttributeError: it is no statement.
    """
    return tuple(
        ReleasedFile(name, each["sha256"], each.get("rows"))
        for name, each in stated_outputs(said).items()
    )


def stated_outputs(said: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """Return what a statement says of the file of each output, by the names of the outputs.

    Raises:
        KeyError, TypeError: it is no statement.
    """
    table = said["table"]
    return {**({} if table is None else {TABLE: table}), **said.get("outputs", {})}


def alone(said: Mapping[str, Any]) -> bool:
    """Return whether a statement is about one synthetic table and nothing else."""
    return said["table"] is not None and not said.get("outputs")


def bind_release(sha256: Mapping[str, str]) -> str:
    """Return what binds a release, in hex: the SHA-256 of its one file; of several, that of a line
    “HASH  OUTPUT” for each, in the order of the names.

    Args:
        sha256: of the file of each output, by the name of the output.
    """
    if len(sha256) == 1:
        return next(iter(sha256.values()))
    lines = "".join(f"{sha256[name]}  {name}\n" for name in sorted(sha256))
    return hashlib.sha256(lines.encode()).hexdigest()


def stain(decided: PlannedRun) -> str:
    """Return what says of a release that it was made with a fixed random seed."""
    return STAIN if decided.tables else STAIN_OF_FIGURES


def _file(
    file: ReleasedFile, schema: Schema | None, *, stained: bool, as_csv: bool
) -> dict[str, Any]:
    if schema is None:
        return {"sha256": file.sha256}
    shown = marked_schema(schema) if stained else schema
    return {
        "rows": file.rows,
        "sha256": file.sha256,
        "columns": list(shown.header),
        **({"formulas": NOTE} if as_csv and has_neutralised_cells(shown) else {}),
    }


def _guarantee(found: Guarantee) -> dict[str, Any]:
    """Return what is promised, to whom, and under which conditions."""
    scope, total = found.scope, found.total
    return {
        "strength": str(strength(total)),
        "beliefs": _beliefs(found),
        **total.as_dict(),
        "neighbours": str(found.neighbours),
        "statement": found.statement,
        "compares": found.compared,
        "protects": scope.protects,
        "population": _population(found),
        "record": None if found.whole_people else found.record.as_dict(),
        "records_per_person": found.records_told,
        "protocol": found.protocol,
        "covers": scope.covers,
        "reader_sees": list(scope.reader_sees),
        "assumes": list(scope.assumes),
        "not_covered": list(scope.not_covered),
        "test": None if found.test is None else dict(found.test),
        "formula": [dict(each) for each in scope.formulas],
    }


def _state_stained(found: Guarantee, decided: PlannedRun) -> dict[str, Any]:
    """Return what is promised about what was made with a fixed random seed: nothing."""
    return {
        "strength": str(Strength.NONE),
        "beliefs": None,
        **Budget.unbounded().as_dict(),
        "neighbours": str(found.neighbours),
        "statement": stain(decided),
        "compares": found.compared,
        "protects": NOBODY,
        "population": None,
        "record": Budget.unbounded().as_dict(),
        "records_per_person": found.records_told,
        "protocol": found.protocol,
        "covers": NOTHING,
        "reader_sees": [],
        "assumes": [],
        "not_covered": [],
        "test": None,
        "formula": [],
    }


def _population(found: Guarantee) -> dict[str, Any] | None:
    """Return what is promised to members of a population of which the table is a secret sample."""
    figure = found.population
    if figure is None:
        return None
    return {
        "neighbours": str(Neighbours.POPULATIONS),
        "compares": Neighbours.POPULATIONS.describe_inputs(found.records_per_person),
        "sampling": found.sampling,
        **figure.as_dict(),
        "statement": "The table is claimed to be a secret sample, which took in each member of a "
        f"population with a chance of {found.sampling:.12g}. "
        f"{wording.population_sentence(figure)} "
        f"{wording.membership_sentence(figure)} Whether somebody is in the table, and what stands "
        "there of them, is another question, which the figures between tables answer alone.",
    }


def _beliefs(found: Guarantee) -> dict[str, Any] | None:
    """Return what a belief about one person may become, in figures; None where nothing bounds
    any."""
    total = found.total
    if not total.bounded:
        return None
    replaced = found.neighbours is Neighbours.REPLACEMENTS
    return {
        "prior": PRIOR,
        "presence": None if replaced else _state_belief(belief(PRIOR, total)),
        "value": _state_belief(belief(PRIOR, total, "replaced" if replaced else "value")),
    }


def _state_belief(found: Belief) -> dict[str, float]:
    return {"at_most": found.at_most, "chance_beyond": found.failing}
