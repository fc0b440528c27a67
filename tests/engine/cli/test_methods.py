"""Bayesian imputation from the command line, to a packet that is verified. A latent model by
command line, from a table of flags to a verified packet. The pMSE mechanism from the command line:
a table of numbers and categories to a packet. From positions, or from the sample city, to a
verified packet of made days. From pictures to a verified packet of made ones.
"""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from tests.engine.cli.conftest import KNOWN, ROWS, Ended
from tests.engine.mechanisms.pmse.tables import ROWS as TABLES_ROWS
from tests.engine.mechanisms.pmse.tables import records, schema
from tests.support import category_schema
from understudy.core.files import INTERNAL
from understudy.ledger.book import Book
from understudy.ledger.ledger import Ledger
from understudy.mechanisms.registry import plan_from_json
from understudy.mechanisms.scored.plan import ScoredPlan
from understudy.privacy.budget import Neighbours
from understudy.runs.control import home_ledger
from understudy.samples.city import EDGE
from understudy.table.encoding import to_csv_bytes
from understudy.table.records import Records
from understudy.table.schema import Schema

Understudy = Callable[..., Ended]


def test_from_a_table_to_a_verified_packet(
    understudy: Understudy, census: Path, census_schema: Path, tmp_path: Path
) -> None:
    plan, out = tmp_path / "plan.json", tmp_path / "out"
    settings = {
        "columns": ["AGEP", "SEX", "MAR"],
        "deviations": {"AGEP": 20},
        "joint": [["SEX", "MAR"]],
        "records": ROWS,
        "public_records": ROWS,
        "used": 1200,
        "release": "imputations",
        "tables": 2,
        "rows": 300,
    }
    given = [
        part for name, each in settings.items() for part in ("--set", f"{name}={json.dumps(each)}")
    ]
    made = understudy(
        "method", "imputation", "--schema", census_schema, *given, "--save-plan", plan, "--json"
    )
    assert made.status == 0, made.err
    assert made.json["guarantee"]["neighbours"] == "replacements"
    asked = ("synthesize", census, "--schema", census_schema, "--plan", plan, "--out", out)
    done = understudy(*asked, "--new-people", "--keep", "--json")
    assert done.status == 0, done.err
    assert {each.name for each in out.iterdir()} == {
        "synthetic.csv", "synthetic-2.csv", "inference.json", "guarantee.json",
    }  # fmt: skip
    found = json.loads((out / "inference.json").read_text())
    assert all(each["low"] <= each["estimate"] <= each["high"] for each in found["of"][0]["shares"])
    (spent,) = home_ledger().book().balances
    assert spent.neighbours is Neighbours.REPLACEMENTS
    packed = understudy("packet", done.json["run"], "--title", "Ages", "--no-pdf", "--json")
    assert packed.status == 0, packed.err
    checked = understudy("verify", packed.json["packet"])
    assert checked.status == 0, checked.out


def test_a_number_of_records_that_nobody_confirmed_is_refused(
    understudy: Understudy, census: Path, census_schema: Path, tmp_path: Path
) -> None:
    plan = tmp_path / "plan.json"
    settings = ("--set", 'columns=["SEX"]', "--set", f"records={ROWS}")
    understudy("method", "imputation", "--schema", census_schema, *settings, "--save-plan", plan)
    asked = ("synthesize", census, "--schema", census_schema, "--plan", plan, "--new-people")
    said = understudy(*asked, "--out", tmp_path / "out").refusal
    assert "nobody has confirmed" in said
    assert isinstance(home_ledger(), Ledger)
    assert not home_ledger().book().runs


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


@pytest.fixture
def table(tmp_path: Path) -> tuple[Path, Path]:
    """A table of a measured number, whole numbers and categories, and its schema."""
    real = records()
    assert real.numbers is not None
    lines = [
        f"{number:.1f},{18 + age},{'abc'[kind]}"
        for (number,), (_, age, kind) in zip(real.numbers, real.codes.tolist(), strict=True)
    ]
    path, declared = tmp_path / "people.csv", tmp_path / "schema.json"
    path.write_text("\n".join(["height,age,kind", *lines]) + "\n", encoding="utf-8")
    schema().save(declared)
    return path, declared


SMALL = (
    "--set", "epsilon=20", "--set", "candidates=800", "--set", "bins=8", "--set", "rows=250",
    "--set", "locating=0.4", "--set", "ratio=1",
)  # fmt: skip


