"""The picture of the rooms in docs/architecture.md, drawn from the imports. `python -m
tests.engine.test_rooms` writes it; tests/engine/test_rooms.py compares the two. The rooms of the
engine: who may import whom, as the table in CONTRIBUTING.md says.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Final

import pytest

from tests.counts import ROOT, list_importers

DOCUMENT: Final = ROOT / "docs" / "architecture.md"
_BETWEEN: Final = re.compile(r"(?<=<!-- rooms -->\n).*?(?=<!-- /rooms -->)", re.DOTALL)


def name_room(module: str) -> str:
    """Return the room of a module as the picture has it."""
    parts = module.removesuffix(".__init__").split(".")
    if parts[0] != "understudy" or len(parts) == 1:
        return parts[0]
    if len(parts) > 3 and parts[1] == "mechanisms" and parts[3] in _COMPANIONS:
        return f"mechanisms/*/{parts[3]}"
    return parts[1]


_COMPANIONS: Final = {"charts", "report", "inquiries", "cli"}


def list_arrows() -> dict[str, set[str]]:
    """Return which rooms each room imports, leaving out those that it reaches through others."""
    arrows: dict[str, set[str]] = {}
    for module, importers in list_importers().items():
        for importer in importers:
            above, below = name_room(importer), name_room(module)
            if above != below:
                arrows.setdefault(above, set()).add(below)
    return {
        room: {other for other in others if not _reaches(arrows, others - {other}, other)}
        for room, others in arrows.items()
    }


def _reaches(arrows: Mapping[str, set[str]], starts: set[str], goal: str) -> bool:
    seen, ahead = set[str](), list(starts)
    while ahead:
        room = ahead.pop()
        if room == goal:
            return True
        if room not in seen:
            seen.add(room)
            ahead += arrows.get(room, ())
    return False


def draw_rooms() -> str:
    """Return the picture as a Mermaid graph, an arrow from each room to what it imports."""
    lines = [
        f'    {_key(room)}["{room}"] --> {_key(other)}["{other}"]'
        for room, others in sorted(list_arrows().items())
        for other in sorted(others)
    ]
    return "\n".join(["```mermaid", "graph TD", *lines, "```", ""])


def _key(room: str) -> str:
    return re.sub(r"\W+", "_", room)


def read_picture(document: Path = DOCUMENT) -> str:
    """Return the picture that the document holds."""
    held = _BETWEEN.search(document.read_text(encoding="utf-8"))
    assert held is not None, f"{document} has no place for the picture"
    return held[0]


def main() -> None:
    """Write the picture into the document."""
    text = DOCUMENT.read_text(encoding="utf-8")
    DOCUMENT.write_text(_BETWEEN.sub(lambda _: draw_rooms(), text), encoding="utf-8")


if __name__ == "__main__":
    main()


ROOMS_ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ROOMS_ROOT / "engine"
FILES = {
    ".".join(path.relative_to(PACKAGES).with_suffix("").parts).removesuffix(".__init__"): path
    for path in sorted(PACKAGES.rglob("*.py"))
}
"""Every module of the engine, by its name."""

LONGEST_FUNCTION = 60

_BLOCKS = ("body", "orelse", "finalbody", "handlers", "cases")


@cache
def statements(path: Path) -> tuple[ast.AST, ...]:
    """Every statement of a file, those within others too; read when first asked for, not when tests
    are gathered."""
    found: list[ast.AST] = [ast.parse(path.read_text(encoding="utf-8"))]
    for node in found:
        for block in _BLOCKS:
            within = getattr(node, block, [])
            found.extend(within if isinstance(within, list) else [])
    return tuple(found)


def imported(path: Path) -> Iterator[str]:
    """The modules that a file imports, at its head or within a function, for its types too."""
    for node in statements(path):
        if isinstance(node, ast.Import):
            yield from (each.name for each in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            assert not node.level, f"{path} imports from beside itself; name the whole module"
            within = [f"{node.module}.{each.name}" for each in node.names]
            yield from (each if each in FILES else node.module for each in within)


def rooms(contributing: str) -> tuple[str, ...]:
    """The rooms of the engine from the first to the last, as the table has them."""
    found = re.findall(r"^\| `(understudy/[\w/*]+)` \|", contributing, re.MULTILINE)
    return tuple(each.replace("/", ".") for each in found)


ROOMS = rooms((ROOMS_ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"))


def within(module: str, room: str) -> bool:
    """Whether a module is in a room; “*” in a room's name stands for the folder of any method."""
    parts, of_room = module.split("."), room.split(".")
    return len(parts) >= len(of_room) and all(
        one in ("*", other) for one, other in zip(of_room, parts, strict=False)
    )


def room_of(module: str) -> str:
    """The innermost room that a module is in; its own name where it is in none."""
    around = [room for room in ROOMS if within(module, room)]
    return max(around, key=lambda room: room.count("."), default=module)


