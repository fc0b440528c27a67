"""`python -m benchmarks NAME [--json]`."""

from __future__ import annotations

import argparse
import json
import sys

from benchmarks import (
    accounting,
    core,
    foresight,
    growth,
    models,
    page,
    sources,
    sweep,
    utility,
    wide,
)

BENCHES = {
    "core": core,
    "accounting": accounting,
    "growth": growth,
    "foresight": foresight,
    "models": models,
    "utility": utility,
    "page": page,
    "sweep": sweep,
    "sources": sources,
    "wide": wide,
}


def main() -> int:
    """Run one benchmark and print its figures."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("name", choices=BENCHES)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--quick", action="store_true", help="a tenth of the records")
    chosen = parser.parse_args()
    bench = BENCHES[chosen.name]
    figures = bench.measure(quick=chosen.quick)
    print(json.dumps(figures, indent=2) if chosen.json else bench.table(figures))
    return 0


if __name__ == "__main__":
    sys.exit(main())