@pytest.mark.parametrize("draws", [1, 2])
def test_from_settings_to_a_verified_packet(
    draws: int, understudy: Understudy, table: tuple[Path, Path], tmp_path: Path
) -> None:
    people, declared = table
    plan, out = tmp_path / "plan.json", tmp_path / "out"
    asked = ("method", "pmse", "--schema", declared, *SMALL, "--set", f"draws={draws}")
    public = ("--set", f"public_records={TABLES_ROWS}", "--set", "epsilon=40", "--save-plan", plan)
    made = understudy(*asked, *public)
    assert made.status == 0, made.err
    assert "replaced by others" in made.out
    done = understudy(
        "synthesize", people, "--schema", declared, "--plan", plan, "--out", out,
        "--new-people", "--keep", "--json",
    )  # fmt: skip
    assert done.status == 0, done.err
    tables = ["synthetic.csv"] if draws == 1 else ["synthetic-1.csv", "synthetic-2.csv"]
    together = ["combined.json"] * (draws > 1)
    assert {each.name for each in out.iterdir()} == {
        *tables, "parameters.json", *together, "guarantee.json",
    }  # fmt: skip
    assert (done.json["guarantee"]["epsilon"], done.json["guarantee"]["delta"]) == (40.0, 0.0)
    book: Book = home_ledger().book()
    assert [each.neighbours for each in book.balances] == [Neighbours.REPLACEMENTS]
    first = (out / tables[0]).read_text(encoding="utf-8").splitlines()
    assert len(first) == 251
    assert {len(line.split(",")[0].partition(".")[2]) for line in first[1:]} == {1}
    models = json.loads((out / "parameters.json").read_text(encoding="utf-8"))["models"]
    assert [len(each) for each in models] == [4] * draws
    run = done.json["run"]
    packet = understudy("packet", run, "--title", "Models", "--no-pdf", "--json").json["packet"]
    checked = understudy("verify", packet)
    assert checked.status == 0, checked.out


def test_nothing_is_spent_where_the_number_of_records_is_another(
    understudy: Understudy, table: tuple[Path, Path], tmp_path: Path
) -> None:
    people, declared = table
    plan = tmp_path / "plan.json"
    asked = ("method", "pmse", "--schema", declared, *SMALL, "--save-plan", plan)
    assert understudy(*asked, "--set", f"public_records={TABLES_ROWS + 1}").status == 0
    refused = understudy(
        "synthesize", people, "--schema", declared, "--plan", plan, "--out", tmp_path / "out",
        "--new-people",
    ).refusal  # fmt: skip
    assert "number of records that the plan says is public" in refused
    assert not home_ledger().book().runs


AREA = ("--south", 0, "--north", EDGE, "--west", 0, "--east", EDGE)


@pytest.fixture
def positions(understudy: Understudy, tmp_path: Path) -> Path:
    """Two weeks of ten people of the city."""
    out = tmp_path / "positions.csv"
    assert understudy("sample", "city", "--people", 10, "--positions", "--out", out).status == 0
    return out


def test_from_positions_to_a_verified_packet(
    understudy: Understudy, positions: Path, tmp_path: Path
) -> None:
    table, schema, plan = (tmp_path / name for name in ("t.csv", "s.json", "p.json"))
    read = understudy("traces", positions, "--out", table, "--schema", schema, *AREA)
    assert read.status == 0, read.err
    assert "--rows 20 --columns 20" in read.out
    declared = understudy("schema", table, "--out", schema, *KNOWN, "An atlas.")
    assert declared.status == 0, declared.err
    asked = understudy(
        "method", "traces", "--schema", schema, "--set", "traces=30", "--save-plan", plan
    )
    assert asked.status == 0, asked.err
    assert "with all of their records" in " ".join(asked.out.split())
    done = understudy(
        "synthesize", table, "--schema", schema, "--plan", plan, "--out", tmp_path / "out",
        "--new-people", "--keep", "--json",
    )  # fmt: skip
    assert done.status == 0, done.err
    said = json.loads((tmp_path / "out" / "guarantee.json").read_text())["guarantee"]
    assert said["record"] is None
    assert said["records_per_person"] is None
    (balance,) = home_ledger().book().balances
    assert balance.spent.epsilon == pytest.approx(said["epsilon"])
    packet = understudy("packet", done.json["run"], "--title", "A city", "--no-pdf", "--json")
    assert packet.status == 0, packet.err
    checked = understudy("verify", packet.json["packet"])
    assert checked.status == 0, checked.out


