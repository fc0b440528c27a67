"""How a reproduced number is defined, as published and here."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Definition:
    """How one table, figure or claim comes about.

    Attributes:
        of: its name in the source, such as “Figure 6”.
        published: what is measured, on what, by the text.
        ours: the same here.
        why: where the two differ, the reason; "" where they are the same.
    """

    of: str
    published: str
    ours: str
    why: str = ""

    @property
    def same(self) -> bool:
        """Whether nothing but the records differs."""
        return not self.why
