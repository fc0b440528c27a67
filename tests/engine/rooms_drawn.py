"""The picture of the rooms in docs/architecture.md, drawn from the imports.

`python -m tests.engine.rooms_drawn` writes it; tests/engine/test_rooms.py compares the two.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final

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