def upwards(imports: Mapping[str, set[str]]) -> list[str]:
    """Every import of a room that comes later in the table, as “module imports module”."""
    place = {room: number for number, room in enumerate(ROOMS)}
    return sorted(
        f"{module} imports {other}"
        for module, others in imports.items()
        for other in others
        if place[room_of(other)] > place[room_of(module)]
    )


@cache
def within_the_engine() -> Mapping[str, set[str]]:
    """Which modules of the engine each of them imports."""
    return {
        name: {
            each for each in imported(path) if each in FILES and each not in ("understudy", name)
        }
        for name, path in FILES.items()
    }


def circles(imports: Mapping[str, set[str]]) -> list[str]:
    """Modules that import themselves by way of others."""
    left = {name: set(others) for name, others in imports.items()}
    while ends := [name for name, others in left.items() if not others & left.keys()]:
        for name in ends:
            del left[name]
    found: set[str] = set()
    for start in left:
        reached, ahead = set[str](), [start]
        while ahead:
            for other in left[ahead.pop()] & left.keys() - reached:
                reached.add(other)
                ahead.append(other)
        if start in reached:
            found.add(start)
    return sorted(found)


def test_every_module_is_in_a_room() -> None:
    assert not [
        name
        for name in FILES
        if name != "understudy"
        and room_of(name) not in ROOMS
        and (not any(room.startswith(f"{name}.") for room in ROOMS))
    ]


def test_every_room_is_there() -> None:
    assert len(ROOMS) > 20
    assert not [room for room in ROOMS if not any(within(name, room) for name in FILES)]


def test_nothing_is_imported_upwards() -> None:
    imports = within_the_engine().items()
    assert not upwards({name: others for name, others in imports if room_of(name) in ROOMS})


def test_an_import_upwards_is_seen() -> None:
    wrong = {"understudy.privacy.budget": {"understudy.core.refusal", "understudy.ledger.book"}}
    assert upwards(wrong) == ["understudy.privacy.budget imports understudy.ledger.book"]


def test_what_a_method_brings_is_a_room_of_its_own() -> None:
    assert room_of("understudy.mechanisms.new.report") == "understudy.mechanisms.*.report"
    assert room_of("understudy.mechanisms.new.plan") == "understudy.mechanisms"


def method_of(module: str) -> str:
    """The folder of a method that a module is in; empty where it is in none."""
    parts = module.split(".")
    folder = ".".join(parts[:3])
    return (
        folder
        if within(module, "understudy.mechanisms.*") and f"{folder}.mechanism" in FILES
        else ""
    )


def into_methods(imports: Mapping[str, set[str]]) -> list[str]:
    """Every import from a method's folder by a module outside it, as “module imports module”."""
    return sorted(
        f"{module} imports {other}"
        for module, others in imports.items()
        for other in others
        if method_of(other) not in ("", method_of(module)) and not _beside(module)
    )


BESIDE = ("understudy.assurance", "understudy.studies")
"""The rooms that check methods and run published evaluations again, with a folder for each."""


def _beside(module: str) -> bool:
    return any(within(module, room) for room in BESIDE)


def _is_command_line(module: str) -> bool:
    """Return whether a module is of the command line."""
    rooms = ("understudy.cli", "understudy.mechanisms.*.cli")
    return any(within(module, room) for room in rooms)


def test_the_product_does_without_its_checks_and_studies() -> None:
    wrong = {
        f"{module} imports {other}"
        for module, others in within_the_engine().items()
        for other in others
        if _beside(other) and not _beside(module) and not _is_command_line(module)
    }
    assert not wrong


def test_nobody_imports_from_the_folder_of_a_method() -> None:
    assert not into_methods(within_the_engine())


def test_an_import_from_the_folder_of_a_method_is_seen() -> None:
    plan = "understudy.mechanisms.seedbased.plan"
    wrong = {"understudy.cli.options": {plan}, "understudy.mechanisms.seedbased.promise": {plan}}
    assert into_methods(wrong) == [f"understudy.cli.options imports {plan}"]


def test_the_picture_of_the_rooms_is_drawn_from_the_imports() -> None:
    assert read_picture() == draw_rooms(), "python -m tests.engine.test_rooms draws it again"


def test_no_files_import_each_other_in_a_circle() -> None:
    assert not circles(within_the_engine())


def test_a_circle_is_seen() -> None:
    assert circles({"a": {"b"}, "b": {"c"}, "c": {"b"}, "d": {"a"}}) == ["b", "c"]


def test_nothing_of_the_page_is_imported() -> None:
    strangers = {"understudy_dashboard", "streamlit"}
    found = {
        name: strangers & {each.partition(".")[0] for each in imported(path)}
        for name, path in FILES.items()
    }
    assert not {name: each for name, each in found.items() if each}


@pytest.mark.parametrize("folder", ["engine", "dashboard"])
def test_functions_fit_on_a_screen(folder: str) -> None:
    long = [
        f"{path.relative_to(ROOMS_ROOT)}: {node.name}"
        for path in sorted((ROOMS_ROOT / folder).rglob("*.py"))
        for node in statements(path)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and (node.end_lineno or 0) - node.lineno >= LONGEST_FUNCTION
    ]
    assert not long
