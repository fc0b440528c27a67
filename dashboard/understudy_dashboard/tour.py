"""The tour for a first visit: what its stops are, where somebody is, and who has seen it.

Who has seen it stands in the home folder, so it is not offered again after a restart.
"""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from understudy.core.files import make_private, replace_text
from understudy.core.refusal import Refusal
from understudy_dashboard.glossary import term

_FILE: Final = "tour.json"


@dataclass(frozen=True)
class Stop:
    """One step of the tour.

    Attributes:
        page: the page it is about, by its file.
        name: what that page is called.
        text: what to see there, in Markdown.
        shown: what of the page is framed meanwhile, as a CSS selector.
        before: said in place of the text as long as the page has nothing to show.
    """

    page: str
    name: str
    text: str
    shown: str
    before: str = ""


STOPS: Final = (
    Stop(
        "data",
        "Data",
        "Here a table is described. For every column stands what it may contain, and you confirm "
        f"that this is public knowledge: it is {term('declared public')}, and comes from a form "
        f"or a {term('codebook')}, never from the {term('record', 'records')}. The simulated "
        "people of the sample census are described already.",
        '[class*="st-key-internal-columns"]',
    ),
    Stop(
        "buckets",
        "Buckets",
        f"Where one column helps to predict another, its values are put into "
        f"{term('bucket', 'buckets')}, such as age groups. Wide ones drown less in "
        f"{term('noise')}; narrow ones tell more apart. Released records keep their fine values.",
        ".st-key-one-bucketing",
    ),
    Stop(
        "privacy",
        "Privacy",
        f"You say how much any one person may be shown to matter: {term('epsilon')}. The planner "
        "finds settings that keep to it. What they promise always stands at the left, and "
        "follows every change.",
        ".st-key-meter",
    ),
    Stop(
        "generate",
        "Generate",
        f"Read what the run {term('spend', 'spends')} and what may be published afterwards, tick "
        "that you have read it, and press **Generate**. The run goes on by itself, and you may go "
        "on with the tour as soon as it has finished.",
        ".st-key-generate, .st-key-another",
    ),
    Stop(
        "inspect",
        "Inspect",
        "What was kept of the real table, and what was lost. Figures in a dashed frame are "
        f"{term('internal')}: computed from real records without {term('noise')}, for your eyes "
        "only. They are in no file for release.",
        '[class*="st-key-internal-"]',
        before="What was kept and what was lost is shown here once a run has finished. Go back a "
        "step to make one, or look at the rest first.",
    ),
    Stop(
        "release",
        "Release",
        f"The synthetic table, and the {term('statement')} of what is promised about it. Both go "
        "to whoever asked for the table, and to the review board that has to agree. To show the "
        "board a run on a wall, use **Present**.",
        '[class*="st-key-download"], [class*="st-key-packet"]',
        before="The synthetic table and its guarantee are shown here once a run has finished. To "
        "show a run to a review board on a wall, use **Present**.",
    ),
)


@dataclass(frozen=True)
class Tour:
    """Where one visitor is.

    Attributes:
        at: the stop, counted from 0; None where the tour is not under way.
        offered: whether it is still to be offered.
    """

    at: int | None = None
    offered: bool = False

    @property
    def stop(self) -> Stop | None:
        """The stop that the visitor is at."""
        return None if self.at is None else STOPS[self.at]

    @property
    def last(self) -> bool:
        """Whether no stop follows."""
        return self.at == len(STOPS) - 1

    def begun(self) -> Tour:
        """At the first stop."""
        return Tour(at=0)

    def moved(self, by: int) -> Tour:
        """So many stops further; ended when that is past the last, and never before the first."""
        if self.at is None:
            return self
        there = max(0, self.at + by)
        return self.ended() if there >= len(STOPS) else replace(self, at=there)

    def on(self, page: str) -> Tour:
        """At the stop about a page that the visitor has gone to; where there is one."""
        if self.at is None:
            return self
        there = (place for place, stop in enumerate(STOPS) if stop.page == page)
        return replace(self, at=next(there, self.at))

    def ended(self) -> Tour:
        """No longer under way, nor offered."""
        return Tour()


def tour_was_ended(home: Path, who: str) -> bool:
    """Return whether somebody has ended the tour, or turned it down.

    Args:
        home: the home folder.
        who: the person's key; empty for whoever uses this machine.
    """
    return who in _read(home)


def keep_seen(home: Path, who: str) -> None:
    """Remember that somebody has seen the tour; where nothing can be written, nothing is."""
    with suppress(OSError, Refusal):
        make_private(home)
        replace_text(home / _FILE, json.dumps(sorted({*_read(home), who})))


def _read(home: Path) -> frozenset[str]:
    try:
        said = json.loads((home / _FILE).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return frozenset()
    known = said if isinstance(said, list) else []
    return frozenset(each for each in known if isinstance(each, str))


def spotlight(stop: Stop) -> str:
    """CSS that frames what a stop is about, without covering it."""
    # Only the first: a page may hold several of a kind.
    return (
        f"<style>:is({stop.shown}):not(:is({stop.shown}) :is({stop.shown})) "
        "{ outline: 0.2rem solid light-dark(#6b4fa0, #b9a3e3); outline-offset: 0.4rem; "
        "border-radius: 0.3rem; }</style>"
    )


CSS: Final = """
.st-key-tour {
  border: 0.15rem solid light-dark(#6b4fa0, #b9a3e3);
  border-radius: 0.5rem;
  padding: 0.8rem 1rem;
  background: light-dark(#f5f1fc, #221c30);
}
.st-key-tour p { margin-bottom: 0.25rem; }
"""
