"""Both readings of flags run from a plan to a verified packet, several rows a code where asked."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from tests.engine.cli.conftest import Ended
from tests.support import category_schema
from understudy.mechanisms.registry import plan_from_json, plan_run
from understudy.mechanisms.scored.plan import ScoredPlan
from understudy.privacy.plausibility.privacy_test import PlausibleDeniability
from understudy.table.encoding import to_csv_bytes
from understudy.table.records import Records


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
