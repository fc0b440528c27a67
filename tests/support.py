"""Small tables and models that several test modules draw from. A sample census of fewer people:
pages look the same, and are there in a tenth of the time. A small panel of people who do not
exist: several rows each, one for each wave. Waiting for what another process does.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import numpy.typing as npt
from hypothesis import strategies as st

from understudy.ledger.book import Dataset, PeopleStatement
from understudy.ledger.ledger import Ledger
from understudy.mechanisms.plan import MechanismPlan
from understudy.mechanisms.registry import plan_run
from understudy.mechanisms.statement import ReleasedFile, statement
from understudy.models.bayesnet.network import BayesianNetwork, Structure, families
from understudy.models.categorical import ConditionalTable
from understudy.privacy.randomness import Secret
from understudy.runs.checkpoint import Fingerprint, Held, save_start
from understudy.runs.control import home_ledger, start
from understudy.runs.folder import RunFolder
from understudy.runs.table_file import WithinCells
from understudy.runs.work import Job
from understudy.samples import census
from understudy.table.buckets import ByGroups, EachValue, Group
from understudy.table.categories import Categories
from understudy.table.column import Column
from understudy.table.people import People
from understudy.table.records import Records
from understudy.table.schema import Schema
from understudy.table.sources.cell_texts import AnyTable

SIMULATED = PeopleStatement(new=True, reason="Nobody in a table of a test exists.")
"""What is said of a table that a test made up."""


def new_people(
    table: AnyTable, name: str | None = None, *, ledger: Ledger | None = None
) -> Dataset:
    """What a table is of, said to be nobody seen before; in the home folder's ledger if no other is
    given."""
    return (ledger or home_ledger()).identify(table, name, said=SIMULATED)


def started(job: Job, place: Path, *, ledger: Ledger | None = None) -> RunFolder:
    """A run on records of which it is said that they are of new people, and that what their
    columns may contain is public."""
    dataset = new_people(job.records, ledger=ledger)
    return start(declared(job), place, dataset=dataset, ledger=ledger)


def declared(job: Job) -> Job:
    """The same, its schema declared public as it stands."""
    if job.records.schema.declared:
        return job
    schema = job.records.schema.declare_public("Made for a test.")
    return replace(job, records=replace(job.records, schema=schema), made=None)


def held_of(job: Job) -> Held:
    """What a run holds from its debit on."""
    secret = Secret.fresh() if job.seed is None else Secret.fixed(job.seed)
    return Held(secret, Fingerprint.of(job.records), job.figures)


def holding(job: Job, run: RunFolder) -> RunFolder:
    """The folder of a run as it is once it is debited, for `work` to begin with."""
    if job.purpose == "release":
        save_start(run, held_of(job), job.plan)
    return run


def within_cells(schema: Schema) -> WithinCells:
    """What makes released records of codes, by a fixed secret."""
    return WithinCells(schema, Secret.fixed(7))


def category_schema(*cardinalities: int, halves: frozenset[int] = frozenset()) -> Schema:
    """Columns c0, c1, … of categories; those in `halves` are bucketed into two groups."""
    return Schema(
        columns=tuple(
            _column(place, cardinality, halved=place in halves and cardinality > 2)
            for place, cardinality in enumerate(cardinalities)
        )
    )


def _column(place: int, cardinality: int, *, halved: bool) -> Column:
    values = tuple(f"v{value}" for value in range(cardinality))
    buckets: ByGroups | EachValue = EachValue(kind="each")
    if halved:
        half = cardinality // 2
        buckets = ByGroups(
            kind="groups",
            groups=(
                Group(label="low", values=values[:half]),
                Group(label="high", values=values[half:]),
            ),
        )
    domain = Categories(kind="categories", values=values)
    return Column(name=f"c{place}", domain=domain, buckets=buckets)


@dataclass(frozen=True)
class World:
    """A network and some records of the same schema."""

    network: BayesianNetwork
    records: Records

    @property
    def ordered(self) -> npt.NDArray[np.uint16]:
        """(n, m) the records in dependency order."""
        return self.records.codes[:, list(self.network.order)]


@st.composite
def worlds(
    draw: st.DrawFn, *, most_columns: int = 5, most_values: int = 4, most_records: int = 40
) -> World:
    """Random schemas, acyclic structures, tables and records, zero probabilities included."""
    cardinalities = draw(st.lists(st.integers(1, most_values), min_size=2, max_size=most_columns))
    halves = frozenset(draw(st.sets(st.integers(0, len(cardinalities) - 1))))
    schema = category_schema(*cardinalities, halves=halves)
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    structure = random_structure(len(cardinalities), rng)
    network = random_network(schema, structure, rng)
    count = draw(st.integers(1, most_records))
    codes = np.column_stack([rng.integers(0, size, count) for size in cardinalities])
    return World(network, Records(schema, codes.astype(np.uint16)))


def uniform_records(schema: Schema, count: int, seed: int) -> Records:
    """Return records whose codes are drawn evenly, column by column."""
    rng = np.random.default_rng(seed)
    codes = np.column_stack([rng.integers(0, size, count) for size in schema.cardinalities])
    return Records(schema, codes.astype(np.uint16))


def random_structure(attributes: int, rng: np.random.Generator) -> Structure:
    """Up to two parents each, under a random order."""
    order = rng.permutation(attributes)
    parents: list[tuple[int, ...]] = [()] * attributes
    for place, child in enumerate(order):
        chosen = rng.permutation(order[:place])[: rng.integers(0, 3)]
        parents[child] = tuple(int(parent) for parent in chosen)
    return Structure(tuple(parents), tuple(int(each) for each in order))


def random_network(
    schema: Schema, structure: Structure, rng: np.random.Generator
) -> BayesianNetwork:
    """Skewed tables, some of their cells 0."""
    tables = []
    for family in families(schema, structure):
        shape = (family.configurations, schema.columns[family.child].cardinality)
        likely = rng.gamma(0.5, size=shape) * (rng.random(shape) > 0.2)
        likely[likely.sum(axis=1) == 0] = 1.0
        tables.append(ConditionalTable.from_probabilities(likely))
    return BayesianNetwork(schema, structure, tuple(tables))


def stated(
    plan: MechanismPlan,
    schema: Schema,
    *,
    released: int,
    sha256: str,
    stained: bool,
    as_csv: bool = True,
) -> dict[str, Any]:
    """The statement of a release that is one table."""
    table = ReleasedFile("synthetic", sha256, released)
    return statement(plan_run(plan, schema), [table], stained=stained, as_csv=as_csv)


PEOPLE = 6_000


@contextmanager
def few_people(folder: Path) -> Iterator[None]:
    """In this process, the sample census is its first so many people until the block ends.

    Args:
        folder: where they are written; whoever made it removes it.
    """
    with (
        patch.object(census, "TABLE", _head(census.TABLE, folder)),
        patch.object(census, "SHIPPED_ROWS", PEOPLE),
    ):
        yield


def _head(table: Path, folder: Path) -> Path:
    """The first lines of a CSV file, under the same name in another folder."""
    with table.open("rb") as lines:
        head = [next(lines) for _ in range(1 + PEOPLE)]
    short = folder / table.name
    short.write_bytes(b"".join(head))
    return short


JOBS = ("cook", "clerk", "none")
PANEL_PEOPLE = People(person="resp", order="wave", records_at_most=3)


def panel_csv(people: int = 200) -> bytes:
    """Who, wave, sex, job and age: person i has 1 + i mod 5 rows; sex stays, the job may change."""
    rng = np.random.default_rng(3)
    lines = ["resp,wave,sex,job,age"]
    for person in range(people):
        sex, age = ("f", "m")[person % 2], int(rng.integers(18, 60))
        lines += [
            f"{1000 + person},{wave},{sex},{JOBS[rng.integers(3)]},{age + wave}"
            for wave in range(1, 2 + person % 5)
        ]
    return "\n".join(lines).encode()


_EVERY = 0.02


def until(happened: Callable[[], bool]) -> None:
    """Look again and again, and leave the core to that process in between.

    It ends by what is looked at: `happened` fails where it can no longer come to it.
    """
    while not happened():
        time.sleep(_EVERY)
