"""The bytes that a seeded run of the sample census releases, kept from one change to the next."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from tests.engine.runs.asked import finished
from understudy.mechanisms.seedbased.plan import ModelKind, ModelPlan, Plan, RunProtocol
from understudy.models.omega import Omega
from understudy.privacy.plausibility.privacy_test import PlausibleDeniability
from understudy.runs.folder import TableForm
from understudy.runs.resources import Resources
from understudy.runs.work import Job
from understudy.samples import census
from understudy.table.encoding import encode_public
from understudy.table.records import Records
from understudy.table.sources.reading import read_table

SEED = 7
GOLDEN: dict[tuple[ModelKind, RunProtocol], str] = {
    ("calibrated", "attempts"): "ecad83ef3a0d1563e4d6f3269c82c3fa9b39fbd2bccdadc88ce3c1bd48773f90",
    ("calibrated", "releases"): "d06e9cadb6328c61c6bd3d3672e6396878a3eb50bf60723f83f3bc1b9e431893",
    ("network", "attempts"): "bc300fd67acd0e16a8cdc17e9f83d7b567f1a514c2555e3810cc2c35244701ae",
    ("network", "releases"): "67f006284e2bec4e74b0b72bdac40d87aa1ebe21b23277a586ec0423cad5b6d6",
    ("marginals", "attempts"): "54ed41af04848ce846507dd0f0ed8d13ab27e1040316daf2343e09fd7f9e2062",
    ("marginals", "releases"): "fdedc8ffe1d4e82395f33615939e395c6cfb970a397e3ad9d8a23339b456dc34",
}
"""SHA-256 of the released CSV of each model under each protocol. Whoever changes one says in the
commit why the same secret, plan and records come to another table. Another kind of processor may
round otherwise, and then another table is no fault."""

GOLDEN_PARQUET = "22460019075ffd1a4b0d4c99e760cb87e83d8fea5ebe08c21d6ad5126e35efdf"
"""SHA-256 of the types and values of one such table as Parquet."""


@pytest.fixture(scope="module")
def census_head(tmp_path_factory: pytest.TempPathFactory) -> Records:
    """The first 3,000 people of the shipped census."""
    short = tmp_path_factory.mktemp("golden") / "census.csv"
    with census.TABLE.open("rb") as lines:
        short.write_bytes(b"".join(next(lines) for _ in range(3_001)))
    return encode_public(read_table(short), census.schema())


def released(records: Records, kind: ModelKind, protocol: RunProtocol, form: TableForm) -> Job:
    """A seeded run whose attempts look at seeds."""
    plan = Plan.of(
        records.schema,
        model=ModelPlan(kind=kind),
        protocol=protocol,
        test=PlausibleDeniability(k=30, gamma=4.0, epsilon0=1.0),
        omega=Omega(low=9, high=11),
        attempts=400,
        pass_floor=0.01 if protocol == "releases" else None,
        seeds_at_least=500,
        public_records=2_900,
    )
    return Job(records, plan, seed=SEED, figures=False, resources=Resources(form=form))


@pytest.mark.parametrize(("kind", "protocol"), GOLDEN)
def test_a_seeded_run_of_the_sample_releases_the_same_bytes(
    census_head: Records, tmp_path: Path, kind: ModelKind, protocol: RunProtocol
) -> None:
    run = finished(released(census_head, kind, protocol, "csv"), tmp_path / "run")
    assert hashlib.sha256(run.table.read_bytes()).hexdigest() == GOLDEN[kind, protocol]


def test_the_same_run_as_parquet_holds_the_same_values(
    census_head: Records, tmp_path: Path
) -> None:
    """What is in the file, and not how a version of the library packs it."""
    run = finished(released(census_head, "marginals", "attempts", "parquet"), tmp_path / "run")
    table = pq.read_table(run.table)
    held = [str(table.schema), table.to_pylist()]
    told = hashlib.sha256(json.dumps(held, default=str, sort_keys=True).encode()).hexdigest()
    assert told == GOLDEN_PARQUET
