"""What somebody does who changes a packet, and how that was found. Runs to make packets of: one of
each kind, made once; every test gets a copy of its own.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

import pytest

from tests.support import holding, uniform_records
from understudy.acceptance.statistics import AcceptanceTest, DistanceOf, MeanOf, ShareOf
from understudy.ledger.book import Dataset, PeopleStatement
from understudy.ledger.ledger import Debit, Ledger
from understudy.mechanisms.registry import plan_run
from understudy.mechanisms.seedbased.plan import Plan
from understudy.models.omega import Omega
from understudy.privacy.budget import Budget
from understudy.report.cover import Cover
from understudy.report.files import SUMS, Stored, list_sums
from understudy.report.packet import make_packet
from understudy.report.shelf import Packet
from understudy.report.verdict import PacketVerdict
from understudy.runs.debit import make_debit
from understudy.runs.folder import RunFolder
from understudy.runs.work import Job
from understudy.runs.worker import DebitedFolder, do_job
from understudy.table.buckets import ByWidth
from understudy.table.categories import Categories
from understudy.table.column import Column
from understudy.table.grid import Grid
from understudy.table.known_totals import KnownTotals
from understudy.table.missing_codes import unlabelled
from understudy.table.records import Records
from understudy.table.rules.repair import repair_records
from understudy.table.rules.rule import Rule, SetMissing
from understudy.table.schema import Schema


def failed(verdict: PacketVerdict) -> set[str]:
    return {each.key for each in verdict.checks if each.state == "failed"}


def resummed(folder: Path) -> None:
    """What somebody does who changes a file and knows of the list of hashes."""
    there = {path.name: Stored.at(path) for path in folder.iterdir() if path.name != SUMS}
    (folder / SUMS).write_text(list_sums(there))


COVER = Cover(
    title="Survey of things <2024> & more",
    by="A. Custodian, data office",
    dated="21 November 2026",
    dataset="Survey of things",
    note="May be used for teaching.\nAsk before anything else.",
)
ACCEPTANCE = AcceptanceTest(
    epsilon=1.0,
    statistics=(
        ShareOf(column="job", values=("C", "=1+1"), limit=0.5),
        MeanOf(column="pay", limit=9.0),
        DistanceOf(columns=("age", "job"), limit=0.001),
    ),
)
CANARY = "4711canary"
"""In the name of the file, in the ledger's name of the dataset, and in every internal file."""


@dataclass(frozen=True)
class Made:
    """A run in a home folder of its own, and the ledger it was paid in."""

    run: RunFolder
    ledger: Ledger
    place: Path

    def packet(self, cover: Cover = COVER, *, pdf: bool = False) -> Packet:
        return make_packet(self.run, self.place, cover, ledger=self.ledger, pdf=pdf)


def schema() -> Schema:
    """Columns of every type, with labels, a title, missing values, and texts that are formulas."""
    return Schema(
        columns=(
            Column(
                name="age",
                title="Age in years",
                domain=Grid(minimum=Decimal(18), maximum=Decimal(89)),
                buckets=ByWidth(width=Decimal(12)),
            ),
            Column(
                name="job",
                domain=Categories(
                    values=("C", "K", "N", "=1+1"), labels=("Clerk", "Cook", "Nurse", "Other")
                ),
                missing=True,
                missing_codes=unlabelled(("-", "NA")),
            ),
            Column(
                name="pay",
                domain=Grid(
                    kind="numbers",
                    minimum=Decimal("-1.50"),
                    maximum=Decimal("8.25"),
                    step=Decimal("0.25"),
                ),
                missing=True,
            ),
        )
    ).declare_public("From the questionnaire.")


def sourced() -> Schema:
    """The same without a note to the declaration, but with where each column is known from."""
    age, job, pay = schema().columns
    columns = (
        age.changed(origin="codebook"),
        job.changed(origin="custodian", source="=the <form> of 2024"),
        pay.changed(origin="table"),
    )
    return Schema(columns=columns).declare_public()


TOTALS = KnownTotals(
    columns=("job",),
    of="table",
    source="=Staff list of 2024",
    lines=((("Clerk",), 120), (("Cook",), 90), (("Nurse",), 100), (("Other",), 80), (("-",), 10)),
)


def ruled() -> Schema:
    """The same with two rules, and with totals by job that count the table."""
    return (
        schema()
        .with_rules(
            (
                Rule(text='if (job == "C") pay >= 2', name="clerks", origin="law", note="Pay Act"),
                Rule(
                    text="if (age < 20) is.na(job)",
                    note="nobody under 20 is asked",
                    instead=SetMissing(column="job", code="-"),
                ),
            )
        )
        .with_totals((TOTALS,))
        .declare_public("From the questionnaire.")
    )


