"""The pMSE mechanism as every method is asked: its promise, its runs, what it refuses. What
several tables say together, from the tables alone.
"""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.engine.mechanisms.pmse.tables import ROWS, plan, records, schema
from tests.engine.runs.interrupting import killed_and_gone_on
from tests.support import category_schema
from understudy.charts.public import public_pictures
from understudy.core.refusal import Refusal
from understudy.mechanisms.defaults import held_out
from understudy.mechanisms.outputs import ResumePoint, Workers
from understudy.mechanisms.pmse.mechanism import COMBINED, MECHANISM
from understudy.mechanisms.pmse.model_search import CERTAIN, over_prior
from understudy.mechanisms.pmse.released_figures import Estimate, combine_estimates, combine_tables
from understudy.mechanisms.pmse.units import Line
from understudy.mechanisms.registry import opening_plan, plan_run
from understudy.privacy.budget import Neighbours
from understudy.privacy.randomness import Secret
from understudy.runs.folder import RunFolder
from understudy.runs.work import Job
from understudy.table.categories import Categories
from understudy.table.column import Column
from understudy.table.continuous import Continuous
from understudy.table.grid import Grid
from understudy.table.records import Records
from understudy.table.schema import Schema


def test_the_promise_is_the_plans() -> None:
    found = plan_run(plan(), schema()).guarantee
    assert (found.total.epsilon, found.total.delta) == (20.0, 0.0)
    assert found.neighbours is Neighbours.REPLACEMENTS
    assert "said something else" in found.statement
    paid = plan_run(plan(accounting="concentrated", draws=2, epsilon=30.0), schema()).guarantee
    assert paid.total.delta == 1e-9
    assert found.count == 2 * 4 + 2
    assert paid.count == 2 * found.count
    assert paid.parts[0].native["rho"] > 0


@pytest.mark.parametrize("accounting", ["pure", "concentrated"])
@pytest.mark.parametrize("draws", [1, 3])
def test_what_choices_cost_adds_up_to_no_more_than_is_said(accounting: Any, draws: int) -> None:
    from understudy.privacy.accounting.composition import approximate_dp

    made = plan_run(plan(accounting=accounting, draws=draws, epsilon=90.0), schema())
    paying = made.guarantee.account
    scales = [paying.scale(each.share, 7.0) for each in paying.stages] * draws
    if accounting == "pure":
        assert sum(2 * 7.0 / each for each in scales) == pytest.approx(90.0)
        assert sum(2 * 7.0 / each for each in scales) <= 90.0
    else:
        rho = sum(7.0**2 / (2 * each**2) for each in scales)
        assert approximate_dp(rho, 1e-9).epsilon == pytest.approx(90.0, rel=1e-5)
        assert approximate_dp(rho, 1e-9).epsilon <= 90.0


def test_models_follow_the_records() -> None:
    """Means and the dependence of height and age, and of kind on height."""
    real, made = records(), plan_run(plan(epsilon=200.0), schema())
    secret = Secret.fixed(1)
    state = MECHANISM.begin(made, real, secret, None)
    chunks = list(_released(made, real, state, secret))
    assert list(chunks[0].content) == ["model", "logarithmic", "models"]
    table = chunks[1].content
    assert isinstance(table, Records)
    assert table.numbers is not None
    assert real.numbers is not None
    assert abs(table.numbers.mean() - real.numbers.mean()) < 3
    assert abs(table.codes[:, 1].mean() - real.codes[:, 1].mean()) < 4
    assert np.corrcoef(table.codes[:, 0], table.codes[:, 1])[0, 1] > 0.3
    shares = [np.bincount(each.codes[:, 2], minlength=3) / len(each) for each in (table, real)]
    assert np.abs(shares[0] - shares[1]).max() < 0.12
    assert np.corrcoef(table.codes[:, 0], table.codes[:, 2] == 0)[0, 1] > 0.2


def _released(made: Any, real: Records, state: Any, secret: Secret) -> Any:
    from understudy.mechanisms.outputs import ResumePoint, Workers

    return MECHANISM.release(made, real, state, secret, Workers(), ResumePoint())


