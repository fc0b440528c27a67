"""What the documents point at is there: files of the repository, headings, names in the code."""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
DOCUMENTS = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("sample_data/*.md")])
WITHIN = (
    ROOT,
    ROOT / "engine",
    ROOT / "engine" / "understudy",
    ROOT / "docs",
    ROOT / "tests",
    ROOT / "tests" / "engine",
)
"""Where a path may begin that stands in a document."""

PATH = re.compile(r"(?<![\w/.:-])((?:\w+/)+\w+\.(?:py|js|css|toml))(?![\w/])")
LINK = re.compile(r"\]\(([^)\s]+)\)")
FILE = re.compile(r"`(\w+\.py)`")
IMPORT = re.compile(r"^ *from (understudy(?:_dashboard)?\b[\w.]*) import (.+)$", re.MULTILINE)
NAME = re.compile(r"`(understudy(?:_dashboard)?(?:\.\w+)+)")
ELSEWHERE = re.compile(r"^[a-z]+:")
GROUP = re.compile(r'^GROUP\b.* = "([\w.]+)"$', re.MULTILINE)
named = pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)


@cache
def anchors(document: Path) -> frozenset[str]:
    """The anchors of the headings of a document, as a forge makes them."""
    headings = re.findall(r"^#+ (.+)$", document.read_text(encoding="utf-8"), re.MULTILINE)
    return frozenset(map(slug, headings))


def slug(heading: str) -> str:
    """The anchor of a heading."""
    kept = (c for c in heading.lower() if c in " -_" or unicodedata.category(c)[0] in "LN")
    return "".join(kept).replace(" ", "-")


@named
def test_every_link_leads_somewhere(document: Path) -> None:
    for target in LINK.findall(document.read_text(encoding="utf-8")):
        if ELSEWHERE.match(target):
            continue
        path, _, anchor = target.partition("#")
        place = (document.parent / path).resolve() if path else document
        assert place.exists(), target
        assert not anchor or anchor in anchors(place), target


@named
def test_every_file_that_is_named_is_there(document: Path) -> None:
    missing = [
        path
        for path in PATH.findall(document.read_text(encoding="utf-8"))
        if not any((place / path).exists() for place in WITHIN)
    ]
    assert missing == []


@named
def test_every_file_that_is_called_by_its_name_alone_is_there(document: Path) -> None:
    assert set(FILE.findall(document.read_text(encoding="utf-8"))) <= file_names()


@cache
def file_names() -> frozenset[str]:
    """The names of all modules, wherever they are."""
    rooms = ("benchmarks", "dashboard", "engine", "sample_data", "tests")
    return frozenset(path.name for room in rooms for path in (ROOT / room).rglob("*.py"))


@named
def test_every_name_in_the_code_is_there(document: Path) -> None:
    missing = [
        name
        for name in NAME.findall(document.read_text(encoding="utf-8"))
        if name not in groups() and not known(name)
    ]
    assert missing == []


@cache
def groups() -> frozenset[str]:
    """The entry points by which other packages bring something."""
    texts = (
        path.read_text(encoding="utf-8")
        for room in ("engine", "dashboard")
        for path in (ROOT / room).rglob("*.py")
    )
    return frozenset(name for text in texts for name in GROUP.findall(text))


@named
def test_everything_that_an_example_imports_is_there(document: Path) -> None:
    missing = [
        f"{module}.{name}"
        for module, names in IMPORT.findall(document.read_text(encoding="utf-8"))
        for name in names.split(", ")
        if not known(f"{module}.{name}")
    ]
    assert missing == []


def known(name: str) -> bool:
    """Whether a dotted name is a module, or something that stands in one."""
    parts = name.split(".")
    for length in range(len(parts), 0, -1):
        spec = _spec(".".join(parts[:length]))
        if spec is not None:
            rest = parts[length:]
            text = Path(spec).read_text(encoding="utf-8")
            made = (rf"(?:def|class) {each}\b|^\s*{each}\s*[:=]" for each in rest)
            return all(re.search(each, text, re.MULTILINE) for each in made)
    return False


def _spec(name: str) -> str | None:
    try:
        found = find_spec(name)
    except ModuleNotFoundError:
        return None
    return None if found is None else found.origin
