"""What mutates the program works: breaks that are known are generated, and noticed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fnmatch import fnmatchcase
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar

import pytest

from tests.engine.acceptance import test_measurement
from tests.mutation import reach, results
from tests.mutation.applying import ROOT, Functions, apply, source
from tests.mutation.loaded import REAL_RUNS, Say, _check, in_forks, reached
from tests.mutation.operators import Mutant, mutants_of
from tests.mutation.reach import Reach
from tests.mutation.results import draw, listed
from tests.mutation.scope import LEFT_OUT, MUTATED, left_out, to_declare
from tests.mutation.telling import tabulate, tell, write
from tests.mutation.trying import Checks, try_all
from understudy.core.refusal import Refusal
from understudy.models.calibrated import learner
from understudy.privacy.budget import Budget
from understudy.privacy.noise import gaussian_deviation
from understudy.table.split import Shares

BREAKS = (
    ("scored/mechanism.py", "Scored.begin", "~seeds & ~apart → ~apart"),
    ("acceptance/measurement.py", "draw_noise", "scale → scale / 4"),
    ("latent/models.py", "SumsQuery.answer", "self.allowance → self.allowance.part(16.0)"),
    ("imputation/draws.py", "", "2 / share: 2 → 1"),
    ("pmse/mechanism.py", "", "scale → scale / 4"),
    ("mechanisms/traces/mechanism.py", "Traces.begin", "tape → None"),
    ("imputation/mechanism.py", "", "tape → None"),
)
"""Breaks that once passed all tests: the end of a path, a place, and the end of a change."""


@pytest.mark.parametrize(("path", "place", "change"), BREAKS)
def test_known_breaks_are_generated(path: str, place: str, change: str) -> None:
    (module,) = (each for each in MUTATED if each.endswith(path))
    found = [
        each
        for each in mutants_of(module, source(module))
        if each.change.endswith(change) and place in each.place
    ]
    assert found
    assert not any(listed().reason(each) for each in found)


def test_a_mutant_of_every_kind_of_expression_is_generated() -> None:
    text = """
from math import ceil, nextafter, sqrt

BOUND: float = 0.5
Either = tuple[int, 7] | None
Share = Annotated[float, Field(gt=0.25)]


class Asked:
    least: int = 1


def noise(count, scale, tape=None, *, exact=False):
    \"\"\"Say 3 things.\"\"\"
    if not count < 7 and (exact or tape is None):
        raise Refusal("no more than 3", 3)
    mask = ~count & scale.mask
    half = min(count * sqrt(scale), ceil(count / 2)) - BOUND // 3
    say("one record" if count == 1 else f"{count} records", "flat" if exact else "round")
    half = max(half, scale)
    scope = Scope(tape, exact, one=count + 1)
    return draw(half if exact else mask, scale, tape, rho=-half, whole=True)
