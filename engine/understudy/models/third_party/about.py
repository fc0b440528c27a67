"""What models of other packages are called, and what they need."""

from __future__ import annotations

from typing import Final

from understudy.models.about import About

THIRD_PARTY: Final = About(
    title="third-party model", name="third-party", draws_alone=True, claimed=True
)
