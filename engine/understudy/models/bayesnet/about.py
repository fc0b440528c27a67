"""What the published network and independent columns are called, and what they need."""

from __future__ import annotations

from typing import Final

from understudy.models.about import ModelAbout

NETWORK: Final = ModelAbout(
    title="published network",
    name="network",
    at_once=False,
    structured=True,
    posterior=True,
    marked=True,
    tells_tables=True,
    dealt="Which columns depend on which is learned from the second part, how they do from the "
    "third.",
)

MARGINALS: Final = ModelAbout(
    title="independent columns",
    name="marginals",
    at_once=False,
    posterior=True,
    relates=False,
    proposed=True,
    tells_tables=True,
    dealt="This model is learned from the third part; the second is of no use to it.",
)