"""
    made = mutants_of("engine/it.py", text)
    changes = {(each.place, each.operator, each.change.split(": ", 1)[1]) for each in made}
    here = {(kind, change) for place, kind, change in changes if place == "noise"}
    assert ("BOUND", "constant", "0.5 → 0.25") in changes
    assert ("Asked least", "constant", "1 → 2") in changes
    assert ("Share", "constant", "0.25 → 0.5") in changes
    assert ("noise ()", "switch", "False → True") in changes
    assert here >= {
        ("comparison", "count < 7 → count <= 7"),
        ("sign dropped", "not count < 7 → count < 7"),
        ("condition dropped", "exact or tape is None → exact"),
        ("sign dropped", "~count → count"),
        ("term dropped", "~count & scale.mask → ~count"),
        ("term dropped", "~count & scale.mask → scale.mask"),
        ("operation", "count * sqrt(scale) → count / sqrt(scale)"),
        ("function dropped", "sqrt(scale) → scale"),
        ("operation", "count / 2 → count * 2"),
        ("constant", "2 → 1"),
        ("rounding", "BOUND // 3 → -(-BOUND // 3)"),
        ("choice", "half if exact else mask → mask"),
        ("sign dropped", "-half → half"),
        ("handed on", "scale → scale / 4"),
        ("tape dropped", "tape → None"),
        ("switch", "True → False"),
    }
    assert any(kind == "extreme" and "→ max(" in change for kind, change in here)
    assert any(kind == "rounding" or "floor(count / 2)" in change for kind, change in here)
    assert any(kind == "swapped" and "tape, scale" in change for kind, change in here)
    assert ("choice", "'flat' if exact else 'round' → 'flat'") in here
    assert not any("swapped" in each.operator and "max(" in each.change for each in made)
    assert not any(each.change.endswith(("→ 'one record'", "→ count != 1")) for each in made)
    for unchanged in ("3 things", "Refusal", "Scope", "tuple"):
        assert not any(unchanged in each.change for each in made)
    assert len({each.key for each in made}) == len(made)
    for each in made:
        compile(each.applied(text), "it", "exec")


def test_a_mutant_has_the_same_name_wherever_its_lines_are() -> None:
    text = "def noise(scale):\n    return 2 * scale\n"
    moved = "# more\n\n\n" + text
    assert [each.key for each in mutants_of("it.py", text)] == [
        each.key for each in mutants_of("it.py", moved)
    ]


def test_every_module_that_decides_noise_is_mutated_or_left_out_with_a_reason() -> None:
    names = to_declare()
    unsaid = [each for each in names if each not in MUTATED and not left_out(each)]
    assert not unsaid, "Say in tests/mutation/scope.py whether these are mutated, or why not"
    assert [each for each in MUTATED if each in names and left_out(each) and each not in BOTH] == []
    assert [each for each in MUTATED if not (ROOT / each).is_file()] == []


BOTH = (
    "engine/understudy/mechanisms/traces/plan.py",
    "engine/understudy/mechanisms/plausible_traces/plan.py",
)
"""Mutated although plans of other methods are left out."""


def test_no_reason_stands_for_a_module_that_is_not_there() -> None:
    names = [each.removeprefix("engine/understudy/").removesuffix(".py") for each in to_declare()]
    assert [which for which in LEFT_OUT if not any(fnmatchcase(e, which) for e in names)] == []


def test_whatever_is_listed_is_still_in_the_source() -> None:
    made = {path: mutants_of(path, source(path)) for path in {e.module for e in listed().entries}}
    for entry in listed().entries:
        assert entry.why
        meant = [each for each in made[entry.module] if entry.means(each)]
        assert meant, f"{entry.module} has no {entry.place} as it is listed"
        gone = entry.changes - {each.text for each in meant}
        assert not gone, f"{entry.module}, {entry.place}: {gone} is no longer there"


def told(path: str, place: str, change: str, tell: Callable[[], object]) -> object:
    """What something is worth in the mutated program."""

    def job(mutant: Mutant, _: Path, say: Say) -> None:
        apply(mutant, Functions())
        say(tell())

    (mutant,) = (
        each
        for each in mutants_of(path, source(path))
        if each.place == place and each.change.endswith(change)
    )
    ((_, heard, _),) = in_forks(iter([mutant]), job, 1, 60.0)
    return heard[0]


def test_what_functions_do_and_values_are_is_changed_wherever_it_was_imported_to() -> None:
    path = "engine/understudy/privacy/noise.py"
    assert gaussian_deviation(3.0) == 3.0
    assert (
        told(
            path,
            "gaussian_deviation",
            "scale >= _AS_CONTINUOUS → scale > _AS_CONTINUOUS",
            lambda: gaussian_deviation(3.0) == 3.0,
        )
        is False
    )
    assert (
        told(path, "_AS_CONTINUOUS", "3.0 → 6.0", lambda: gaussian_deviation(3.0) == 3.0) is False
    )
    assert told(
        "engine/understudy/privacy/budget.py",
        "Budget delta",
        "0.0 → 1.0",
        lambda: Budget.__init__.__defaults__,
    ) == (1.0,)


def test_bounds_of_a_setting_and_values_that_are_given_together_are_changed() -> None:
    def refused() -> bool:
        try:
            Shares(seeds=0.4, structure=0.1, parameters=0.2, held_out=0.3)
        except Refusal:
            return True
        return False

    assert not refused()
    assert told("engine/understudy/table/split.py", "Shares held_out", ": 0 → 1", refused) is True
    names = "(_LEAST_BETWEEN, _LEAST_AT_LAST)"
    path = "engine/understudy/models/calibrated/learner.py"
    assert told(path, names, "0.2 → 0.1", lambda: learner._LEAST_BETWEEN) == 0.1


class Direct:
    """Checks that are functions, in the place of tests that were collected."""

    checks: ClassVar[dict[str, Callable[[], None]]] = {
        "costs": test_measurement.test_what_a_test_costs_is_its_epsilon,
        "off": test_measurement.test_with_nothing_released_all_records_are_off,
    }

    @property
    def functions(self) -> Functions:
        """Those of this process."""
        return Functions()

    def alone(self, _: Path) -> None:
        """Nothing is printed, and no files are written."""

    def passes(self, name: str) -> bool:
        """Whether a check passes."""
        try:
            self.checks[name]()
        except AssertionError:
            return False
        return True


def no_error(check: Callable[[], None]) -> bool:
    """Whether a check passes."""
    check()
    return True


def test_a_test_is_measured_anew_once_functions_that_it_reaches_have_other_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    loaded: Any = Direct()
    file = "tests/engine/acceptance/test_measurement.py"
    loaded.items = {f"{file}::{name}": [] for name in loaded.checks}
    loaded.passes = lambda name: Direct().passes(name.split("::")[1])
    first = reach.measure(loaded, 1, tmp_path)
    reaching, other = (f"{file}::off", f"{file}::costs")
    path = "engine/understudy/acceptance/outcome.py"
    assert [path in {p for p, _ in first[name].functions} for name in (reaching, other)] == [
        True,
        False,
    ]
    reach._keep({name: replace(each, seconds=99.0) for name, each in first.items()}, tmp_path)
    assert {each.seconds for each in reach.measure(loaded, 1, tmp_path).values()} == {99.0}
    named = reach._mark_of
    monkeypatch.setattr(reach, "_mark_of", lambda at: "otherwise" if at == path else named(at))
    again = reach.measure(loaded, 1, tmp_path)
    assert again[reaching].seconds < 99.0
    assert again[reaching].functions == first[reaching].functions
    assert again[other].seconds == 99.0


def test_a_known_break_is_caught_and_what_no_check_asks_about_survives(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = "engine/understudy/acceptance/measurement.py"
    cost, scale = "test.epsilon → test.epsilon / 4", "2 * FINENESS: 2 → 1"
    asked = [each for each in mutants_of(path, source(path)) if each.change.endswith((cost, scale))]
    reaching = {}
    for name, check in Direct.checks.items():
        passed, seconds, functions = reached(partial(no_error, check))
        assert passed
        reaching[name] = Reach(seconds, functions, "")
    found = try_all(Direct(), Checks(reaching), iter(asked), {}, 30.0, 1)
    results.keep(found, tmp_path)
    known = results.read(tmp_path)
    whole, part = sorted(asked, key=lambda each: each.line)
    assert (known[whole.key].verdict, known[whole.key].by) == ("caught", "costs")
    assert known[part.key].verdict == "survived"
    assert tell([whole], known) == 0
    assert "survived: " not in capsys.readouterr().out
    assert tell(asked, known) == 1
    assert f"survived: {path}:{part.line} scales: [constant] 2 * FINENESS: 2 → 1" in (
        capsys.readouterr().out
    )
    assert tell([], {}) == 0


def test_a_sample_is_the_same_each_time_and_a_larger_one_holds_it() -> None:
    paths = ("engine/understudy/privacy/noise.py", "engine/understudy/acceptance/measurement.py")
    made = [each for path in paths for each in mutants_of(path, source(path))]
    small, large = (draw(made, size, 1) for size in (3, 9))
    assert [sum(each.path == path for each in small) for path in paths] == [3, 3]
    assert small == draw(reversed(made), 3, 1)
    assert set(small) < set(large)
    assert set(small) != set(draw(made, 3, 2))
    gone = [each for each in made if each not in small[:1]]
    assert set(small[1:]) < set(draw(gone, 3, 1))


def test_a_sample_is_drawn_from_all_kinds_of_changes_alike() -> None:
    """Of 400 seeds, the first mutant of a module is of a kind as often as its share lets, within
    what five deviations leave."""
    path = "engine/understudy/privacy/gaussian.py"
    made = mutants_of(path, source(path))
    found = [draw(made, 1, seed)[0].operator for seed in range(400)]
    for kind in {each.operator for each in made}:
        share = sum(each.operator == kind for each in made) / len(made)
        assert abs(found.count(kind) - 400 * share) <= 5 * (400 * share * (1 - share)) ** 0.5 + 1


def test_a_sample_is_counted_by_method_and_put_on_a_page(tmp_path: Path) -> None:
    noise, pmse = (
        "engine/understudy/privacy/noise.py",
        "engine/understudy/mechanisms/pmse/mechanism.py",
    )
    made = [each for path in (noise, pmse) for each in mutants_of(path, source(path))]
    known_harmless = [each for each in made if listed().reason(each)]
    rest = [each for each in made if each.path == noise and not listed().reason(each)]
    runs, audit, test = (
        f"tests/engine/{at}::test"
        for at in ("audit/test_real_runs.py", "audit/test_report.py", "privacy/test_noise.py")
    )
    known = {
        each.key: results.Result(each.key, verdict, by)
        for each, verdict, by in zip(
            rest,
            ("caught", "caught", "caught", "survived", "unreached", "broken"),
            (runs, audit, test, "", "", ""),
            strict=False,
        )
    }
    other = [each for each in made if each.path == pmse]
    table = tabulate(made, [*known_harmless[:1], *rest[:7], *other[:1]], known, "some")
    of_noise = sum(each.path == noise for each in made)
    harmless = sum(each.path == noise for each in known_harmless)
    rows = [line.strip("| ").split(" | ") for line in table.splitlines()]
    assert rows[2] == [
        "shared by all methods",
        *map(str, (of_noise, harmless, 8, 1, 6, 1, 1, 1, 3, 1)),
    ]
    assert [row[0] for row in rows[2:]] == ["shared by all methods", "pmse", "together"]
    assert [int(row[3]) for row in rows[2:]] == [8, 1, 9]
    page = tmp_path / "page.md"
    page.write_text("Before.\n\n| Mutants: none | x |\n|---|\n| 1 |\n\nAfter.\n", encoding="utf-8")
    write(table, page)
    assert page.read_text(encoding="utf-8") == f"Before.\n\n{table}\nAfter.\n"
    page.write_text("Before.\n", encoding="utf-8")
    with pytest.raises(ValueError, match="no table"):
        write(table, page)


def test_a_test_of_real_runs_that_is_given_no_check_is_one_of_its_own() -> None:
    given = SimpleNamespace(params={"piece": "three"})
    item = SimpleNamespace(nodeid=f"{REAL_RUNS}::test_pieces[three]", callspec=given)
    assert _check(item, ()) == item.nodeid  # type: ignore[arg-type]
