"""How common the commonest keys are on weekdays of the simulated city. Public: nobody lives there.

`python -m benchmarks plausible` prints them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from engine.mechanisms.plausible_traces.keys import Keeps

CITY: Final[Mapping[Keeps, tuple[float, ...]]] = {
    "outline": (0.3818, 0.1729, 0.1434, 0.0962, 0.0568, 0.0472, 0.0214, 0.016, 0.0156, 0.0148),
    "pattern": (0.3818, 0.0956, 0.0837, 0.0805, 0.0628, 0.0521, 0.0232, 0.0219, 0.0215, 0.0211),
    "departure": (0.2937, 0.084, 0.0681, 0.0628, 0.0498, 0.0371, 0.0349, 0.0288, 0.0221, 0.0202),
    "hours": (0.0628, 0.0557, 0.0375, 0.032, 0.031, 0.0271, 0.0266, 0.0187, 0.0148, 0.0134),
}
