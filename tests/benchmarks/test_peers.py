"""What the comparison with peers does by itself; no peer is needed."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import numpy as np
import pytest

from benchmarks.peers import running
from benchmarks.peers.drivers.exchange import Job, Seconds
from benchmarks.peers.evaluating import MARGINALS, REALS, Evaluated, Standing, standing
from benchmarks.peers.grid import grid
from benchmarks.peers.methods import METHODS, OURS, Method
from benchmarks.peers.ours import WAYS
from benchmarks.peers.report import as_data, derived, markdown
from benchmarks.peers.running import Run, carry_out, done, exchanged, failed, made, underway
from benchmarks.peers.tables import Bench, cut
from benchmarks.peers.worth import ABOUT
from understudy.core.refusal import Refusal
from understudy.privacy.randomness import RandomSource
from understudy.samples import census
from understudy.table.records import Records

_DRIVER = """
import json, sys
from pathlib import Path
import numpy as np
folder = Path(sys.argv[1])
job = json.loads((folder / "job.json").read_text())
if job["settings"].get("broken"):
    sys.exit("no such luck")
codes = np.load(job["table"])["codes"][: job["count"]]
np.savez(folder / "codes.npz", codes=codes)
taken = {"wall": 1.0, "core": 2.0}
about = {"fit": taken, "sample": taken, "records": 600, "peak_bytes": 10**9}
about["million"] = {**taken, "peak_bytes": 1}
(folder / "run.json").write_text(json.dumps(about))
"""


@pytest.fixture(scope="module")
def bench() -> Bench:
    """600 simulated records of a table of five columns of few values."""
    schema = census.schema()
    kept = [schema.names.index(name) for name in ("COW", "MAR", "RELP", "SEX", "WAGP")]
    few = type(schema)(columns=tuple(schema.columns[place] for place in kept))
    return cut("few", Records(few, census.simulate(600, 7)[:, kept]), None, ["A note."])


@pytest.fixture
def copying(tmp_path: Path) -> Method:
    """A method that gives the first records back."""
    driver = tmp_path / "driver.py"
    driver.write_text(_DRIVER, encoding="utf-8")
    return Method("marginals", "copying", "none", "nothing", Path(sys.executable), (str(driver),))


def test_tested_records_are_not_learned_from_and_others_are_said_to_be(bench: Bench) -> None:
    assert (len(bench.learned), len(bench.held_out), bench.made) == (500, 100, 500)
    assert bench.target == "WAGP"
    assert "“Other reals” are 500 of those learned from." in bench.notes[0]
    schema = census.schema()
    numbered = np.zeros((600, len(schema)), dtype=np.uint16)
    numbered[:, 0], numbered[:, 8] = np.divmod(np.arange(600), 100)
    parts = cut("numbered", Records(schema, numbered), None)
    learned, tested = (
        {tuple(row) for row in part.codes.tolist()} for part in (parts.learned, parts.held_out)
    )
    assert len(learned) == 500
    assert len(learned | tested) == 600


def test_the_grid_has_every_run_once_and_the_slow_ones_seed_by_seed() -> None:
    methods = [METHODS["aim"], METHODS["independent"]]
    runs = list(grid(["one", "two"], [1, 0.1, 10], [1, 2], methods))
    assert len(runs) == len(set(runs)) == 2 * 3 * 2 * 2
    quick = [Run("independent", "one", 1, seed) for seed in (1, 2)]
    assert runs[:4] == [Run("aim", "one", 1, 1), *quick, Run("aim", "two", 1, 1)]
    slow = [(run.epsilon, run.seed) for run in runs if run.method == "aim" and run.table == "one"]
    assert slow == [(1, 1), (0.1, 1), (1, 2), (0.1, 2), (10, 1), (10, 2)]


def test_a_result_is_there_whole_or_not_at_all(
    bench: Bench, copying: Method, tmp_path: Path
) -> None:
    run, results = Run("marginals", bench.name, 1, 1), tmp_path / "results"
    broken = Method(**{**vars(copying), "settings": {"broken": True}})
    assert not carry_out(run, broken, bench, results)
    assert (failed(run, results), done(run, results)) == (True, False)
    assert carry_out(run, copying, bench, results)
    assert done(run, results)
    assert np.array_equal(made(run, results), bench.learned.codes)
    left = {path.name for path in run.folder(results).parent.iterdir()}
    assert left == {"1", "1.failed"}


def test_a_run_that_another_process_is_at_is_left_to_it(tmp_path: Path) -> None:
    run = Run("aim", "t", 1, 1)
    folder = run.folder(tmp_path)
    folder.with_name(f"1.part-{2**30}").mkdir(parents=True)
    assert not underway(run, tmp_path)
    folder.with_name(f"1.part-{os.getpid()}").mkdir()
    assert underway(run, tmp_path)


def test_results_of_other_records_are_not_mixed(bench: Bench, tmp_path: Path) -> None:
    assert exchanged(bench, tmp_path) == exchanged(bench, tmp_path)
    other = Bench(bench.name, bench.learned, bench.others, bench.held_out, bench.target)
    with pytest.raises(Refusal, match="other records"):
        exchanged(other, tmp_path)


def test_a_job_reads_as_written_and_takes_nothing_outside_the_domain(tmp_path: Path) -> None:
    job = Job(tmp_path, "m", {"k": 2}, 1.0, 1e-9, 3, 2, False, tmp_path / "t", ("a", "b"), (2, 3))
    job.write()
    assert Job.read(tmp_path) == job
    second = Seconds(1, 1)
    three = [[0, 0]] * 3
    for codes in ([[0, 0], [1, 3]], [[0, 0], [-1, 0]], three, three[:0], [[0], [1]]):
        with pytest.raises(ValueError, match=r"outside|asked for"):
            job.leave(np.array(codes), second, second, 0, None)
    assert not (tmp_path / "run.json").exists()
    job.leave(np.array([[0, 0], [1, 2]]), second, second, 5, None)
    found = json.loads((tmp_path / "run.json").read_text())
    assert (found["peak_bytes"], found["records"]) == (5, 2)


def test_figures_are_worked_out_once_and_reals_are_the_best_there_is(
    bench: Bench, copying: Method, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = Run("marginals", bench.name, 1, 1)
    assert carry_out(run, copying, bench, tmp_path)
    found = standing(bench, [run, Run("mst", bench.name, 1, 1)], tmp_path)
    assert [each.run for each in found.runs] == [run]
    reals, marginals = found.references[REALS], found.references[MARGINALS]
    copied = found.runs[0].figures
    # The others of a small table are those learned from, which the driver gives back.
    assert {**copied, "forest": 0, "tree": 0} == pytest.approx({**reals, "forest": 0, "tree": 0})
    assert marginals["pair_median"] > reals["pair_median"]
    assert marginals["accuracy"] < reals["accuracy"]
    assert marginals["forest"] > 0.53
    monkeypatch.setattr("benchmarks.peers.evaluating.Judge", None)
    assert standing(bench, [run], tmp_path) == found


def test_a_row_says_how_far_from_the_floor_and_how_much_of_the_gap() -> None:
    def figures(pair: float, accuracy: float) -> dict[str, float]:
        return {**dict.fromkeys(ABOUT, 0.5), "pair_median": pair, "accuracy": accuracy}

    reals, marginals = figures(0.01, 0.8), figures(0.05, 0.6)
    of_one = derived(figures(0.012, 0.75), reals, marginals)
    assert of_one == pytest.approx({"above": 0.002, "gap": 0.75})
    taken = {"fit": {"core": 600.0}, "million": {"core": 7.0}, "records": 9, "peak_bytes": 2e9}
    untimed = {**taken, "million": None}
    runs = (
        Evaluated(Run("aim", "t", 1, 1), figures(0.012, 0.75), taken),
        Evaluated(Run("aim", "t", 1, 2), figures(0.014, 0.70), untimed),
        Evaluated(Run("aim", "t", 1, 3), figures(0.013, 0.78), untimed),
    )
    found = Standing("t", ("A note.",), "y", 9, {REALS: reals, MARGINALS: marginals}, runs)
    text = markdown([found], [0.1, 1])
    assert "ε = 0.1" not in text
    line = next(each for each in text.splitlines() if each.startswith("| AIM"))
    assert "| 3 |" in line
    assert ".0130 (.0120–.0140)" in line
    assert "| 75 (50–90) |" in line
    assert line.endswith("| 600 | 7 | 607 | 2.00 |")
    row = as_data([found], [1])["tables"]["t"]["epsilons"]["1"][2]
    assert row["figures"]["above"]["value"] == pytest.approx(0.003)


def test_candidates_of_a_seed_each_are_as_many_as_can_be_paid_for(bench: Bench) -> None:
    drawn = WAYS["seedbased"](bench.learned, 300.0, running.DELTA, 2_000, RandomSource.fixed(1))
    assert 300 < len(drawn.codes) < 2_000
    with pytest.raises(Refusal, match="fewer than 100 candidates"):
        WAYS["seedbased"](bench.learned, 0.1, running.DELTA, 2_000, RandomSource.fixed(1))


@pytest.mark.parametrize(
    "method", [each for each in OURS if each.key != "seedbased"], ids=lambda each: each.key
)
def test_each_of_ours_is_a_way_and_makes_what_was_asked_for(method: Method, bench: Bench) -> None:
    drawn = WAYS[method.key](bench.learned, 1.0, running.DELTA, 70, RandomSource.fixed(1))
    assert Records(bench.schema, drawn.codes).codes.shape == (70, 5)
