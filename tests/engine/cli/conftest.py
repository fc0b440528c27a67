from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from understudy.cli import main
from understudy.samples.census import SCHEMA, write

ROWS = 1543
SMALL = (
    "--k", "25", "--attempts", "3000", "--records", "1500", "--seeds-at-least", "300",
    "--delta", "1e-6",
)  # fmt: skip
"""Options of a plan that the census below is enough for."""


KNOWN = ("--declare-public", "--origin", "codebook", "--note")
"""Options that declare a schema public, before the note."""


def everything(folder: Path) -> set[str]:
    """The paths of all that stands in a folder."""
    return {each.relative_to(folder).as_posix() for each in folder.rglob("*")}


@dataclass(frozen=True)
class Ended:
    """How a command ended."""

    status: int
    out: str
    err: str

    @property
    def json(self) -> dict[str, Any]:
        def refuse(constant: str) -> None:
            raise AssertionError(f"{constant} is not JSON")

        found = json.loads(self.out, parse_constant=refuse)
        assert isinstance(found, dict)
        return found

    @property
    def refusal(self) -> str:
        """The sentence of a command that said no."""
        assert self.status == 2, self
        assert self.out == ""
        assert "Traceback" not in self.err
        last = self.err.splitlines()[-1]
        assert last.startswith("understudy: ")
        return last.removeprefix("understudy: ")


@pytest.fixture(autouse=True)
def home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home folder of its own for every test, so that no ledger outlives it."""
    place = tmp_path_factory.mktemp("home")
    monkeypatch.setenv("UNDERSTUDY_HOME", str(place))
    return place


@pytest.fixture(autouse=True)
def done_here(in_this_process: None) -> None:
    """What commands start is done in this process, except for those that are processes
    themselves."""


@pytest.fixture
def understudy(capsys: pytest.CaptureFixture[str]) -> Callable[..., Ended]:
    """Run `understudy …` in this process."""

    def run(*arguments: object) -> Ended:
        capsys.readouterr()
        status = main([str(each) for each in arguments])
        said = capsys.readouterr()
        return Ended(status, said.out, said.err)

    return run


@pytest.fixture(scope="session")
def census(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small simulated census."""
    path = tmp_path_factory.mktemp("census") / "census.csv"
    write(ROWS, path, 7)
    return path


@pytest.fixture(scope="session")
def census_schema() -> Path:
    """Its schema, declared public."""
    return SCHEMA


@pytest.fixture
def small(tmp_path: Path) -> tuple[Path, Path]:
    """A table of two columns with values that stray, and its schema, declared public."""
    from understudy.table.schema import Schema

    table, schema = tmp_path / "small.csv", tmp_path / "small.json"
    rows = [f"{number % 40},{'xy'[number % 2]}" for number in range(400)]
    table.write_text("\n".join(["age,kind", *rows, "inf,x", "4711secret,y"]), encoding="utf-8")
    fields = [
        {"name": "age", "type": "integer", "constraints": {"minimum": 0, "maximum": 30}},
        {"name": "kind", "type": "string", "constraints": {"required": True, "enum": ["x", "y"]}},
    ]
    Schema.from_json(json.dumps({"fields": fields})).declare_public().save(schema)
    return table, schema
