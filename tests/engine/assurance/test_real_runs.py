"""Every method's runs, held against its guarantee; and what is broken in them is noticed. What is
drawn is listened to where OpenDP is asked, and what is amiss is named.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import pytest

from understudy.assurance.check import Check, Effort
from understudy.assurance.method_audits import run_checks, runs
from understudy.assurance.real_runs import begin_run, outputs, patch_source
from understudy.assurance.seedbased.runs import RUNS as SEEDBASED
from understudy.assurance.transcript import RealDraws
from understudy.mechanisms.registry import mechanisms
from understudy.privacy import gaussian
from understudy.privacy.noise import Noise, gaussian_measurement, measurement, selection
from understudy.privacy.randomness import RandomSource, Secret, Use

LESS = Effort(0.5)


def _checks() -> Iterator[object]:
    for each in runs():
        for check in (*each.checks(), *each.mutants()):
            yield pytest.param(check, id=f"{each.kind}-{check.name}")


@pytest.mark.parametrize("check", [*_checks()])
def test_runs_keep_to_their_guarantee_and_breaks_are_noticed(check: Check) -> None:
    found = check.find(LESS)
    assert found.passed, found


@pytest.mark.thorough("test_runs_keep_to_their_guarantee_and_breaks_are_noticed")
@pytest.mark.parametrize("check", run_checks(), ids=lambda each: each.name)
def test_runs_that_take_longer_keep_to_their_guarantee(check: Check) -> None:
    found = check.find(Effort(1.0))
    assert found.passed, found


def test_noisy_tables_tell_the_chance_of_a_record_to_be_counted() -> None:
    trial = next(each for each in SEEDBASED.trials() if each.name == "columns by themselves")
    records, secret = trial.pairs[0].one, Secret.fresh()
    begun = begin_run(trial.decided, records, secret)
    *_, told = outputs(trial.decided, records, begun, secret)
    assert told.startswith(b"noisy-tables")
    assert json.loads(told[told.index(b"{") :])["share"] == trial.decided.plan.shares.parameters


@pytest.mark.parametrize("name", ["known totals, marginals", "acceptance: mean"])
def test_outputs_are_drawn_by_keys_that_nothing_was_learned_by(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    trial = next(each for each in SEEDBASED.trials() if each.name == name)
    records, secret, heard = trial.pairs[0].one, Secret.fresh(), list[str]()
    usual = Secret.source

    def source(self: Secret, use: Use, *rest: int, **numbers: int) -> RandomSource:
        heard.append(use)
        return usual(self, use, *rest, **numbers)

    monkeypatch.setattr(Secret, "source", source)
    begun = begin_run(trial.decided, records, secret)
    learned = heard.copy()
    heard.clear()
    outputs(trial.decided, records, begun, secret)
    assert heard
    assert len(set(learned)) == len(learned)
    assert not set(heard) & set(learned)


def test_every_method_brings_runs() -> None:
    own = {
        kind
        for kind, each in mechanisms().items()
        if type(each).__module__.startswith("understudy.mechanisms.")
    }
    assert own == {each.kind for each in runs()}


VALUES = np.array([3, 1, 4], dtype=np.int64)


def noise(draws: RealDraws) -> Noise:
    return Noise(RandomSource.secure(), draws)


def ask(using: Noise) -> tuple[list[int], list[int], int, int]:
    return (
        using.integers(VALUES, 2.5).tolist(),
        using.gaussians(VALUES, 4.0).tolist(),
        using.choose_best(VALUES, 3.0, concentrated=True),
        using.choose_best(VALUES, 5.0, concentrated=False),
    )


def test_every_question_is_written_down_with_the_scale_of_its_noise() -> None:
    draws = RealDraws.from_answers()
    with draws.listen():
        told = ask(noise(draws))
    assert [each.law for each in draws.asked] == [
        "geometric",
        "Gaussian",
        "exponential",
        "permute and flip",
    ]
    assert [each.scale for each in draws.asked] == pytest.approx([2.5, 4.0, 3.0, 5.0])
    assert all(np.array_equal(each.values, VALUES) for each in draws.asked)
    assert [each.tolist() for each in draws.answers[:2]] == list(told[:2])
    assert not draws.amiss


def test_a_neighbour_is_told_the_same() -> None:
    draws = RealDraws.from_answers()
    with draws.listen():
        told = ask(noise(draws))
    again = RealDraws.from_answers(draws.answers, silent=True)
    with again.listen():
        neighbour = noise(again)
        assert neighbour.integers(VALUES + 1, 2.5).tolist() == told[0]
        assert neighbour.gaussians(VALUES - 1, 4.0).tolist() == told[1]
        assert neighbour.choose_best(VALUES[::-1].copy(), 3.0, concentrated=True) == told[2]
    assert [
        first.cost(second) for first, second in zip(draws.asked, again.asked, strict=False)
    ] == (pytest.approx([3 / 2.5, 3 / 32, 1 / 18]))


def test_noise_of_a_network_is_written_down_and_made_up_for() -> None:
    draws = RealDraws.from_answers()
    with draws.listen():
        told = gaussian.add_noise(VALUES, 4, RandomSource.secure())
    again = RealDraws.from_answers(draws.answers)
    with again.listen():
        assert gaussian.add_noise(VALUES + 5, 4, RandomSource.secure()).tolist() == told.tolist()
    assert draws.asked[0].scale == again.asked[0].scale == 16.0


def beside(draws: RealDraws) -> None:
    Noise(RandomSource.secure()).integers(VALUES, 1.0)


def at_another_scale(draws: RealDraws) -> None:
    draws.draw_answer("integers", VALUES, 2.0, lambda: np.array(measurement(1.0)(VALUES)) - VALUES)


def at_another_deviation(draws: RealDraws) -> None:
    broken = gaussian_measurement(1.0)
    draws.draw_answer("gaussians", VALUES, 2.0, lambda: np.array(broken(VALUES)) - VALUES)


def on_other_values(draws: RealDraws) -> None:
    draws.draw_answer(
        "integers", VALUES, 1.0, lambda: np.array(measurement(1.0)(VALUES + 1)) - VALUES
    )


def another_choice(draws: RealDraws) -> None:
    chosen = selection(1.0, concentrated=False)
    draws.draw_answer("flipped", VALUES, 2.0, lambda: np.array([chosen(VALUES)]))


def nothing_drawn(draws: RealDraws) -> None:
    draws.draw_answer("integers", VALUES, 1.0, lambda: np.zeros(3, dtype=np.int64))


@pytest.mark.parametrize(
    "broken",
    [
        beside,
        at_another_scale,
        at_another_deviation,
        on_other_values,
        another_choice,
        nothing_drawn,
    ],
)
def test_what_is_not_as_the_tape_is_told_is_amiss(broken: Callable[[RealDraws], None]) -> None:
    draws = RealDraws.from_answers()
    with draws.listen():
        broken(draws)
    assert len(draws.amiss) == 1


def doubled(number: int) -> int:
    """Twice as much."""
    return 2 * number


@dataclass(frozen=True)
class Counter:
    start: int

    @property
    def after(self) -> int:
        return self.start + 1

    @classmethod
    def of(cls, number: int) -> Counter:
        return cls(number * 3)

    def shifted(self, by: int = 1) -> int:
        each = [self.start + by for _ in range(2)]
        return sum(each)


def test_a_function_runs_broken_for_a_while_and_then_as_it_was() -> None:
    held = doubled
    with patch_source(doubled, "2 * number", "3 * number"):
        assert (doubled(5), held(5)) == (15, 15)
    assert (doubled(5), held(5)) == (10, 10)


def test_a_function_is_as_it_was_after_an_error() -> None:
    with pytest.raises(ZeroDivisionError), patch_source(doubled, "2 * number", "1 // 0"):
        doubled(1)
    assert doubled(5) == 10


def test_methods_are_broken_too() -> None:
    with patch_source(Counter.shifted, "self.start + by", "self.start - by"):
        assert Counter(5).shifted() == 8
    with patch_source(Counter.of, "number * 3", "number"):
        assert Counter.of(4) == Counter(4)
    assert Counter(5).shifted() == 12
    assert Counter.of(4) == Counter(12)


@pytest.mark.parametrize("piece", ["three", "number"])
def test_a_piece_that_is_not_there_once_is_said_to_be_missing(piece: str) -> None:
    with pytest.raises(ValueError, match="times in doubled"), patch_source(doubled, piece, "0"):
        pass
