"""The last hash of the chain, noted beside it, so that a ledger that was lost, emptied or put back
from an older copy is not taken for one in which nothing was spent.

It is written after the chain. So where that is interrupted, the chain is ahead of it, never behind.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

from understudy.core.files import replace_text
from understudy.core.refusal import Refusal
from understudy.ledger.chain import GENESIS, Link

_HASH: Final = re.compile(r"[0-9a-f]{64}")


class NotedHead:
    """The note beside a ledger.

    Args:
        ledger: the file of the chain.
    """

    def __init__(self, ledger: Path) -> None:
        self._ledger = ledger
        self._path = ledger.with_suffix(".head")

    def read(self) -> str:
        """Return the hash that was noted last; `GENESIS` where none was, or it cannot be read."""
        try:
            with self._path.open("rb") as file:
                found = file.read(100).decode("ascii").strip()
        except (OSError, ValueError):
            return GENESIS
        return found if _HASH.fullmatch(found) else GENESIS

    def write(self, links: Sequence[Link]) -> None:
        """Note the last of these. Where the disk refuses that, the older note stands, which holds
        as well."""
        with suppress(OSError):
            replace_text(self._path, f"{links[-1].hash}\n")

    def check(self, noted: str, links: Sequence[Link]) -> None:
        """Check that a chain leads on from what was noted before it was read.

        Raises:
            Refusal: it does not.
        """
        if noted == GENESIS or any(link.hash == noted for link in reversed(links)):
            return
        what = "is gone, or empty" if not links else "lacks events that stood in it"
        raise Refusal(
            f"The ledger {self._ledger} {what}, so it does not tell all that was spent.",
            "Put the newest copy of it back. If that is older, write down elsewhere what was spent "
            f"since, and take {self._path} away: the ledger then goes on with what it holds.",
            field="ledger",
        )
