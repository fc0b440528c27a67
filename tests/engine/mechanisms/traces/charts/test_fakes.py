"""What fakes without a guarantee give away: measured once, drawn, and never without the warning."""

from __future__ import annotations

import math
from functools import cache

import pytest

from benchmarks import traces_attack
from tests.engine.mechanisms.traces.town import plan
from tests.engine.models.mobility.town import schema
from understudy.charts.public import PublicPicture, public_pictures
from understudy.mechanisms.registry import plan_run
from understudy.mechanisms.traces.charts import attack, attacked, curves
from understudy.mechanisms.traces.charts.fakes import FOLD, NO_GUARANTEE, WARNING
from understudy.report.pictures import packet_pictures
from understudy.studies.traces.fakes.measures import Told
from understudy.studies.traces.fakes.tracking import ADVERSARIES, Privacy

PLANNED = plan_run(plan(epsilon=2.0), schema())


@cache
def fakes_drawn() -> tuple[PublicPicture, PublicPicture]:
    found = {each.name: each for each in public_pictures(PLANNED)}
    return found["fakes"], found["counted"]


def test_the_figures_have_the_shape_of_those_that_the_benchmark_prints(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def privacy(missed: float) -> tuple[Privacy, ...]:
        return tuple(
            Privacy(who, number, missed, 0, 1) for number in attacked.NUMBERS for who in ADVERSARIES
        )

    monkeypatch.setattr(traces_attack, "privacy_of_published", lambda *_: privacy(0.25))
    monkeypatch.setattr(traces_attack, "_among_made", lambda *_: privacy(0.75))
    monkeypatch.setattr(traces_attack, "told_present", lambda *_: Told(0.5, 0.125))
    printed = traces_attack.measure("tiny")
    shape = {kind: {who: len(each) for who, each in found.items()}
             for kind, found in printed["missed"].items()}  # fmt: skip
    assert shape == {
        kind: {who: len(each) for who, each in found.items()}
        for kind, found in attacked.MISSED.items()
    }
    assert printed["missed"]["published"]["naive"] == [0.25] * 4
    assert printed["missed"]["made"]["ratio"] == [0.75] * 4
    assert printed["told"] == {"hits": 0.5, "alarms": 0.125}


def test_what_is_said_is_what_was_measured() -> None:
    missed = attacked.MISSED[attacked.PUBLISHED]
    for naive, least, guess in zip(
        missed["naive"][1:], missed["contrarian"][1:], missed["guessing"][1:], strict=True
    ):
        assert naive > guess > least
    assert all(0 <= each <= 1 for found in attacked.MISSED.values()
               for values in found.values() for each in values)  # fmt: skip
    assert 0 <= attacked.ALARMS < attacked.HITS <= 1
    assert attacked.right() == Told(attacked.HITS, attacked.ALARMS).right


def test_a_row_of_the_table_is_a_number_of_fakes() -> None:
    table = attack.missed_table()
    assert len(table) == len(attacked.KINDS) * len(attacked.NUMBERS)
    five = table[(table[attack.KIND] == "Fakes as published") & (table[attack.SENT] == 5)]
    for who, name in attack.ADVERSARIES.items():
        exact = 100 * attacked.MISSED["published"][who][attacked.NUMBERS.index(5)]
        assert five[name].item() == pytest.approx(exact, abs=0.051)


def test_the_bound_of_the_plan_is_rounded_up_and_the_attack_down() -> None:
    asked = plan(epsilon=2.0)
    coin, ours, fakes = attack.counted_table(asked)[attack.RIGHT]
    assert coin == 50
    assert curves.right_guesses(asked) <= ours < curves.right_guesses(asked) + 0.1 + 1e-9
    assert 100 * attacked.right() - 0.1 - 1e-9 < fakes <= 100 * attacked.right() + 1e-9
    assert f"more than {ours:g} times" in fakes_drawn()[1].said
    assert f"is right {fakes:g} times" in fakes_drawn()[1].said
    assert math.isfinite(fakes)


@pytest.mark.parametrize("number", [0, 1])
def test_neither_is_ever_without_the_warning(number: int) -> None:
    one = fakes_drawn()[number]
    assert NO_GUARANTEE in WARNING
    assert "not this release" in WARNING
    assert one.warning == WARNING
    assert one.fold == FOLD
    assert one.alt.startswith(WARNING)
    assert one.export().heading.startswith(WARNING)


def test_a_packet_shows_no_picture_of_another_method() -> None:
    titles = {picture.title for picture in packet_pictures(PLANNED)}
    assert titles == {each.title for each in public_pictures(PLANNED)} - {
        each.title for each in fakes_drawn()
    }


def test_they_are_of_nobody_in_a_plan() -> None:
    """The same whatever the plan, except for its own bound."""
    other = {each.name: each for each in public_pictures(plan_run(plan(), schema()))}
    assert other["fakes"].table.equals(fakes_drawn()[0].table)
    assert other["fakes"].said == fakes_drawn()[0].said
    assert not other["counted"].table.equals(fakes_drawn()[1].table)