@pytest.mark.parametrize("draws", [1, 2])
def test_a_run_that_was_killed_comes_to_the_same_outputs(
    draws: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from understudy.mechanisms.pmse import mechanism

    monkeypatch.setattr(mechanism, "BATCH", 100)
    small = plan(draws=draws, epsilon=40.0, candidates=800, locating=0.5)
    run = killed_and_gone_on(Job(records(), small, seed=5, figures=False), 3, tmp_path)
    assert len([*run.release.iterdir()]) == draws + 2 + (draws > 1)


@pytest.mark.parametrize("left", [None, "{}"])
def test_figures_that_a_loss_of_power_took_are_made_again(
    left: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from understudy.mechanisms.pmse import mechanism

    def lose(run: RunFolder) -> None:
        figures = run.partial / "parameters.json"
        figures.unlink()
        if left is not None:
            figures.write_text(left)

    monkeypatch.setattr(mechanism, "BATCH", 100)
    small = plan(epsilon=40.0, candidates=800, locating=0.5)
    killed_and_gone_on(Job(records(), small, seed=5, figures=False), 3, tmp_path, lose)


@pytest.mark.parametrize(
    ("changed", "field", "said"),
    [
        ({"domain": "0" * 64}, "domain", "another schema"),
        ({"policies": {"nothing": "refuse"}}, "policies", "no column"),
        ({"order": ("age", "kind")}, "order", "every column once"),
        ({"logarithmic": ("kind",)}, "logarithmic", "no logarithm"),
        ({"middles": {"kind": (0, 1)}}, "middles", "no column of numbers"),
        ({"middles": {"age": (30, 95)}}, "middles", "no range within its bounds"),
        ({"middles": {"age": (50, 50)}}, "middles", "no range within its bounds"),
        ({"accounting": "concentrated", "delta": 1 / ROWS}, "delta", "gives away"),
        ({"epsilon": 0.2}, "epsilon", "Chance would decide"),
        ({"draws": 20, "epsilon": 20.0}, "epsilon", "one model instead"),
        (
            {"candidates": 10, "search": "whole"},
            "candidates",
            "it takes about",
        ),
    ],
)
def test_a_plan_that_cannot_be_used_is_refused(
    changed: dict[str, Any], field: str, said: str
) -> None:
    with pytest.raises(Refusal, match=said) as refused:
        plan_run(plan(**changed), schema())
    assert refused.value.field == field
    assert refused.value.remedy


def test_records_that_decide_nothing_are_refused_in_a_custodians_words() -> None:
    with pytest.raises(Refusal) as refused:
        plan_run(plan(epsilon=0.2), schema())
    said = refused.value.problem.replace("\N{NO-BREAK SPACE}", " ")
    assert re.search(r"at this ε they say \d+(\.\d+)? % of what it takes to choose", said)
    assert "strength" not in said
    assert "nats" not in said


@pytest.mark.parametrize(
    ("column", "said"),
    [
        (Column(name="x", domain=Categories(values=("only",))), "one value only"),
        (
            Column(name="x", domain=Grid(minimum=0, maximum=9), missing=True),  # type: ignore[arg-type]
            "no number for what is missing",
        ),
        (
            Column(name="x", domain=Categories(values=tuple(f"v{i}" for i in range(50)))),
            "50 categories",
        ),
    ],
)
def test_columns_that_cannot_be_modelled_are_refused(column: Column, said: str) -> None:
    other = Column(name="y", domain=Categories(values=("a", "b")))
    with pytest.raises(Refusal, match=said) as refused:
        opening_plan("pmse", Schema(columns=(column, other)))
    assert refused.value.remedy


@pytest.mark.parametrize("bent", [(), ("height", "age")])
def test_a_middle_lies_where_it_is_publicly_known_to(bent: tuple[str, ...]) -> None:
    """All candidates have it there, and the prior is as much narrower."""
    known = plan(middles={"height": (160, 180), "age": (40, 50)}, logarithmic=bent)
    made, wide = (plan_run(each, schema()).guarantee.account for each in (known, plan()))
    for place, ends in ((0, (160, 180)), (1, (40, 50))):
        line = Line.of(schema().columns[place], bent=bool(bent))
        low, high = made.units[place].middle
        places = line.places_of(np.array([low, high]))
        column = schema().columns[place].domain
        assert isinstance(column, Continuous | Grid)
        unit = column.precision if isinstance(column, Continuous) else column.step
        assert [float(column.minimum + int(each) * unit) for each in places] == list(ends)
        stage = made.stages[2 * place]
        points = over_prior(stage.prior, 500)
        assert points[:, 0].min() >= low
        assert points[:, 0].max() <= high
        assert stage.volume < wide.stages[2 * place].volume


def test_with_known_middles_fewer_candidates_do() -> None:
    """What is refused without them passes with them, for a search of all parameters at once."""
    settings: dict[str, Any] = {"search": "whole", "candidates": 1000, "depends": 0}
    with pytest.raises(Refusal, match="No candidate may be near"):
        plan_run(plan(**settings), schema())
    middles = {"height": (168, 176), "age": (40, 50)}
    assert plan_run(plan(**settings, middles=middles), schema()).guarantee.total.bounded


def test_too_many_regressions_are_refused() -> None:
    with pytest.raises(Refusal, match="regressions"):
        opening_plan("pmse", category_schema(30, 30, 30))


def test_what_is_not_public_is_asked_for() -> None:
    made = plan_run(plan(public_records=None), schema())
    with pytest.raises(Refusal, match="nobody has confirmed"):
        MECHANISM.check_public(made)
    undeclared = Schema(columns=schema().columns)
    with pytest.raises(Refusal, match="declared"):
        MECHANISM.check_public(plan_run(plan(), undeclared))
    with pytest.raises(Refusal, match="does not have the number"):
        MECHANISM.check_records(plan_run(plan(), schema()), ROWS + 1)
    MECHANISM.check_records(plan_run(plan(), schema()), ROWS)


def test_a_promise_of_nothing_for_a_whole_person_is_refused() -> None:
    much = plan(accounting="concentrated", records_per_person=1000)
    with pytest.raises(Refusal, match="Nothing would be promised") as refused:
        plan_run(much, schema())
    assert refused.value.field == "records_per_person"


def test_coins_that_leave_more_records_than_usual_end_no_run(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """So many made records as are expected can be scored, and the coins leave more real ones."""
    from understudy.mechanisms.pmse import gini, mechanism

    made = plan_run(plan(held_out=0.5), schema())
    secret = next(
        each
        for each in map(Secret.fixed, range(100))
        if (~held_out(ROWS, 0.5, each)).sum() > ROWS // 2
    )
    for each in (gini, mechanism):
        monkeypatch.setattr(each, "MOST_MADE", ROWS // 2)
    assert MECHANISM.begin(made, records(), secret, None).each["values"].shape[0] == 1


def test_the_interval_is_that_of_the_scatter_between_tables() -> None:
    """q = 1, 2, 3: b = 1, t of 97.5 % at two degrees of freedom is 4.3027."""
    found = combine_estimates([Estimate(1.0, 0.2), Estimate(2.0, 0.3), Estimate(3.0, 0.4)])
    assert (found.value, found.between) == (2.0, 1.0)
    assert found.within == pytest.approx(0.3)
    assert found.high - 2.0 == pytest.approx(4.30265 * math.sqrt(4 / 3), rel=1e-5)
    assert found.low + found.high == pytest.approx(4.0)


def test_tables_that_agree_leave_nothing_between() -> None:
    real = records()
    said = combine_tables(schema(), [[real], [real]])
    assert said["tables"] == 2
    height, age, kind = said["of"]
    assert real.numbers is not None
    assert height["mean"]["estimate"] == pytest.approx(real.numbers.mean(), rel=1e-5)
    assert height["mean"]["within"] == pytest.approx(real.numbers.var(ddof=1) / 800, rel=1e-4)
    assert age["mean"]["estimate"] == pytest.approx(18 + real.codes[:, 1].mean(), rel=1e-5)
    shares = np.bincount(real.codes[:, 2], minlength=3) / 800
    assert [each["estimate"] for each in kind["shares"]] == pytest.approx(shares, rel=1e-5)
    assert [each["is"] for each in kind["shares"]] == ["a", "b", "c"]
    for each in (height["mean"], age["mean"], *kind["shares"]):
        assert each["between"] == 0
        assert each["low"] == each["estimate"] == each["high"]


def test_pieces_add_up() -> None:
    real = records()
    halves = [real.take(np.arange(300)), real.take(np.arange(300, 800))]
    ours, whole = (
        combine_tables(schema(), [each, [real]])["of"][0]["mean"] for each in (halves, [real])
    )
    assert ours["estimate"] == whole["estimate"]
    assert ours["within"] == whole["within"]
    assert ours["between"] == pytest.approx(0.0, abs=1e-20)


def test_it_is_of_the_tables_that_are_released() -> None:
    made = plan_run(plan(draws=3, epsilon=60.0, rows=250, locating=0.5), schema())
    secret, real = Secret.fixed(2), records()
    state = MECHANISM.begin(made, real, secret, None)
    chunks = list(MECHANISM.release(made, real, state, secret, Workers(), ResumePoint()))
    assert chunks[-1].output == COMBINED
    assert chunks[-1].done == MECHANISM.steps(made.plan)
    tables = [[each.content] for each in chunks if isinstance(each.content, Records)]
    assert len(tables) == 3
    assert chunks[-1].content == combine_tables(schema(), tables)
    assert "not calibrated" in chunks[-1].content["note"]
    again = list(
        MECHANISM.release(made, real, state, secret, Workers(), ResumePoint(chunks[-2].reached))
    )
    assert [each.content for each in again] == [chunks[-1].content]


def test_one_model_has_nothing_to_combine() -> None:
    made = plan_run(plan(), schema())
    assert COMBINED not in {each.name for each in made.outputs}


def test_every_choice_has_its_signal_beside_what_it_needs() -> None:
    made = plan_run(plan(), schema())
    _, found = public_pictures(made)
    stages = made.guarantee.account.stages
    assert len(found.table) == len(stages)
    assert (found.table["What the records say"] > found.table.iloc[:, -1]).all()
    assert found.table.iloc[:, -1].tolist() == [each.volume + CERTAIN for each in stages]
    assert "age" in found.table["Choice"].iloc[2]
    assert "nats" not in found.said
    assert found.figure.to_dict()["mark"]


def test_there_is_none_while_the_number_of_records_is_unknown() -> None:
    assert not public_pictures(plan_run(plan(public_records=None), schema()))


def test_the_records_decide_more_surely_with_every_epsilon() -> None:
    made = plan_run(plan(), schema())
    found, each = public_pictures(made)
    assert found.foresees
    row = found.table.set_index("ε").loc[made.guarantee.total.epsilon]
    told = each.table["What the records say"] / each.table["What the choice takes"]
    assert row["The hardest choice"] == told.min()
    assert found.table["The hardest choice"].is_monotonic_increasing
    assert found.figure.to_dict()["layer"]
