"""The two privacy tests, and building one by its name."""

from __future__ import annotations

from typing import Annotated, Literal, get_args

from pydantic import Field

from understudy.core.refusal import Refusal
from understudy.privacy.plausibility.deniability import PlausibleDeniability
from understudy.privacy.plausibility.relative import RelativeSensitivity

PrivacyTest = Annotated[PlausibleDeniability | RelativeSensitivity, Field(discriminator="kind")]
"""Either test. Both have `k`, `epsilon0`, `noise`, `coin`, `similarity`,
`scores` and `partial`."""

TestKind = Literal["plausible-deniability", "relative-sensitivity"]

USUAL_GAMMA = 4.0
"""The default γ, which is that of the published evaluation."""


def privacy_test(
    kind: TestKind, k: int, epsilon0: float | None, gamma: float | None = None
) -> PrivacyTest:
    """Return the test of this kind with these parameters.

    Args:
        gamma: for plausible deniability only, and `USUAL_GAMMA` if it is left out.

    Raises:
        Refusal: one of them is out of range, or γ is given to the test that has none; `field`
            is "kind", "k", "epsilon0" or "gamma".
    """
    if kind == "plausible-deniability":
        return PlausibleDeniability(
            k=k, gamma=USUAL_GAMMA if gamma is None else gamma, epsilon0=epsilon0
        )
    if kind != "relative-sensitivity":
        raise Refusal(
            "There is no privacy test of that name.",
            f"Choose {' or '.join(get_args(TestKind))}.",
            field="kind",
        )
    if gamma is not None:
        raise Refusal(
            "The relative-sensitivity test has no γ.",
            "Leave γ out, or choose the plausible-deniability test.",
            field="gamma",
        )
    return RelativeSensitivity(k=k, epsilon0=epsilon0)
