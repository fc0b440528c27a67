"""Every measure there is says of itself what a reader needs. In which measures one run came nearer
than another.
"""

from __future__ import annotations

import json
import math
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import get_args

import numpy as np
import pytest

from tests.engine.evaluation.builders import study_of
from tests.engine.table.derivations.builders import draw_records, make_schema, read_rows
from tests.support import category_schema
from understudy.core.refusal import Refusal
from understudy.evaluation.comparison import compare
from understudy.evaluation.evaluation import Evaluation, evaluate
from understudy.evaluation.measure import (
    About,
    BreakdownEntry,
    Direction,
    Finding,
    Group,
    Interval,
    Role,
    Study,
    SubjectResult,
    Table,
    cut_to_size,
    sample_of,
)
from understudy.evaluation.measures import linear_accuracy, shares
from understudy.evaluation.mobility.registry import MEASURES as OF_DAYS
from understudy.evaluation.registry import (
    GROUPS,
    HEADINGS,
    about,
    abouts,
    measures,
    predicts_a_column,
)
from understudy.evaluation.relative_score import MEASURES as MAIN
from understudy.evaluation.run_comparison import (
    CLEAR,
    MeasureOfRuns,
    RunDifference,
    measured_difference,
)
from understudy.table.records import Records


@dataclass(frozen=True)
class Share:
    """The share of first codes, or a refusal."""

    refuses: bool = False

    @property
    def about(self) -> About:
        key = "refused" if self.refuses else "share"
        return About(key, key.title(), "A share.", 0, 1, "higher", "distances", "column")

    def measure(self, study: Study) -> Mapping[str, SubjectResult]:
        if self.refuses:
            raise Refusal("It cannot be measured.", "Do without.")
        return study.each(lambda table: _share(table.records))


def _share(records: Records) -> SubjectResult:
    shares = (records.codes == 0).mean(axis=0)
    parts = tuple(
        BreakdownEntry((name,), float(share), Interval(0, 1))
        for name, share in zip(records.schema.names, shares, strict=True)
    )
    return SubjectResult(float(shares.mean()), None, parts)


@pytest.fixture
def study() -> Study:
    schema = category_schema(3, 2)
    rng = np.random.default_rng(1)
    some = Records(schema, rng.integers(0, 2, (30, 2)).astype(np.uint16))
    tables = (Table("other real records", "reals", some), Table("ω = 2", "synthetic", some))
    return Study(tables, some, some, {}, "c1", repeats=3, key=1)


def test_a_measure_that_refuses_leaves_its_sentence_and_the_others_go_on(study: Study) -> None:
    told: list[tuple[int, str]] = []
    found = evaluate(study, [Share(refuses=True), Share()], lambda *step: told.append(step))
    assert told == [(0, "Refused"), (1, "Share")]
    refused, share = found.findings
    assert refused == Finding("refused", {}, "It cannot be measured. Do without.")
    assert list(share.by_subject) == ["other real records", "ω = 2"]
    assert found.finding("share") is share
    assert found.finding("unheard of") is None


def test_what_is_found_is_known_after_each_measure(study: Study) -> None:
    known: list[Evaluation] = []
    found = evaluate(study, [Share(refuses=True), Share()], lambda *step: None, known.append)
    assert [len(each.findings) for each in known] == [1, 2]
    assert known[-1] == found
    assert known[0].findings == found.findings[:1]


def test_whoever_is_told_can_stop_it(study: Study) -> None:
    class Stopped(Exception):
        pass

    def stop(done: int, name: str) -> None:
        raise Stopped

    with pytest.raises(Stopped):
        evaluate(study, [Share()], stop)


def test_an_evaluation_survives_its_file_and_says_that_it_is_internal(
    study: Study, tmp_path: Path
) -> None:
    assert Evaluation.load(tmp_path) is None
    found = evaluate(study, [Share(), Share(refuses=True)], lambda done, name: None)
    found.save(tmp_path / "internal")
    assert Evaluation.load(tmp_path / "internal") == found
    assert [path.name for path in (tmp_path / "internal").iterdir()] == ["evaluation.json"]
    said = json.loads((tmp_path / "internal" / "evaluation.json").read_text(encoding="utf-8"))
    assert "Not for release" in said["internal"]
    assert [(each.name, each.records) for each in found.tables] == [
        ("other real records", 30),
        ("ω = 2", 30),
    ]


