from __future__ import annotations

import json
from dataclasses import replace

import pytest

from tests.engine.studies.numbered import numbered
from understudy.cli.output import keep_finite
from understudy.evaluation.evaluation import Evaluation
from understudy.studies.document import as_text
from understudy.studies.seedbased.notes import DEFINITIONS
from understudy.studies.seedbased.report import Circumstances, as_dict, judge_claims, sections
from understudy.studies.seedbased.results import Results


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
    data = as_dict(found, own)
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
    assert as_dict(found, short)["claims"] == []
    assert as_dict(found, census)["claims"][0]["verdict"] == "not reproduced"


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
    data = as_dict(replace(found, seconds=float("inf")), census)
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
