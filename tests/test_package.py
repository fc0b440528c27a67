"""The package as it is imported and installed: two names, loaded when they are used."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest
from setuptools import find_packages

import understudy

ROOT = Path(__file__).resolve().parents[1]
OURS = {"understudy", "understudy_dashboard"}


def in_a_process_of_its_own(program: str, folder: Path) -> list[str]:
    """The line of JSON that a program printed last."""
    ended = subprocess.run(
        [sys.executable, "-c", program],
        cwd=folder,
        capture_output=True,
        text=True,
        check=True,
    )
    found: list[str] = json.loads(ended.stdout.splitlines()[-1])
    return found


def test_the_import_loads_nothing_else(tmp_path: Path) -> None:
    program = (
        "import json, sys\n"
        "before = set(sys.modules)\n"
        "import understudy\n"
        "dir(understudy)\n"
        "print(json.dumps(sorted(set(sys.modules) - before)))\n"
    )
    loaded = in_a_process_of_its_own(program, tmp_path)
    foreign = (name for name in loaded if name.partition(".")[0] not in sys.stdlib_module_names)
    assert [*foreign] == ["understudy"]


def test_every_name_is_there_and_no_other() -> None:
    assert set(understudy.__all__) <= set(dir(understudy))
    for name in understudy.__all__:
        assert getattr(understudy, name).__name__ == name
        assert getattr(understudy, name).__doc__
    with pytest.raises(AttributeError, match="no attribute 'synthesise'"):
        understudy.synthesise  # noqa: B018


def test_a_folder_with_an_engine_and_sample_data_of_its_own_is_no_trouble(tmp_path: Path) -> None:
    for name in ("engine", "sample_data", "dashboard"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text("raise ImportError('not ours')\n")
    program = (
        "import json, understudy\n"
        "from understudy.samples import census\n"
        "there = str(census.TABLE.exists())\n"
        "print(json.dumps([understudy.__file__, there, understudy.plan.__name__]))\n"
    )
    where, there, name = in_a_process_of_its_own(program, tmp_path)
    assert where == understudy.__file__
    assert (there, name) == ("True", "plan")


def test_only_our_two_packages_are_found() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    folders = project["tool"]["setuptools"]["packages"]["find"]["where"]
    found = {name.partition(".")[0] for each in folders for name in find_packages(ROOT / each)}
    assert found == OURS


@pytest.mark.thorough("test_only_our_two_packages_are_found")
def test_a_wheel_holds_our_two_packages_and_the_samples(tmp_path: Path) -> None:
    checkout, wheels = tmp_path / "checkout", tmp_path / "wheels"
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    for name in filter(None, listed.stdout.split("\0")):
        (checkout / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, checkout / name, follow_symlinks=False)
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "-w", str(wheels), "."]
    built = subprocess.run(command, cwd=checkout, capture_output=True, text=True, check=False)
    if "No matching distribution found for setuptools" in built.stderr:
        pytest.skip("the build tools of this machine are too old, and no newer ones can be had")
    assert built.returncode == 0, built.stderr
    (wheel,) = wheels.glob("*.whl")
    names = zipfile.ZipFile(wheel).namelist()
    assert {name.partition("/")[0] for name in names if ".dist-info/" not in name} == OURS
    assert {
        f"understudy/samples/files/{each}" for each in ("census.csv", "census.schema.json")
    } <= {*names}
