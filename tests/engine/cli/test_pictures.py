"""From pictures to a verified packet of made ones."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from tests.engine.cli.conftest import Ended
from understudy.core.files import INTERNAL

Understudy = Callable[..., Ended]

SIZE = ("--height", 4, "--width", 4, "--reduced", 2, "--white", 16)
TEST = 'test={"kind": "plausible-deniability", "k": 15, "epsilon0": 1.0, "gamma": 16.0}'
EASY = ("proposer=projected", "attempts=60", "delta=0.001", "seeds_at_least=200",
        "public_records=800", TEST)  # fmt: skip


@pytest.fixture
def table(understudy: Understudy, tmp_path: Path) -> Path:
    """Simulated shapes of 4 × 4 pixels as a table, beside their schema."""
    file, table, schema = (tmp_path / name for name in ("p.npz", "t.csv", "s.json"))
    assert understudy("sample", "pictures", "--count", 900, "--out", file).status == 0
    read = understudy("pictures", "read", file, *SIZE, "--labels", "disc,square,cross,bar,stroke",
                      "--out", table, "--schema", schema)  # fmt: skip
    assert read.status == 0, read.err
    return table


@pytest.mark.thorough("test_real_pictures_are_drawn_with_the_mark")
def test_from_pictures_to_a_verified_packet(
    understudy: Understudy, table: Path, tmp_path: Path
) -> None:
    schema, plan, out = tmp_path / "s.json", tmp_path / "plan.json", tmp_path / "out"
    declared = understudy("schema", table, "--out", schema, "--declare-public", "--note", "Shapes.")
    assert declared.status == 0, declared.err
    settings = [each for setting in EASY for each in ("--set", setting)]
    asked = understudy("method", "scored", "--schema", schema, *settings, "--save-plan", plan)
    assert asked.status == 0, asked.err
    done = understudy("synthesize", table, "--schema", schema, "--plan", plan, "--out", out,
                      "--new-people", "--keep", "--json")  # fmt: skip
    assert done.status == 0, done.err
    made = out / "synthetic.csv"
    drawn = understudy("pictures", "draw", made, "--schema", schema, "--released", "--out",
                       tmp_path / "made.npz")  # fmt: skip
    assert drawn.status == 0, drawn.err
    with np.load(tmp_path / "made.npz") as arrays:
        assert arrays["pictures"].shape == (made.read_text().count("\n") - 1, 4, 4)
        assert "internal" not in arrays.files
    packet = understudy("packet", done.json["run"], "--title", "Shapes", "--no-pdf", "--json")
    assert packet.status == 0, packet.err
    checked = understudy("verify", packet.json["packet"])
    assert checked.status == 0, checked.out


def test_real_pictures_are_drawn_with_the_mark(
    understudy: Understudy, table: Path, tmp_path: Path
) -> None:
    out = tmp_path / "real.npz"
    drawn = understudy("pictures", "draw", table, "--schema", tmp_path / "s.json", "--out", out)
    assert drawn.status == 0, drawn.err
    assert "Internal" in drawn.out
    with np.load(out) as arrays:
        assert str(arrays["internal"]) == INTERNAL
    again = understudy("pictures", "draw", table, "--schema", tmp_path / "s.json", "--out", out)
    assert "exists already" in again.refusal


def test_ten_pictures_of_each_of_forty_people_cannot_be_protected(
    understudy: Understudy, table: Path, tmp_path: Path
) -> None:
    test = 'test={"kind": "plausible-deniability", "k": 180, "epsilon0": 0.09, "gamma": 2.0}'
    few = ("proposer=projected", "attempts=1", "records_per_person=10", "seeds_at_least=200",
           "public_records=400", test)  # fmt: skip
    settings = [each for setting in few for each in ("--set", setting)]
    asked = understudy("method", "scored", "--schema", tmp_path / "s.json", *settings)
    assert "out of reach" in asked.refusal


@pytest.mark.thorough(
    "engine/mechanisms/latent/test_mechanism.py::test_pictures_begin_with_principal_directions"
)
def test_from_an_archive_to_a_verified_packet_of_a_latent_model(
    understudy: Understudy, tmp_path: Path
) -> None:
    light = np.random.default_rng(8).integers(0, 3, (500, 1, 1))
    grey = (light + np.random.default_rng(9).integers(0, 3, (500, 3, 3))).astype(np.uint8)
    archive, table, schema, plan = (
        tmp_path / each for each in ("p.zip", "t.csv", "s.json", "p.json")
    )
    with zipfile.ZipFile(archive, "w") as packed:
        for place, each in enumerate(grey):
            drawn = io.BytesIO()
            Image.fromarray(each * 63).save(drawn, "PNG")
            packed.writestr(f"{place}.png", drawn.getvalue())
    steps = (
        ("pictures", "read", archive, "--out", table, "--schema", schema, "--height", 3,
         "--width", 3, "--levels", 4),
        ("schema", table, "--out", schema, "--declare-public", "--note", "Simulated."),
        ("method", "latent", "--schema", schema, "--set", "rows=200", "--save-plan", plan),
        ("synthesize", table, "--schema", schema, "--plan", plan, "--out", tmp_path / "out",
         "--new-people", "--keep", "--json"),
    )  # fmt: skip
    for step in steps:
        done = understudy(*step)
        assert done.status == 0, done.err
    assert json.loads(plan.read_text())["model"] == "principal"
    assert done.json["guarantee"]["epsilon"] == 1
    packet = understudy("packet", done.json["run"], "--title", "Shapes", "--no-pdf", "--json")
    assert packet.status == 0, packet.err
    checked = understudy("verify", packet.json["packet"])
    assert checked.status == 0, checked.out


def test_pictures_of_too_few_people_are_refused_before_one_is_read(
    understudy: Understudy, tmp_path: Path
) -> None:
    asked = ("pictures", "read", tmp_path / "none.npz", *SIZE, "--out", tmp_path / "t.csv",
             "--schema", tmp_path / "s.json", "--people", 40)  # fmt: skip
    refused = understudy(*asked, "--pictures-per-person", 10)
    assert refused.status != 0
    assert "nothing can be released" in refused.err
    assert "4 records of one person" in refused.err
    assert "none.npz" in understudy(*asked[:-1], 200, "--pictures-per-person", 5).err
    assert "--people" in understudy(*asked[:-1], 0).err


def test_between_made_pictures_is_drawn_by_the_model_alone(
    understudy: Understudy, table: Path, tmp_path: Path
) -> None:
    plain, schema = tmp_path / "plain.csv", tmp_path / "plain.json"
    read = ("pictures", "read", tmp_path / "p.npz", *SIZE, "--out", plain, "--schema", schema)
    assert understudy(*read).status == 0
    public = ("schema", plain, "--out", schema, "--declare-public", "--note", "Simulated.")
    assert understudy(*public).status == 0
    plan = tmp_path / "plan.json"
    given = ("--set", "rows=60", "--set", "width=4", "--set", "epsilon=20")
    asked = understudy("method", "latent", "--schema", schema, *given, "--save-plan", plan)
    assert asked.status == 0, asked.err
    done = understudy("synthesize", plain, "--schema", schema, "--plan", plan, "--out",
                      tmp_path / "out", "--new-people", "--keep", "--json")  # fmt: skip
    assert done.status == 0, done.err
    for what in ("walks", "decodings"):
        sheet = tmp_path / f"{what}.png"
        drawn = understudy("pictures", "between", done.json["run"], "--show", what, "--out", sheet)
        assert drawn.status == 0, drawn.err
        assert "Internal" not in drawn.out
        with Image.open(sheet) as picture:
            assert "Comment" not in picture.info
    for refused, why in (
        (("--show", "labels", "--out", tmp_path / "l.png"), "have no labels"),
        (("--show", "all", "--out", tmp_path / "l.png"), "is not known"),
        (("--out", tmp_path / "l.csv"), "A sheet is a PNG"),
    ):
        assert why in understudy("pictures", "between", done.json["run"], *refused).err