@pytest.mark.thorough(
    "engine/table/sources/positions/test_reading.py::"
    "test_a_schema_can_say_that_positions_become_the_table"
)
def test_a_schema_by_which_positions_are_read_goes_all_the_way(
    understudy: Understudy, positions: Path, tmp_path: Path
) -> None:
    schema, plan = tmp_path / "s.json", tmp_path / "p.json"
    read = understudy(
        "traces", positions, "--schema", schema, *AREA, "--people", 1000, "--json"
    )  # fmt: skip
    assert read.status == 0, read.err
    assert read.json["table"] is None
    assert read.json["settings"]["rows"] == 10
    declared = understudy("schema", positions, "--out", schema, *KNOWN, "An atlas.")
    assert declared.status == 0, declared.err
    asked = understudy(
        "method", "traces", "--schema", schema, "--set", "traces=5", "--save-plan", plan
    )
    assert asked.status == 0, asked.err
    assert json.loads(plan.read_text())["north_km"] == pytest.approx(2.0, abs=0.01)
    done = understudy(
        "synthesize", positions, "--schema", schema, "--plan", plan, "--out", tmp_path / "out",
        "--new-people", "--keep", "--json",
    )  # fmt: skip
    assert done.status == 0, done.err
    packet = understudy("packet", done.json["run"], "--title", "A city", "--no-pdf", "--json")
    assert packet.status == 0, packet.err
    made = (Path(packet.json["packet"]) / "schema.json").read_text()
    assert json.loads(made)["understudy"]["reading"]["positions"]["area"]["rows"] == 10
    assert understudy("verify", packet.json["packet"]).status == 0


def test_the_sample_city_comes_with_its_schema(understudy: Understudy, tmp_path: Path) -> None:
    out = tmp_path / "city.csv"
    found: dict[str, Any] = understudy(
        "sample", "city", "--people", 3, "--seed", 4, "--out", out, "--json"
    ).json
    assert (found["table"], found["people"], found["seed"]) == (str(out), 3, 4)
    assert Schema.load(Path(found["schema"])).declared
    assert out.read_text().splitlines()[0] == "person,moment,day,slot,place"


def test_what_positions_cannot_be_is_said_at_the_option(
    understudy: Understudy, positions: Path, tmp_path: Path
) -> None:
    asked = ("traces", positions, "--out", tmp_path / "t", "--schema", tmp_path / "s")
    swapped = ("--south", 2, "--north", 1, "--west", 0, "--east", 1)
    assert "--south" in understudy(*asked, *swapped).refusal
    assert "--zone" in understudy(*asked, *AREA, "--zone", "Atlantis").refusal
    assert "--latitude" in understudy(*asked, *AREA, "--latitude", "lat").refusal
    assert not (tmp_path / "t").exists()
    assert not (tmp_path / "s").exists()


SIZE = ("--height", 4, "--width", 4, "--reduced", 2, "--white", 16)
TEST = 'test={"kind": "plausible-deniability", "k": 15, "epsilon0": 1.0, "gamma": 16.0}'
EASY = ("proposer=projected", "attempts=60", "delta=0.001", "seeds_at_least=200",
        "public_records=800", TEST)  # fmt: skip


@pytest.fixture
def pictures_table(understudy: Understudy, tmp_path: Path) -> Path:
    """Simulated shapes of 4 × 4 pixels as a table, beside their schema."""
    file, table, schema = (tmp_path / name for name in ("p.npz", "t.csv", "s.json"))
    assert understudy("sample", "pictures", "--count", 900, "--out", file).status == 0
    read = understudy("pictures", "read", file, *SIZE, "--labels", "disc,square,cross,bar,stroke",
                      "--out", table, "--schema", schema)  # fmt: skip
    assert read.status == 0, read.err
    return table


