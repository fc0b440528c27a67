"""What models of other packages are called, and what they need."""

from __future__ import annotations

from typing import Final

from understudy.models.about import ModelAbout

THIRD_PARTY: Final = ModelAbout(
    title="third-party model", name="third-party", draws_alone=True, claimed=True
)
