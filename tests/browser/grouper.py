"""Group five hundred codes as somebody new to the page: `python -m tests.browser.grouper`.

Simulated people with a trade, taken from Data through Buckets to Privacy by what is on the screen.
Printed are the clicks and seconds until the trades are in groups, and until Privacy is reached.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from tests.browser import chromium
from tests.browser.custodian import Custodian, browsing, custodian
from tests.browser.serving import serving
from tests.browser.stranger import Stranger

CODES: Final = 500
_MAJORS: Final = tuple(range(11, 55, 2))
_REGIONS: Final = ("north", "east", "south", "west")


@dataclass(frozen=True)
class Reached:
    """How far somebody is.

    Attributes:
        what: in a few words.
        page: the heading of the page they are on.
        clicks: since they gave the table, that one among them.
        seconds: since then.
    """

    what: str
    page: str
    clicks: int
    seconds: float


def trades(rows: int) -> bytes:
    """Simulated people with one of 500 trades, coded in 22 groups, and pay that goes by it."""
    rng = np.random.default_rng(21)
    codes = [
        f"{_MAJORS[place % len(_MAJORS)]}-{1010 + 10 * (place // len(_MAJORS))}"
        for place in range(CODES)
    ]
    trade = np.concatenate([np.arange(CODES), rng.integers(0, CODES, rows - CODES)])
    pay = (trade % len(_MAJORS) // 8 + rng.integers(0, 2, rows)) % 3
    ages, homes = rng.integers(18, 90, rows), rng.integers(0, len(_REGIONS), rows)
    lines = [
        f"{age},{_REGIONS[home]},{codes[place]},{('low', 'mid', 'high')[paid]}"
        for age, home, place, paid in zip(ages, homes, trade, pay, strict=True)
    ]
    return "\n".join(["age,region,trade,pay", *lines]).encode()


def grouped(person: Custodian, table: Path) -> tuple[Reached, ...]:
    """Go from the empty page to Privacy, the codes put into groups on the way.

    Args:
        person: at the page, which no table is open on.
        table: a CSV file in which one column has many codes.
    """
    stranger = Stranger(person, None)
    begun = time.monotonic()

    def reached(what: str) -> Reached:
        return Reached(what, stranger.title(), stranger.clicks, time.monotonic() - begun)

    stranger.give(table)
    # One press for each question that a promise depends on; then the page can be left.
    while stranger.press() and not stranger.leave():
        pass
    given = reached("the table is open, and what a promise depends on is answered")
    # A button that speaks of values goes to the column; one that speaks of groups takes them.
    stranger.seek("values")
    stranger.seek("groups")
    taken = reached("its codes are in groups")
    stranger.press()
    stranger.leave()
    return given, taken, reached("the plan is ahead")


def main(arguments: Sequence[str] | None = None) -> int:
    """Walk once, and print how many clicks and seconds it took."""
    parser = argparse.ArgumentParser(prog="python -m tests.browser.grouper", description=__doc__)
    parser.add_argument("--rows", type=int, default=20_000, help="how many people (20,000)")
    asked = parser.parse_args(arguments)
    path = chromium.NEED.find()
    if path is None:
        print(chromium.NEED.how, file=sys.stderr)
        return 1
    with (
        tempfile.TemporaryDirectory() as folder,
        serving(Path(folder)) as server,
        browsing(path) as browser,
        custodian(browser, server, Path(folder)) as person,
    ):
        table = Path(folder) / "trades.csv"
        table.write_bytes(trades(asked.rows))
        person.arrive()
        for each in grouped(person, table):
            print(f"{each.page}: {each.what}, {each.clicks} clicks, {each.seconds:.1f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
