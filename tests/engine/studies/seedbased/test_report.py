"""The published tool's early stop: a step of the proof fails, and the theorem holds."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from tests.engine.studies.builders import numbered
from understudy.charts.scales import NOT_FOR_RELEASE
from understudy.cli.output import keep_finite
from understudy.evaluation.evaluation import Evaluation
from understudy.studies.document import as_text, write
from understudy.studies.seedbased.claims import (
    DEFINITIONS,
    hybrid_sensitivity,
    least_k,
    other_partition_falls,
    passes,
    passes_early,
)
from understudy.studies.seedbased.evaluation import Results
from understudy.studies.seedbased.figures import figures_of
from understudy.studies.seedbased.report import (
    Circumstances,
    judge_claims,
    results_as_data,
    sections,
)


def lines(found: Results, told: Circumstances, title: str) -> list[str]:
    """The text of one section."""
    section = next(each for each in sections(found, told) if each.title.startswith(title))
    return as_text([section]).splitlines()


def row(text: list[str], begins: str) -> list[str]:
    """The numbers of the first row that begins so."""
    line = next(each.strip() for each in text if each.strip().startswith(begins))
    return line.removeprefix(begins).split()


def test_published_ours_ratio_interval_and_gaps(found: Results, census: Circumstances) -> None:
    text = lines(found, census, "Table 3")
    forest = text[text.index("Accuracy, random forest") :]
    assert row(forest, "ω = 11") == ["75.3", "70.4", "0.93", "69.4", "to", "71.4", "0.69", "0.50"]
    assert row(forest, "marginals") == ["63.8", "60.4", "0.95", "59.4", "to", "61.4", "–", "–"]
    tree = text[text.index("Accuracy, classification tree") :]
    assert row(tree, "ω = 11") == ["72.4", "–", "–", "–", "0.73", "–"]


def test_distinguishing_is_shown_as_how_often_the_guess_is_right(
    found: Results, census: Circumstances
) -> None:
    text = lines(found, census, "Table 5")
    assert row(text, "ω = 11")[:3] == ["62.3", "62.5", "1.00"]


def test_every_published_table_and_figure_has_a_section(
    found: Results, census: Circumstances
) -> None:
    titles = [each.title for each in sections(found, census)]
    for name in ("Tables 1 and 2", *(f"Table {n}" for n in (3, 4, 5))):
        assert any(title.startswith(name) for title in titles)
    for number in range(1, 7):
        assert any(title.startswith(f"Figure {number}:") for title in titles)


def test_every_section_and_every_claim_is_defined(found: Results, census: Circumstances) -> None:
    defined = numbered(each.of for each in DEFINITIONS)
    assert numbered(each.title for each in sections(found, census)) == defined
    assert numbered(each.source for each in judge_claims(found)) <= defined


def test_says_that_simulated_people_are_not_the_survey(
    found: Results, census: Circumstances
) -> None:
    head = " ".join(lines(found, census, "The published evaluation"))
    assert "not the survey" in head
    assert "ours say nothing about anybody" in head
    assert "understudy reproduce census" in head
    assert "2026-11-21" in head
    assert "INTERNAL" not in head


def test_a_confidential_table_is_internal_and_has_no_published_numbers(
    found: Results, own: Circumstances
) -> None:
    text = as_text(sections(found, own))
    assert "INTERNAL" in text
    assert "75.3" not in text
    assert "Published" not in text
    assert "What the text says" not in text
    assert row(lines(found, own, "Table 3"), "ω = 11") == ["–", "–", "–"]
    data = results_as_data(found, own)
    assert "INTERNAL" in data["internal"]
    assert data["claims"] == []
    assert data["tables"][0]["columns"][1]["rows"][2]["published"] is None


def test_what_was_cut(found: Results, census: Circumstances) -> None:
    told = replace(census, cut="Cut short: everything.")
    head = " ".join(lines(found, told, "The published evaluation"))
    assert "Cut short: everything." in head


def test_figures_as_tables(found: Results, census: Circumstances) -> None:
    assert row(lines(found, census, "Figure 1"), "Age") == ["50.0", "30.0", "−10.0"]
    assert row(lines(found, census, "Figure 2"), "Age") == ["60.0", "30.0", "35.0", "10.0", "65.0"]
    assert row(lines(found, census, "Figure 4"), "marginals") == ["0.6000"] * 5
    assert row(lines(found, census, "Figure 5"), "10,000") == ["11,000", "2", "s", "5,000"]


def test_figure_6_as_published_and_here(found: Results, census: Circumstances) -> None:
    text = lines(found, census, "Figure 6")
    here = next(at for at, line in enumerate(text) if line.startswith("Here, all 735,000 seeds"))
    assert any(line.startswith("As published, 100,000 seeds") for line in text[:here])
    assert row(text[:here], "ω = 5-11")[3:5] == ["56.2", "12.5"]
    assert row(text[here:], "ω = 5-11")[3:5] == ["62.5", "25.0"]


def test_figure_5_says_what_the_published_tool_does(found: Results, census: Circumstances) -> None:
    text = " ".join(lines(found, census, "Figure 5"))
    for said in ("max_plausible", "max_check_plausible", "50,000 have been", "12,346", "95.00%"):
        assert said in text


def test_claims_with_their_verdicts(found: Results, census: Circumstances) -> None:
    text = " ".join(lines(found, census, "What the text says"))
    assert "competitive on single columns." in text
    judged = judge_claims(found)
    assert len({each.source for each in judged}) == 10
    assert text.count("Reproduced") == sum(each.holds is True for each in judged)
    assert text.count("Not reproduced") == sum(each.holds is False for each in judged)
    assert f"{text.count('Reproduced')} of {len(judged)} claims are reproduced." in text


def test_a_run_that_is_cut_short_judges_nothing(found: Results, census: Circumstances) -> None:
    short = replace(census, cut="Cut short: a tenth.")
    text = " ".join(lines(found, short, "What the text says"))
    assert "judges none of them" in text
    assert "eproduced" not in text
    assert results_as_data(found, short)["claims"] == []
    assert results_as_data(found, census)["claims"][0]["verdict"] == "not reproduced"


def test_what_could_not_be_measured_is_said_once(found: Results, census: Circumstances) -> None:
    text = "\n".join(lines(found, census, "What could not be measured"))
    assert text.count("Nothing agrees. Try again.") == 1


def test_an_omega_that_nothing_passed_at_is_named(found: Results, census: Circumstances) -> None:
    kept = tuple(each for each in found.evaluation.tables if each.name != "ω = 5-11")
    evaluation = replace(found.evaluation, tables=kept)
    text = "\n".join(lines(replace(found, evaluation=evaluation), census, "What could not"))
    assert "Too few candidates passed to measure anything at ω = 5-11." in text


def test_nothing_measured_still_prints(found: Results, census: Circumstances) -> None:
    empty = replace(found, evaluation=Evaluation((), 0, "WAGP", ()), timed=())
    text = as_text(sections(empty, census))
    assert "Not found out." in text


def test_data_is_json_where_infinities_are_left_out(found: Results, census: Circumstances) -> None:
    data = results_as_data(replace(found, seconds=float("inf")), census)
    said = json.loads(json.dumps(keep_finite(data), allow_nan=False))
    assert said["seconds"] is None
    forest = said["tables"][0]["columns"][1]
    assert (forest["quantity"], forest["classifier"]) == ("accuracy", "random forest")
    line = next(each for each in forest["rows"] if each["subject"] == "ω = 11")
    assert line["published"] == 75.3
    assert line["ours"] == pytest.approx(70.4)
    assert line["ratio"] == pytest.approx(70.4 / 75.3)
    assert said["setting"]["omegas"] == ["11", "5-11"]
    assert "internal" not in said


NAMES = [f"figure-{number}" for number in range(1, 7)]


@pytest.fixture(scope="module")
def written(found: Results, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, ...]:
    """The pictures of a public table."""
    place = tmp_path_factory.mktemp("public") / "made"
    return tuple(write(figures_of(found, internal=False), place, internal=False))


def test_six_pictures_with_their_numbers(written: tuple[Path, ...]) -> None:
    assert [path.name for path in written] == [
        f"{name}.{kind}" for name in NAMES for kind in ("svg", "csv")
    ]
    for path in written[::2]:
        picture = path.read_text(encoding="utf-8")
        assert picture.startswith("<svg")
        assert NOT_FOR_RELEASE not in picture
    numbers = pd.read_csv(written[-1])
    assert set(numbers["series"]) == {"ω = 11", "ω = 5-11"}
    widest = numbers.query("series == 'ω = 5-11' and k == 100").iloc[0]
    assert (widest["rate"], widest["rate, all seeds counted"]) == (0.5625, 0.625)


def test_pictures_of_a_confidential_table_say_so(found: Results, tmp_path: Path) -> None:
    written = write(figures_of(found, internal=True), tmp_path, internal=True)
    assert all(path.name.startswith("INTERNAL-") for path in written)
    assert {path.stat().st_mode & 0o777 for path in written} == {0o600}
    numbers = [path for path in written if path.suffix == ".csv"]
    assert all("not for release" in path.read_text(encoding="utf-8") for path in numbers)
    for path in written[::2]:
        picture = path.read_text(encoding="utf-8")
        assert NOT_FOR_RELEASE in picture
        assert "published" not in picture


def test_axes_and_names_are_in_the_picture(written: tuple[Path, ...]) -> None:
    place = written[0].parent
    said = {
        "figure-1": ("Age", "ε = 0.1", "wrong guesses"),
        "figure-2": ("Age", "random guess", "guessed right"),
        "figure-4": ("marginals", "Total variation", "ω = 11"),
        "figure-5": ("Seconds on one core", "published: less than this"),
        "figure-6": ("Candidates that pass", "ω = 5-11", "plausible seeds"),
    }
    for name, words in said.items():
        picture = (place / f"{name}.svg").read_text(encoding="utf-8")
        assert all(each in picture for each in words), name


GAMMA = 2.0


def released(records: np.ndarray, examined: int, k: int, epsilon0: float) -> np.ndarray:
    """(outcomes,) the chance that each is released, of (records, outcomes) likelihoods."""
    found = np.zeros(records.shape[1])
    with np.errstate(divide="ignore"):
        buckets = np.floor(-np.log(records) / math.log(GAMMA))
    for outcome in range(records.shape[1]):
        for seed in range(len(records)):
            if records[seed, outcome] > 0:
                count = int((buckets[:, outcome] == buckets[seed, outcome]).sum())
                passing = passes_early(count, len(records), examined, k, epsilon0)
                found[outcome] += passing * records[seed, outcome] / len(records)
    return found


@pytest.mark.parametrize("case", range(25))
def test_the_theorem_holds_where_counting_stops_early(case: int) -> None:
    random = np.random.default_rng(case)
    records = random.dirichlet([0.4] * 3, random.integers(6, 14))
    more = np.vstack([records, random.dirichlet([0.2] * 3)])
    k, t, epsilon0 = 4, int(random.integers(1, 4)), float(random.uniform(0.3, 2))
    examined = int(random.integers(1, len(records) + 1))
    one, other = (released(each, examined, k, epsilon0) for each in (records, more))
    epsilon = epsilon0 + math.log1p(GAMMA / t)
    delta = math.exp(-epsilon0 * (k - t)) / 2
    assert np.maximum(other - math.exp(epsilon) * one, 0).sum() <= delta + 1e-12
    most = math.exp(epsilon0) * (1 + 1 / len(records))
    assert (one <= most * other + 1e-12).all()


def test_a_record_more_lowers_the_chance_of_others_and_so_of_a_rejection() -> None:
    """Corollary C.13 has q and with it the chance of passing grow with every record."""
    assert other_partition_falls() > 2
    records = np.tile([1.0, 0.0], (20, 1))
    more = np.vstack([records, [0.0, 1.0]])
    one, other = (released(each, 20, 25, 1.0) for each in (records, more))
    assert one[0] > (1 + 1 / 20) * other[0]
    exact = [released(each, 21, 25, 1.0)[0] for each in (records, more)]
    assert exact[0] <= (1 + 1 / 20) * exact[1]


def test_all_records_looked_at_count_exactly() -> None:
    assert passes_early(7, 30, 30, 9, 0.7) == pytest.approx(passes(7, 9, 0.7))
    assert passes_early(7, 30, 99, 9, 0.7) == pytest.approx(passes(7, 9, 0.7))


def test_the_relative_sensitivity_rises_with_the_share_that_depends_on_the_seed() -> None:
    found = [hybrid_sensitivity(share) for share in (0.1, 0.3, 0.5, 0.7, 0.9)]
    assert all(one < other for one, other in pairwise(found))


def test_the_smallest_k_of_one_release() -> None:
    """The dissertation's own Example 5.1 takes 40."""
    assert least_k(1.0, 2.0**-40) in range(35, 41)
