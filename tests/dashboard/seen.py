"""What is before one's eyes on a page of a test: its words and buttons, without what is folded.

It counts as `tests.browser.stranger` does in a browser, except for the letters in charts, for which
it allows as many words as the longest axes and legends have.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import Block

_IN_A_CHART: Final = 30
_TEXTS: Final = frozenset(
    {"markdown", "caption", "title", "header", "subheader", "info", "success", "warning", "error"}
)
_BUTTONS: Final = frozenset({"button", "download_button", "button_group"})
_MARKUP: Final = re.compile(r"\]\([^)]*\)|:material/\w+:|<[^>]*>")
_WORD: Final = re.compile(r"\w")


@dataclass(frozen=True)
class Seen:
    """What there is on a page.

    Attributes:
        words: how many words.
        buttons: how many buttons, the signs for help and what opens a fold that floats among them.
    """

    words: int
    buttons: int


def seen(page: AppTest) -> Seen:
    """Count what is on a page."""
    texts, buttons = list[str](), 0
    for element in _open(page.main):
        texts += _texts(element)
        buttons += _buttons(element)
    words = sum(len(_WORD.findall(text)) > 0 for said in texts for text in _split(said))
    return Seen(words, buttons)


def _open(block: Block) -> Iterator[Any]:
    """Every element and fold of a block, without what a closed fold holds."""
    for child in block.children.values():
        if not isinstance(child, Block):
            yield child
            continue
        label = _label(child)
        if label is not None:
            yield child
        if child.type == "popover" or (child.type == "expander" and not child.proto.expanded):
            continue
        yield from _open(child)


def _label(block: Block) -> str | None:
    """What a fold is called; None of what is none."""
    if block.type == "expander":
        return str(block.proto.label)
    return str(block.proto.popover.label) if block.type == "popover" else None


def _split(said: str) -> list[str]:
    return _MARKUP.sub(" ", said).split()


def _texts(element: Any) -> Iterator[str]:
    if isinstance(element, Block):
        yield _label(element) or ""
        return
    if element.type in _TEXTS:
        yield str(element.value)
        return
    proto = getattr(element, "proto", None)
    if element.type in ("vega_lite_chart", "arrow_vega_lite_chart"):
        yield "word " * _IN_A_CHART
        return
    if element.type in ("arrow_table", "table"):
        yield element.value.to_csv(sep=" ")
        return
    if getattr(getattr(proto, "label_visibility", None), "value", 0) == 0:
        yield str(getattr(element, "label", "") or "")
    yield from map(str, getattr(element, "options", ()) if element.type == "radio" else ())
    yield from map(str, getattr(proto, "captions", ()) if element.type == "radio" else ())
    if element.type == "metric":
        yield str(element.value)


def _buttons(element: Any) -> int:
    if isinstance(element, Block):
        return int(element.type == "popover")
    helped = bool(getattr(element, "help", "") or "")
    if element.type == "button_group":
        return len(element.options)
    if element.type in _BUTTONS:
        return 1
    return int(helped)