def aside() -> Schema:
    """The same with its rules set aside."""
    return ruled().set_rules_aside()


def records(found: Schema, rows: int = 900) -> Records:
    return uniform_records(found, rows, 7)


def settings(kind: str) -> dict[str, object]:
    """Of a plan that suits so small a table."""
    common: dict[str, object] = {
        "seeds_at_least": 60,
        "public_records": 900,
        "delta": 1e-4,
        "attempts": 400,
    }
    match kind:
        case "releases":
            # Whichever column is kept, about half the candidates pass: never so few as the floor.
            common |= {"protocol": "releases", "pass_floor": 0.02, "omega": Omega(low=2, high=2)}
            common |= {"test": {"kind": "relative-sensitivity", "k": 4, "epsilon0": 6.0}}
            common |= {"attempts": 10}
        case "sampled":
            common |= {"omega": Omega(low=3, high=3), "sampling": 0.1}
        case "accepted":
            common |= {"omega": Omega(low=3, high=3), "acceptance": ACCEPTANCE}
            common |= {"noisy_tables": True}
        case "seedless" | "sourced" | "ruled" | "aside":
            common |= {"omega": Omega(low=3, high=3), "records_per_person": 2}
        case _:
            common |= {"test": {"k": 20, "gamma": 4.0, "epsilon0": 1.0}}
    return common


def made(home: Path, kind: str, runs: str = "runs") -> Made:
    """Do a run in this process, paid for as any other, in a folder of the home folder."""
    found = {"sourced": sourced, "ruled": ruled, "aside": aside}.get(kind, schema)()
    policies = {"age": "clip"} if kind == "attempts" else {}
    plan = Plan.of(found, policies=policies, **settings(kind))
    seed = 7 if kind == "stained" else None
    ledger = Ledger(home / "ledger.sqlite")
    dataset = Dataset(
        "d-0123456789abcdef", f"{CANARY} people", table="f" * 64, said=PeopleStatement(new=True)
    )
    if kind == "attempts":
        ledger.budget(dataset.name, Budget(1000.0, 1e-2))
    identity = f"20261121T101112-release-{kind}"
    folder = DebitedFolder(home / runs / identity, ledger)
    folder.path.mkdir(parents=True)
    folder.write_text("plan.json", plan.to_json())
    folder.write_text("schema.json", found.to_json())
    folder.write_text(
        "run.json",
        '{"at": "2026-11-21T10:11:12+00:00", "purpose": "release", "stained": '
        f"{'true' if seed else 'false'}}}",
    )
    paid = make_debit(plan_run(plan, found), stained=seed is not None)
    ledger.debit(Debit(identity, dataset, paid))
    folder.write_text("progress.json", '{"state": "starting", "attempts": 80}')
    job = Job(repair_records(records(found)), plan, seed, figures=False)
    holding(job, folder)
    assert do_job(job, folder) == 0
    return Made(RunFolder(folder.path), ledger, home / "packets")


@pytest.fixture(scope="session")
def originals(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """The home folder of a run of each kind, made when first asked for."""
    there: dict[str, Path] = {}

    def original(kind: str) -> Path:
        if kind not in there:
            there[kind] = tmp_path_factory.mktemp(kind)
            made(there[kind], kind)
        return there[kind]

    return original


Making = Callable[..., Made]


@pytest.fixture
def run_of(originals: Callable[[str], Path], tmp_path: Path) -> Making:
    """A run of a kind: attempts, releases, seedless or stained; a copy to be changed at will."""

    def copied(kind: str = "attempts") -> Made:
        home = tmp_path / f"home-{kind}"
        shutil.copytree(originals(kind), home)
        found = next((home / "runs").iterdir())
        return Made(RunFolder(found), Ledger(home / "ledger.sqlite"), home / "packets")

    return copied


@pytest.fixture(scope="session")
def packets_of(
    originals: Callable[[str], Path], tmp_path_factory: pytest.TempPathFactory
) -> Callable[[str], Path]:
    """The folder of a packet of each kind, made once. Not to be changed."""
    there: dict[str, Path] = {}

    def packet(kind: str = "attempts") -> Path:
        if kind not in there:
            home = originals(kind)
            run = RunFolder(next((home / "runs").iterdir()))
            place = tmp_path_factory.mktemp(f"packets-{kind}")
            ledger = Ledger(home / "ledger.sqlite")
            there[kind] = make_packet(run, place, COVER, ledger=ledger, pdf=False).path
        return there[kind]

    return packet


@pytest.fixture
def copied(packets_of: Callable[[str], Path], tmp_path: Path) -> Callable[..., Path]:
    def copy(kind: str = "attempts") -> Path:
        return Path(shutil.copytree(packets_of(kind), tmp_path / "packet", dirs_exist_ok=True))

    return copy
