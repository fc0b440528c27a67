"""Any model that proposes and scores runs from a plan file to a verified packet."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine.core.refusal import Refusal
from engine.mechanisms.registry import decided
from engine.mechanisms.scored.plan import ScoredPlan
from engine.mechanisms.scored.proposers import GROUP
from engine.models.scoring import Codes
from engine.privacy.budget import Budget
from engine.privacy.noise import Noise
from engine.privacy.plausibility.deniability import PlausibleDeniability
from engine.privacy.randomness import RandomSource
from engine.runs.folder import RunFolder
from engine.runs.work import Job, work
from engine.table.records import Records
from engine.table.schema import Schema
from tests.engine.cli.conftest import Ended
from tests.support import category_schema, holding

Understudy = Callable[..., Ended]
EASY = PlausibleDeniability(k=15, gamma=16.0, epsilon0=1.0)
_UNIT = 2.0**-44


class Shaken:
    """Moves each code by at most one, as if along the axis of a number: a public kernel, so nothing
    is learned."""

    source = "These tests, which learn nothing."

    def check(self, numbers: Any) -> None:
        """It has none."""

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

    def propose(self, seeds: Codes, source: RandomSource) -> Codes:
        steps = source.below(4, seeds.size).reshape(seeds.shape)
        moved = seeds.astype(np.int64) + np.array([-1, 0, 0, 1])[steps]
        return np.clip(moved, 0, self.sizes - 1).astype(np.uint16)

    def log_likelihood(self, seeds: Codes, candidates: Codes) -> Any:
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
    assert said["guarantee"]["epsilon"] == decided(plan, schema).guarantee.total.epsilon
    assert said["guarantee"]["neighbours"] == "tables"
    word = [each for each in said["guarantee"]["assumes"] if "not this program's promise" in each]
    assert bool(word) is (proposer == "shaken")
    packet = understudy("packet", said["run"], "--title", "Scored", "--no-pdf", "--json")
    about = json.loads((Path(packet.json["packet"]) / "guarantee.json").read_text())
    assert about["plan"]["proposer"] == proposer


def records() -> Records:
    codes = np.random.default_rng(4).integers(0, 3, (900, 3)).astype(np.uint16)
    return Records(category_schema(3, 3, 4), codes)


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


def test_a_run_that_was_killed_comes_to_the_same_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from engine.mechanisms.scored.mechanism import Scored
    from engine.runs import releasing

    monkeypatch.setattr(releasing, "_CHECKPOINT_EVERY", 0.0)
    job = Job(records(), plan(), seed=5, figures=False)
    whole, begun = (holding(job, RunFolder(tmp_path / name)) for name in ("whole", "begun"))
    work(job, whole, os.getpid())
    real = Scored.release

    def killed(self: Scored, *arguments: Any) -> Any:
        for number, chunk in enumerate(real(self, *arguments)):
            if number == 2:
                raise KeyboardInterrupt
            yield chunk

    with monkeypatch.context() as dying:
        dying.setattr(Scored, "release", killed)
        with pytest.raises(KeyboardInterrupt):
            work(job, begun, os.getpid())
    work(replace(job, resumed=True), begun, os.getpid())
    ours, theirs = (run.table.read_bytes() for run in (begun, whole))
    assert ours == theirs
    assert ours.count(b"\n") > 100


@pytest.mark.parametrize(
    ("changed", "field"),
    [
        ({"domain": "0" * 64}, "domain"),
        ({"seeds": 0.9, "held_out": 0.1}, "seeds"),
        ({"policies": {"nothing": "refuse"}}, "policies"),
        ({"proposer": "nobody"}, "proposer"),
        ({"numbers": {"redrawn": 2.0}}, "numbers"),
        ({"numbers": {"heat": 0.5}}, "numbers"),
    ],
)
def test_a_plan_that_cannot_be_used_is_refused(changed: dict[str, Any], field: str) -> None:
    with pytest.raises(Refusal) as refused:
        decided(plan(**changed), records().schema)
    assert refused.value.field == field


def test_the_whole_is_the_larger_part_within_its_delta() -> None:
    found = decided(plan(), records().schema).guarantee
    assert found.total.epsilon == max(each.cost.epsilon for each in found.parts)
    assert found.total.delta <= 1e-3
    several = decided(plan(records_per_person=3, epsilon=0.1, attempts=1), records().schema)
    assert several.guarantee.total.delta <= 1e-3
    assert several.guarantee.total.epsilon == pytest.approx(3 * several.guarantee.record.epsilon)


def test_nobody_has_confirmed_what_is_counted_on() -> None:
    from engine.mechanisms.scored.mechanism import MECHANISM

    with pytest.raises(Refusal, match="nobody has confirmed") as refused:
        MECHANISM.check_public(decided(plan(public_records=None), records().schema))
    assert refused.value.field == "public_records"
    with pytest.raises(Refusal, match="fewer records"):
        MECHANISM.check_records(decided(plan(), records().schema), 100)
