"""`python -m benchmarks.peers run` and `… evaluate`."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from benchmarks.peers.evaluating import standing
from benchmarks.peers.grid import EPSILONS, SEEDS, grid
from benchmarks.peers.methods import METHODS, Method
from benchmarks.peers.report import as_data, markdown
from benchmarks.peers.running import Run, carry_out, done, failed, underway
from benchmarks.peers.tables import CENSUS, Bench, opened
from understudy.core.refusal import Refusal

RESULTS = Path("build/peers")


def main() -> int:
    """Make runs, or print what was made."""
    chosen = _arguments()
    try:
        benches = _benches(chosen)
        if chosen.what == "run":
            return _run(chosen, benches)
        return _evaluate(chosen, benches)
    except Refusal as refusal:
        print(f"{refusal.problem} {refusal.remedy}", file=sys.stderr)
        return 1


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.peers", description=__doc__)
    parser.add_argument("what", choices=("run", "evaluate"))
    several: dict[str, Any] = {"action": "append", "metavar": "…"}
    parser.add_argument("--table", **several, help="“census” (as without) or a file; repeatable")
    parser.add_argument(
        "--schema", **several, type=Path, help="of the files, in their order; else suggested"
    )
    parser.add_argument("--target", help="the column to predict; else the last of two values")
    parser.add_argument("--only", **several, choices=METHODS, help="a method; repeatable")
    parser.add_argument("--epsilon", **several, type=float, help="as without: 1, 0.1 and 10")
    parser.add_argument("--seed", **several, type=int, help="as without: 1, 2 and 3")
    parser.add_argument("--results", type=Path, default=RESULTS, help="the folder of the results")
    parser.add_argument("--again", action="store_true", help="try again what failed before")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    return parser.parse_args()


def _benches(chosen: argparse.Namespace) -> list[Bench]:
    schemas = iter(chosen.schema or ())
    return [
        opened(table, None if table == CENSUS else next(schemas, None), chosen.target)
        for table in chosen.table or [CENSUS]
    ]


def _methods(chosen: argparse.Namespace) -> list[Method]:
    return [each for key, each in METHODS.items() if not chosen.only or key in chosen.only]


def _runs(chosen: argparse.Namespace, benches: Sequence[Bench]) -> Iterator[Run]:
    names = [bench.name for bench in benches]
    return grid(names, chosen.epsilon or EPSILONS, chosen.seed or SEEDS, _methods(chosen))


def _run(chosen: argparse.Namespace, benches: Sequence[Bench]) -> int:
    by_name = {bench.name: bench for bench in benches}
    broken = 0
    for run in _runs(chosen, benches):
        if _wanted(run, chosen):
            start = time.perf_counter()
            print(f"{time.strftime('%H:%M:%S')} {run}: ", end="", flush=True)
            ran = carry_out(run, METHODS[run.method], by_name[run.table], chosen.results)
            broken += not ran
            print(f"{'done' if ran else 'FAILED'} in {time.perf_counter() - start:.0f} s")
    return 1 if broken else 0


def _wanted(run: Run, chosen: argparse.Namespace) -> bool:
    method = METHODS[run.method]
    results = chosen.results
    if done(run, results) or underway(run, results):
        return False
    if failed(run, results) and not chosen.again:
        return False
    if not Path(method.command[0]).exists():
        raise Refusal(
            f"{method.title} has no environment yet.",
            "Make the environments with: make bench-peers",
        )
    return True


def _evaluate(chosen: argparse.Namespace, benches: Sequence[Bench]) -> int:
    runs = list(_runs(chosen, benches))
    standings = [standing(bench, runs, chosen.results) for bench in benches]
    epsilons = sorted(chosen.epsilon or EPSILONS)
    if chosen.json:
        print(json.dumps(as_data(standings, epsilons), indent=2))
    else:
        print(markdown(standings, epsilons))
    return 0


if __name__ == "__main__":
    sys.exit(main())
