"""Boxes of the Privacy page keep their place while a refusal comes and goes: one that moves is
built anew in the browser, and loses what is being typed into it."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import Block

from understudy_dashboard.session import Session

Opened = Callable[..., AppTest]
Place = tuple[int, ...]
_TYPED_IN = ("number_input", "text_input", "text_area")


def places(page: AppTest) -> dict[str, Place]:
    """Where each box of a page stands, by its key: its number in every block it is in."""
    return dict(_places(page.main, ()))


def _places(block: Block, within: Place) -> Iterator[tuple[str, Place]]:
    for number, each in block.children.items():
        if isinstance(each, Block):
            yield from _places(each, (*within, number))
        elif each.type in _TYPED_IN:
            yield str(each.key), (*within, number)


def test_a_refusal_moves_no_box_when_it_appears_nor_when_it_goes(
    opened: Opened, session: Session
) -> None:
    page = opened("privacy", session, by_hand=True)
    page.number_input(key="k-box").set_value(30).run()
    before = places(page)
    assert {"k-box", "attempts-box"} <= before.keys()
    page.number_input(key="k-box").set_value(0).run()
    assert ["k has to be a whole number" in each.value for each in page.error] == [True]
    refused = places(page)
    assert {"k-box", "attempts-box"} <= refused.keys()
    assert {key: place for key, place in before.items() if refused.get(key, place) != place} == {}
    page.number_input(key="k-box").set_value(20).run()
    assert not page.error
    assert places(page) == before