@pytest.mark.thorough("test_real_pictures_are_drawn_with_the_mark")
def test_from_pictures_to_a_verified_packet(
    understudy: Understudy, pictures_table: Path, tmp_path: Path
) -> None:
    schema, plan, out = tmp_path / "s.json", tmp_path / "plan.json", tmp_path / "out"
    declared = understudy("schema", pictures_table, "--out", schema, *KNOWN, "Shapes.")
    assert declared.status == 0, declared.err
    settings = [each for setting in EASY for each in ("--set", setting)]
    asked = understudy("method", "scored", "--schema", schema, *settings, "--save-plan", plan)
    assert asked.status == 0, asked.err
    run = ("--schema", schema, "--plan", plan, "--out", out, "--new-people", "--keep", "--json")
    done = understudy("synthesize", pictures_table, *run)
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
    understudy: Understudy, pictures_table: Path, tmp_path: Path
) -> None:
    out = tmp_path / "real.npz"
    drawn = understudy(
        "pictures", "draw", pictures_table, "--schema", tmp_path / "s.json", "--out", out
    )
    assert drawn.status == 0, drawn.err
    assert "Internal" in drawn.out
    with np.load(out) as arrays:
        assert str(arrays["internal"]) == INTERNAL
    again = understudy(
        "pictures", "draw", pictures_table, "--schema", tmp_path / "s.json", "--out", out
    )
    assert "exists already" in again.refusal


def test_ten_pictures_of_each_of_forty_people_cannot_be_protected(
    understudy: Understudy, pictures_table: Path, tmp_path: Path
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
        ("schema", table, "--out", schema, "--declare-public", "--origin", "design",
         "--note", "Simulated."),
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
    understudy: Understudy, pictures_table: Path, tmp_path: Path
) -> None:
    plain, schema = tmp_path / "plain.csv", tmp_path / "plain.json"
    read = ("pictures", "read", tmp_path / "p.npz", *SIZE, "--out", plain, "--schema", schema)
    assert understudy(*read).status == 0
    public = ("schema", plain, "--out", schema, *KNOWN, "Simulated.")
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


METHOD_SMALL = ("--set", "attempts=10", "--set", "delta=1e-4", "--set", "test.k=60")


def test_the_methods_are_listed(understudy: Understudy) -> None:
    listed = understudy("method").out
    assert "Seedbased synthesis" in listed
    assert "for models of your own" in " ".join(listed.split())
    names = [each["name"] for each in understudy("method", "--json").json["methods"]]
    assert names == [
        "imputation",
        "latent",
        "plausible-traces",
        "pmse",
        "scored",
        "seedbased",
        "traces",
    ]


def test_with_a_schema_those_that_suit_it_stand_first_and_say_why(
    understudy: Understudy, census_schema: Path
) -> None:
    listed = understudy("method", "--schema", census_schema).out
    assert listed.startswith("seedbased: Seedbased synthesis")
    assert "For this schema (best): Its calibrated model" in " ".join(listed.split())
    first, *others = understudy("method", "--schema", census_schema, "--json").json["methods"]
    assert (first["name"], first["suits"]) == ("seedbased", "best")
    assert first["because"].endswith(".")
    assert any("suits" not in each for each in others)


def test_a_plan_is_made_and_says_what_it_promises(
    understudy: Understudy, census_schema: Path, tmp_path: Path
) -> None:
    path = tmp_path / "plan.json"
    asked = ("method", "scored", "--schema", census_schema, *METHOD_SMALL)
    kind = ("--set", "test.kind=plausible-deniability", "--set", "test.gamma=4")
    eps0 = ("--set", "test.epsilon0=1.0")
    done = understudy(*asked, *kind, *eps0, "--save-plan", path, "--json")
    assert done.status == 0, done.err
    plan = plan_from_json(path.read_text(encoding="utf-8"))
    assert isinstance(plan, ScoredPlan)
    assert (plan.attempts, plan.test.k) == (10, 60)
    assert done.json["plan"] == json.loads(path.read_text(encoding="utf-8"))
    assert done.json["guarantee"]["neighbours"] == "tables"
    said = understudy(*asked, *kind, *eps0)
    assert "Records, publicly known" in said.out
    assert "added or removed" in said.out


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        (("scored",), "Missing option"),
        (("sorcery", "--schema", "SCHEMA"), "“sorcery”, which is not installed"),
        (("scored", "--schema", "SCHEMA", "--set", "attempts"), "is no setting"),
        (("scored", "--schema", "SCHEMA", "--set", "attempts=none"), "attempts"),
        (("scored", "--schema", "SCHEMA", "--set", "heat=1"), "not a setting that exists"),
        (("scored", "--schema", "SCHEMA", "--set", "test=1", "--set", "test.k=2"), "by itself"),
    ],
)
def test_what_cannot_be_used_is_refused(
    typed: tuple[str, ...], said: str, understudy: Understudy, census_schema: Path
) -> None:
    arguments = [str(census_schema) if each == "SCHEMA" else each for each in typed]
    assert said in understudy("method", *arguments).refusal
