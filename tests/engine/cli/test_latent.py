"""A latent model by command line, from a table of flags to a verified packet."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from tests.engine.cli.conftest import Ended
from tests.support import category_schema
from understudy.table.encoding import to_csv_bytes
from understudy.table.records import Records


@pytest.mark.usefixtures("few_trees")
def test_flags_to_a_packet(understudy: Callable[..., Ended], tmp_path: Path) -> None:
    rng = np.random.default_rng(9)
    hidden = rng.normal(0, 1, (1500, 1)) + rng.normal(0, 1, (1500, 6))
    held = Records(category_schema(*[2] * 6).declare_public(), (hidden > 0.5).astype(np.uint16))
    table, schema, plan = (tmp_path / name for name in ("t.csv", "s.json", "plan.json"))
    table.write_bytes(to_csv_bytes(held))
    held.schema.save(schema)
    saved = understudy(
        "method", "latent", "--schema", schema, "--set", "rows=800", "--set", "epsilon=2",
        "--save-plan", plan,
    )  # fmt: skip
    assert saved.status == 0, saved.err
    done = understudy(
        "synthesize", table, "--schema", schema, "--plan", plan, "--out", tmp_path / "out",
        "--new-people", "--keep", "--json",
    )  # fmt: skip
    assert done.status == 0, done.err
    assert done.json["guarantee"]["epsilon"] == 2
    assert next((tmp_path / "out").rglob("*.csv")).read_text().count("\n") == 801
    measured = understudy("evaluate", done.json["run"], "--table", table, "--json", "--repeats", 1)
    assert measured.status == 0, measured.err
    packet = understudy("packet", done.json["run"], "--title", "Flags", "--no-pdf", "--json")
    assert packet.status == 0, packet.err
    assert understudy("verify", packet.json["packet"]).status == 0
