"""`python -m tests.prepare`: get what the tests need from outside, or say how to.

The tests never go without any of it silently.
"""

from __future__ import annotations

import sys

from tests import postgres
from tests.browser import axe, chromium, nginx

_NEEDS = (chromium.NEED, axe.NEED, nginx.NEED, postgres.NEED)


def main() -> int:
    """Print where everything is, installed if need be; 1 where something could not be got."""
    missing = 0
    for need in _NEEDS:
        place = need.get()
        if place is None:
            print(need.how, file=sys.stderr)
            missing = 1
        else:
            print(f"{need.name}: {place}")
    return missing


if __name__ == "__main__":
    sys.exit(main())
