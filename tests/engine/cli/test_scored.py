"""Any model that proposes and scores runs from a plan file to a verified packet. Both readings of
flags run from a plan to a verified packet, several rows a code where asked.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.engine.cli.conftest import Ended
from tests.engine.runs.interrupting import killed_and_gone_on
from tests.support import category_schema
from understudy.core.arrays import CodeArray
from understudy.core.refusal import Refusal
from understudy.mechanisms.registry import plan_from_json, plan_run
from understudy.mechanisms.scored.plan import ScoredPlan
from understudy.mechanisms.scored.proposers import GROUP
from understudy.privacy.budget import Budget
from understudy.privacy.noise import Noise
from understudy.privacy.plausibility.privacy_test import PlausibleDeniability
from understudy.privacy.randomness import RandomSource, Secret
from understudy.runs.table_file import WithinCells
from understudy.runs.work import Job
from understudy.table.categories import Categories
from understudy.table.column import Column
from understudy.table.continuous import Continuous
from understudy.table.encoding import to_csv_bytes
from understudy.table.records import Records
from understudy.table.schema import Schema

Understudy = Callable[..., Ended]
EASY = PlausibleDeniability(k=15, gamma=16.0, epsilon0=1.0)
_UNIT = 2.0**-44


class Shaken:
    """Moves each code by at most one, as if along the axis of a number: a public kernel, so nothing
    is learned."""

    source = "These tests, which learn nothing."

    settings: tuple[()] = ()

    def cost(self, schema: Schema, budget: Budget) -> Budget:
        return Budget(0.0)

    def learn(
        self, records: Records, budget: Budget, numbers: Any, noise: Noise, source: RandomSource
    ) -> Kernel:
        return Kernel(records.schema.cardinalities)

    def restore(self, schema: Schema, arrays: Any) -> Kernel:
        return Kernel(arrays["sizes"])


class Kernel:
    def __init__(self, sizes: Any) -> None:
        self.sizes = np.asarray(sizes, dtype=np.int64)

    def arrays(self) -> Any:
        return {"sizes": self.sizes}

    def propose(self, seeds: CodeArray, source: RandomSource) -> CodeArray:
        steps = source.below(4, seeds.size).reshape(seeds.shape)
        moved = seeds.astype(np.int64) + np.array([-1, 0, 0, 1])[steps]
        return np.clip(moved, 0, self.sizes - 1).astype(np.uint16)

    def decode(self, candidates: CodeArray, source: RandomSource) -> CodeArray:
        return candidates

    def log_likelihood(self, seeds: CodeArray, candidates: CodeArray) -> Any:
        """A step either way with 1/4, where there is no edge; exact sums of rounded logarithms."""
        found = np.zeros((len(seeds), len(candidates)))
        for at, size in enumerate(self.sizes.tolist()):
            law = np.zeros((size, size))
            for step, weight in ((-1, 0.25), (0, 0.5), (1, 0.25)):
                for code in range(size):
                    law[code, min(max(code + step, 0), size - 1)] += weight
            with np.errstate(divide="ignore"):
                logs = np.rint(np.log(law) / _UNIT) * _UNIT
            found += logs[seeds[:, at][:, None], candidates[:, at][None, :]]
        return found


@pytest.fixture
def shaken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As if a package with this proposer were installed."""
    about = tmp_path / "packages" / "shaken-1.0.dist-info"
    about.mkdir(parents=True)
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: shaken\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(f"[{GROUP}]\nshaken = {__name__}:Shaken\n")
    monkeypatch.syspath_prepend(str(about.parent))


@pytest.mark.parametrize("proposer", ["redrawn", "shaken"])
@pytest.mark.usefixtures("shaken")
def test_from_the_plan_file_to_a_packet(
    proposer: str,
    understudy: Understudy,
    census: Path,
    census_schema: Path,
    tmp_path: Path,
) -> None:
    schema = Schema.load(census_schema)
    plan = ScoredPlan(
        domain=schema.fingerprint,
        proposer=proposer,
        test=EASY,
        attempts=400,
        delta=1e-3,
        seeds_at_least=400,
        public_records=1000,
    )
    path, out = tmp_path / "plan.json", tmp_path / "out"
    path.write_text(plan.to_json(), encoding="utf-8")
    done = understudy(
        "synthesize", census, "--schema", census_schema, "--plan", path, "--out", out,
        "--new-people", "--keep", "--json",
    )  # fmt: skip
    assert done.status == 0, done.err
    said = done.json
    assert said["guarantee"]["epsilon"] == plan_run(plan, schema).guarantee.total.epsilon
    assert said["guarantee"]["neighbours"] == "tables"
    word = [each for each in said["guarantee"]["assumes"] if "not this program's promise" in each]
    assert bool(word) is (proposer == "shaken")
    packet = understudy("packet", said["run"], "--title", "Scored", "--no-pdf", "--json")
    about = json.loads((Path(packet.json["packet"]) / "guarantee.json").read_text())
    assert about["plan"]["proposer"] == proposer