SCHEMA = category_schema(3, 2)


def records(count: int) -> Records:
    """Records that can be told apart by their order."""
    codes = np.column_stack([np.arange(count) % 3, np.arange(count) // 3 % 2])
    return Records(SCHEMA, codes.astype(np.uint16))


def table(role: Role, count: int) -> Table:
    return Table(f"the {role}", role, records(count))


def study_study(*tables: Table) -> Study:
    return Study(tables, records(10), records(10), {}, "c0", repeats=2, key=7)


def test_tables_are_cut_to_the_smallest_and_to_what_was_asked() -> None:
    tables = (table("reals", 90), table("released", 40))
    random = np.random.default_rng(1)
    assert [len(each.records) for each in cut_to_size(tables, 1_000, random)] == [40, 40]
    assert [len(each.records) for each in cut_to_size(tables, 25, random)] == [25, 25]
    assert [each.role for each in cut_to_size(tables, 25, random)] == ["reals", "released"]


def test_some_records_are_drawn_without_replacement_and_keep_their_order() -> None:
    schema = category_schema(500, 2)
    all_of_them = Records(
        schema, np.column_stack([np.arange(500)] * 2).astype(np.uint16) % [500, 2]
    )
    drawn = sample_of(all_of_them, 200, np.random.default_rng(3)).codes[:, 0]
    assert len(np.unique(drawn)) == 200
    assert (np.diff(drawn.astype(int)) > 0).all()
    assert sample_of(all_of_them, 500, np.random.default_rng(3)) is all_of_them


def test_randomness_depends_on_its_purpose_and_on_nothing_else() -> None:
    one, other = study_study(), study_study(table("reals", 5))
    one.random("something else").random()
    assert one.random("forest").random() == other.random("forest").random()
    assert one.random("forest").random() != one.random("tree").random()


def test_what_several_measures_need_is_made_once() -> None:
    made: list[int] = []
    here = study_study()
    for _ in range(3):
        assert here.once("thing", lambda: made.append(1) or len(made)) == 1
    assert study_study().once("thing", lambda: 5) == 5


def test_every_table_is_measured_under_its_name() -> None:
    here = study_study(table("reals", 5), table("marginals", 4))
    found = here.each(lambda each: SubjectResult(float(len(each.records))))
    assert {name: each.value for name, each in found.items()} == {
        "the reals": 5,
        "the marginals": 4,
    }
    marginals = here.of("marginals")
    assert marginals is not None
    assert marginals.name == "the marginals"
    assert here.of("released") is None


RARE = (shares.VARIATION_MARKED, shares.VARIATION_WEIGHTED, shares.WEIGHT_LEVEL)
RECORDS = [each.about for each in (*RARE, *measures())]
DAYS = [each.about for each in OF_DAYS]
EVERY = [*RECORDS, *DAYS]


def test_no_two_measures_have_one_key_or_one_name() -> None:
    assert len({each.key for each in EVERY}) == len(EVERY)
    assert len({each.name for each in EVERY}) == len(EVERY)
    assert list(abouts()) == [each.key for each in EVERY]


@pytest.mark.parametrize("each", EVERY, ids=lambda each: each.key)
def test_what_a_measure_says_of_itself_is_filled_in(each: About) -> None:
    assert each.key == each.key.lower().strip()
    assert not set(each.key) & set(" _/")
    assert each.name[0].isupper() or each.name.startswith("pMSE")
    assert not each.name.endswith(".")
    assert each.sentence.endswith(".")
    assert each.sentence[0].isupper()
    assert len(each.sentence.split()) >= 8
    assert "  " not in each.sentence
    assert each.low < each.high
    assert not math.isnan(each.low)
    assert each.better in get_args(Direction)
    assert each.group in GROUPS
    assert each.ideal is None or each.low <= each.ideal <= each.high
    best = each.low if each.better == "lower" else each.high
    assert each.ideal is not None or each.better == "as real" or math.isfinite(best)


def test_measures_stand_group_by_group_in_the_order_of_the_headings() -> None:
    order = list(GROUPS)
    for every in (RECORDS, DAYS):
        places = [order.index(each.group) for each in every]
        assert places == sorted(places)
    assert set(order) == set(get_args(Group))
    assert {each.group for each in EVERY} == set(order)


def test_measures_of_days_predict_no_column() -> None:
    assert predicts_a_column(measures())
    assert not predicts_a_column(OF_DAYS)


def test_private_methods_get_the_epsilon_they_are_compared_at() -> None:
    def epsilons(every: tuple[object, ...]) -> list[float]:
        return [each.epsilon for each in every if isinstance(each, linear_accuracy.LinearAccuracy)]

    assert epsilons(measures(epsilon=0.3)) == [0.3]
    assert epsilons(measures()) == [1.0]


def test_a_measure_is_found_by_its_key() -> None:
    assert about("accuracy").name == "Accuracy of prediction"
    with pytest.raises(Refusal, match="no measure “beauty”"):
        about("beauty")


def test_headline_measures_have_a_heading_or_are_risks() -> None:
    headlines = [each for each in abouts().values() if each.headline]
    on_scale = {each.key for each in headlines if each.group in HEADINGS}
    assert {each.group for each in headlines} - {*HEADINGS} == {"disclosure"}
    assert on_scale >= {*MAIN.values(), "total-variation-weighted", "flows"}
    assert all(each.better != "as real" for each in headlines)


def test_reading_what_measures_mean_loads_no_classifiers() -> None:
    code = (
        "import sys, understudy.evaluation.registry as r; r.abouts(); "
        "print('sklearn' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def of(key: str, **placed: SubjectResult) -> MeasureOfRuns:
    return MeasureOfRuns(abouts()[key], placed, {}, {}, placed)


def between(low: float, high: float) -> SubjectResult:
    return SubjectResult((low + high) / 2, Interval(low, high))


def test_intervals_that_lie_apart_tell_two_runs_apart() -> None:
    keys = list(abouts())[:5]
    found = [
        of(keys[0], A=between(0.5, 0.6), B=between(0.3, 0.4)),
        of(keys[1], A=between(0.5, 0.6), B=between(0.55, 0.9)),
        of(keys[2], A=SubjectResult(0.2), B=SubjectResult(0.2 + 2 * CLEAR)),
        of(keys[3], A=SubjectResult(0.2), B=SubjectResult(0.2 + CLEAR / 2)),
        of(keys[4], A=SubjectResult(0.9)),
    ]
    names = [abouts()[key].name for key in keys]
    seen = measured_difference(found, "A", "B")
    assert seen == RunDifference((names[0],), (names[2],), (names[1], names[3]))
    assert seen.measured == 4
    turned = measured_difference(found, "B", "A")
    assert (turned.first, turned.second) == (seen.second, seen.first)


def test_where_nothing_was_measured_of_both_nothing_is_said() -> None:
    assert not measured_difference([], "A", "B").measured


def test_derived_columns_are_measured_in_every_table_and_unknown_to_models() -> None:
    schema = make_schema({"total": "count + one", "band": "bands(fee, c(5))"})
    cells = [Records(schema, draw_records(schema, 80, seed).codes) for seed in (1, 2)]
    held_out = draw_records(schema, 90, 3)
    study = study_of(dict(zip("ab", cells, strict=True)), held_out, target="band")
    whole = study.complete()
    assert whole.of_models is study
    assert whole.held_out.schema.names == schema.header
    assert (whole.held_out.codes == held_out.complete().codes).all()
    for table, known in zip(whole.tables, cells, strict=True):
        place = table.records.schema.index("fee")
        assert (table.records.codes[:, place] == known.codes[:, 0]).all()
        rows = read_rows(table.records)
        assert {int(row["total"]) - int(row["count"]) for row in rows} == {7}
        assert all((row["band"] == "under 5") is (float(row["fee"]) < 5) for row in rows)
    (first, _) = compare(study.tables, held_out)
    assert len(first.distances.single) == len(schema.header)
    records = draw_records(make_schema({}), 60, 1)
    plain = study_of({"a": records}, records)
    assert plain.complete() is plain
    assert plain.of_models is plain
