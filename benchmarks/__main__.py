"""`python -m benchmarks NAME [--quick | --tiny] [--json]`."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Any

from benchmarks.size import measured

BENCHES = (
    "core",
    "any-model",
    "accounting",
    "growth",
    "foresight",
    "intervals",
    "several-tables",
    "marked",
    "levels",
    "rules",
    "rules-kept",
    "dates",
    "durations",
    "excess",
    "evaluation",
    "models",
    "latent-models",
    "latent",
    "latent-noise",
    "latent-cap",
    "latent-projection",
    "utility",
    "page",
    "sweep",
    "sources",
    "streamed",
    "wide-page",
    "wide",
    "shapes",
    "release",
    "cluster",
    "soak",
    "bombs",
    "pmse",
    "imputation",
    "traces",
    "traces-curve",
    "plausible",
    "published-traces",
    "traces-attack",
)
"""Each is a module here, by a name with hyphens, that has `measure` and `table`."""


def bench(name: str) -> Any:
    """The module of a benchmark; only it is loaded, as what others need takes time and memory."""
    return import_module(f"benchmarks.{name.replace('-', '_')}")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one benchmark and print its figures."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("name", choices=BENCHES)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    sizes = parser.add_mutually_exclusive_group()
    sizes.set_defaults(size="full")
    for size, said in (
        ("quick", "a tenth of the records"),
        ("tiny", "a few seconds, to see that it runs: its figures say nothing"),
    ):
        sizes.add_argument(f"--{size}", dest="size", action="store_const", const=size, help=said)
    chosen = parser.parse_args(arguments)
    module = bench(chosen.name)
    figures = measured(module.measure, chosen.size)
    print(json.dumps(figures, indent=2) if chosen.json else module.table(figures))
    return 0


if __name__ == "__main__":
    sys.exit(main())