def records() -> Records:
    codes = np.random.default_rng(4).integers(0, 3, (900, 3)).astype(np.uint16)
    return Records(category_schema(3, 3, 4), codes)


def measured(count: int) -> Records:
    """Two columns of numbers that go together, one of them missing now and then, and a category."""
    rng = np.random.default_rng(9)
    one = rng.normal(60, 12, count)
    both = np.column_stack([one, 110 + one + rng.normal(0, 5, count)])
    weights = Continuous(minimum=20, maximum=100, precision="0.5", step=5)
    heights = Continuous(minimum=120, maximum=220, precision="1", step=5)
    schema = Schema(
        columns=(
            Column(name="weight", domain=weights, missing=True),
            Column(name="height", domain=heights),
            Column(name="sex", domain=Categories(values=("m", "f"))),
        )
    ).declare_public()
    cells = np.clip((both - [20, 120]) // 5, 0, [15, 19]).astype(np.int64)
    cells[rng.random(count) < 0.1, 0] = 16
    codes = np.column_stack([cells, rng.integers(0, 2, count)]).astype(np.uint16)
    return WithinCells(schema, Secret.fixed(3)).records(codes, 0)


def plan(**changed: Any) -> ScoredPlan:
    usual: dict[str, Any] = {
        "domain": records().schema.fingerprint,
        "test": EASY,
        "attempts": 3000,
        "delta": 1e-3,
        "seeds_at_least": 200,
        "public_records": 800,
    }
    return ScoredPlan(**{**usual, **changed})


@pytest.mark.parametrize("proposer", ["redrawn", "projected"])
def test_a_run_that_was_killed_comes_to_the_same_table(proposer: str, tmp_path: Path) -> None:
    held = records() if proposer == "redrawn" else measured(900)
    of = plan(domain=held.schema.fingerprint, proposer=proposer)
    run = killed_and_gone_on(Job(held, of, seed=5, figures=False), 2, tmp_path)
    assert run.table.read_bytes().count(b"\n") > 100


@pytest.mark.parametrize(
    ("changed", "field"),
    [
        ({"domain": "0" * 64}, "domain"),
        ({"seeds": 0.9, "held_out": 0.1}, "seeds"),
        ({"policies": {"nothing": "refuse"}}, "policies"),
        ({"proposer": "nobody"}, "proposer"),
        ({"numbers": {"redrawn": 2.0}}, "numbers.redrawn"),
        ({"numbers": {"heat": 0.5}}, "numbers"),
    ],
)
def test_a_plan_that_cannot_be_used_is_refused(changed: dict[str, Any], field: str) -> None:
    with pytest.raises(Refusal) as refused:
        plan_run(plan(**changed), records().schema)
    assert refused.value.field == field


@pytest.mark.parametrize(
    "measures",
    [False, pytest.param(True, marks=pytest.mark.thorough("test_projected_numbers_to_a_packet"))],
)
def test_projected_numbers_to_a_packet(
    measures: bool, understudy: Understudy, tmp_path: Path
) -> None:
    held = measured(1200)
    table, schema, plan = (tmp_path / name for name in ("t.csv", "s.json", "plan.json"))
    table.write_bytes(to_csv_bytes(held))
    held.schema.save(schema)
    settings = {
        "proposer": "projected",
        "numbers": json.dumps({"directions": 1, "disturbed": 1.0}),
        "test": EASY.model_dump_json(),
        "attempts": 800,
        "delta": 1e-3,
        "seeds_at_least": 400,
        "public_records": 1000,
    }
    given = [part for name, each in settings.items() for part in ("--set", f"{name}={each}")]
    made = understudy("method", "scored", "--schema", schema, *given, "--save-plan", plan)
    assert made.status == 0, made.err
    done = understudy(
        "synthesize", table, "--schema", schema, "--plan", plan, "--out", tmp_path / "out",
        "--new-people", "--keep", "--json",
    )  # fmt: skip
    assert done.status == 0, done.err
    promised = plan_run(plan_from_json(plan.read_text(encoding="utf-8")), held.schema).guarantee
    assert done.json["guarantee"]["epsilon"] == promised.total.epsilon > 1.0
    if measures:
        asked = "--table", table, "--target", "sex", "--repeats", 1, "--quiet"
        evaluated = understudy("evaluate", done.json["run"], *asked)
        assert evaluated.status == 0, evaluated.err
    packet = understudy("packet", done.json["run"], "--title", "Numbers", "--no-pdf", "--json")
    assert packet.status == 0, packet.err
    assert understudy("verify", packet.json["packet"]).status == 0


@pytest.mark.parametrize(
    ("numbers", "field"),
    [
        ({"directions": 1.5}, "numbers.directions"),
        ({"directions": 17}, "numbers.directions"),
        ({"public": 0.5}, "numbers.public"),
        ({"disturbed": 0.0}, "numbers.disturbed"),
        ({"heat": 1.0}, "numbers"),
        ({}, "proposer"),
    ],
)
def test_numbers_cannot_be_projected_so(numbers: dict[str, float], field: str) -> None:
    """The last, because no column has any."""
    with pytest.raises(Refusal) as refused:
        plan_run(plan(proposer="projected", numbers=numbers), records().schema)
    assert refused.value.field == field


def test_the_whole_is_the_larger_part_within_its_delta() -> None:
    found = plan_run(plan(), records().schema).guarantee
    assert found.total.epsilon == max(each.cost.epsilon for each in found.parts)
    assert found.total.delta <= 1e-3
    several = plan_run(plan(records_per_person=3, epsilon=0.1, attempts=1), records().schema)
    assert several.guarantee.total.delta <= 1e-3
    assert several.guarantee.total.epsilon == pytest.approx(3 * several.guarantee.record.epsilon)


def test_nobody_has_confirmed_what_is_counted_on() -> None:
    from understudy.mechanisms.scored.mechanism import MECHANISM

    with pytest.raises(Refusal, match="nobody has confirmed") as refused:
        MECHANISM.check_public(plan_run(plan(public_records=None), records().schema))
    assert refused.value.field == "public_records"
    with pytest.raises(Refusal, match="fewer records"):
        MECHANISM.check_records(plan_run(plan(), records().schema), 100)


@pytest.mark.parametrize(
    ("proposer", "copies", "among"),
    [("projection", 1, None), ("latent-noise", 3, "c0 = v1"), ("factor-noise", 2, None)],
)
def test_flags_to_a_packet(
    proposer: str, copies: int, among: str | None, understudy: Callable[..., Ended], tmp_path: Path
) -> None:
    rng = np.random.default_rng(9)
    rows = 1200 if among is None else 3600
    hidden = rng.normal(0, 1, (rows, 1)) + rng.normal(0, 1, (rows, 6))
    held = Records(category_schema(*[2] * 6).declare_public(), (hidden > 0.5).astype(np.uint16))
    table, schema, plan = (tmp_path / name for name in ("t.csv", "s.json", "plan.json"))
    table.write_bytes(to_csv_bytes(held))
    held.schema.save(schema)
    of = ScoredPlan(
        domain=held.schema.fingerprint,
        proposer=proposer,
        numbers={"factors" if proposer == "factor-noise" else "directions": 1, "ones": 4},
        test=PlausibleDeniability(k=15, gamma=16.0, epsilon0=1.0),
        attempts=300,
        copies=copies,
        seeds_among=among,
        delta=1e-3,
        seeds_at_least=400,
        public_records=1000,
    )
    plan.write_text(of.to_json(), encoding="utf-8")
    done = understudy(
        "synthesize", table, "--schema", schema, "--plan", plan, "--out", tmp_path / "out",
        "--new-people", "--keep", "--json",
    )  # fmt: skip
    assert done.status == 0, done.err
    found = plan_run(of, held.schema).guarantee
    assert done.json["guarantee"]["epsilon"] == found.total.epsilon
    assert any("not independent" in each for each in found.scope.reader_sees) is (copies > 1)
    made = next((tmp_path / "out").rglob("*.csv")).read_text().count("\n") - 1
    assert made > 50
    assert made % copies == 0
    packet = understudy("packet", done.json["run"], "--title", "Flags", "--no-pdf", "--json")
    assert packet.status == 0, packet.err
    assert understudy("verify", packet.json["packet"]).status == 0


def test_attempts_are_told_by_k_and_a_plan_is_saved(
    understudy: Callable[..., Ended], tmp_path: Path
) -> None:
    held, (schema, plan, saved) = category_schema(2, 2), [tmp_path / each for each in "spt"]
    held.save(schema)
    of = ScoredPlan(domain=held.fingerprint, seeds_at_least=20_000)
    plan.write_text(of.to_json(), encoding="utf-8")
    asked = "attempts", "--plan", plan, "--schema", schema
    found = understudy(*asked, "--k", 5, "--k", 2000, "--json").json
    assert found["seeds_at_least"] == 20_000
    (one,) = found["attempts"]
    assert one["k"] == 2_000
    assert one["epsilon"] <= 1
    done = understudy(*asked, "--k", 2000, "--save-plan", saved)
    assert f"{one['attempts']:,} attempts" in done.out
    again = plan_from_json(saved.read_text(encoding="utf-8"))
    assert isinstance(again, ScoredPlan)
    assert (again.attempts, again.test.k) == (one["attempts"], 2_000)
    assert understudy(*asked, "--save-plan", saved).status == 2
    assert understudy(*asked, "--k", 5).status == 2
