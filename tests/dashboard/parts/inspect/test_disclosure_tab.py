"""The tab with what attacks found."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest

from understudy.evaluation.evaluation import Evaluation, MeasuredTable
from understudy.evaluation.measure import (
    MARGINALS,
    REALS,
    RELEASED,
    Finding,
    Interval,
    Measured,
    Part,
)
from understudy.evaluation.measures.copies import CONTROL, SEEDS
from understudy_dashboard import words
from understudy_dashboard.parts.inspect.disclosure import (
    ABOUTS,
    NO_GUARANTEE,
    draw_attacks,
    is_above_control,
    list_sentences,
    parts_table,
)

Said = Callable[[AppTest], str]


def measured(key: str, more: float) -> Measured:
    """So much more than ideal, give or take 0.02."""
    ideal = ABOUTS[key].ideal
    assert ideal is not None
    value = ideal + more
    parts = (
        Part((SEEDS,), 0.3 + more, Interval(0.2, 0.5)),
        Part((CONTROL,), 0.3, Interval(0.2, 0.4)),
    )
    return Measured(value, Interval(value - 0.02, value + 0.02), parts)


def findings_of(**more: float) -> dict[str, Finding]:
    """Every attack; those named found so much more in the released table."""
    return {
        key: Finding(
            key,
            {
                REALS: measured(key, 0.0),
                MARGINALS: measured(key, -0.01),
                RELEASED: measured(key, more.get(key.replace("-", "_"), 0.0)),
            },
        )
        for key in ABOUTS
    }


def evaluation_of(findings: dict[str, Finding]) -> Evaluation:
    tables = tuple(
        MeasuredTable(name, role, 500)
        for name, role in ((REALS, "reals"), (MARGINALS, "marginals"), (RELEASED, "released"))
    )
    return Evaluation(tables, 500, "c0", tuple(findings.values()))


def drawn(evaluation: Evaluation | None) -> AppTest:
    def page(evaluation):  # type: ignore[no-untyped-def]
        from understudy_dashboard.parts.inspect.disclosure import draw_disclosure

        draw_disclosure(evaluation, {"c0": "Pay, *monthly*"})

    return AppTest.from_function(page, default_timeout=30, kwargs={"evaluation": evaluation}).run()


def test_every_disclosure_measure_is_shown() -> None:
    assert len(ABOUTS) >= 7
    assert {"exact-matches", "near-matches", "membership", "attribute-inference"} <= set(ABOUTS)
    assert all(each.ideal is not None for each in ABOUTS.values())


def test_the_tab_says_that_nothing_here_is_a_guarantee(said: Said) -> None:
    for page in (drawn(None), drawn(evaluation_of(findings_of()))):
        assert not page.exception
        assert page.info[0].value == NO_GUARANTEE
    assert "not a guarantee" in NO_GUARANTEE
    assert "No attack has been tried" in said(drawn(None))


@pytest.mark.parametrize("key", ["membership", "attribute-inference", "columns-closer-to-used"])
def test_one_attack_after_the_other(key: str, said: Said) -> None:
    page = drawn(evaluation_of(findings_of(membership=0.1)))
    page.selectbox[0].set_value(key).run()
    assert not page.exception
    text = said(page)
    assert words.escape(ABOUTS[key].sentence) in text
    assert ("The hidden column: Pay, *monthly*." in text) == (key == "attribute-inference")
    assert len(page.dataframe) == 2


def test_what_found_nothing_and_what_did() -> None:
    assert "No attack told records used" in list_sentences(findings_of())[0]
    found = list_sentences(findings_of(membership=0.1, exact_matches=0.05))[0]
    assert "2 measures" in found
    assert "Membership guessing" in found
    assert "Exact copies" in found
    assert f"other {len(ABOUTS) - 2} found nothing" in found
    # Fewer copies of seeds than of others is no leak.
    assert "No attack told records used" in list_sentences(findings_of(exact_matches=-0.3))[0]


def test_only_an_interval_wholly_beyond_chance_counts() -> None:
    about = ABOUTS["membership"]
    assert is_above_control(about, measured("membership", 0.021))
    assert not is_above_control(about, measured("membership", 0.019))
    assert not is_above_control(about, Measured(0.5))


def test_the_table_sets_seeds_beside_others_and_tables_beside_references() -> None:
    table = draw_attacks(findings_of(membership=0.1))
    row = table.loc[table["Measure"] == "Membership guessing"].iloc[0]
    assert row["Released"] == "10.0 % (8.0 to 12.0 %)"
    assert row["Of records used"] == "40.0 %"
    assert row["Of held-out"] == "30.0 %"
    assert row["Other real records"].startswith("0")
    assert row["No leak"] == "0 %"
    closer = table.loc[table["Measure"] == "Closer to records used"].iloc[0]
    assert closer["No leak"] == "50.0 %"


def test_what_could_not_be_measured_is_said() -> None:
    findings = findings_of() | {"membership": Finding("membership", trouble="Too few seeds.")}
    table = draw_attacks(findings)
    row = table.loc[table["Measure"] == "Membership guessing"].iloc[0]
    assert row["Released"] == "Too few seeds."
    page = drawn(evaluation_of(findings))
    page.selectbox[0].set_value("membership").run()
    assert not page.exception
    assert page.info[-1].value == "Too few seeds."


def test_a_release_too_small_to_try_is_said() -> None:
    without = {key: Finding(key, {REALS: measured(key, 0.0)}) for key in ABOUTS}
    assert "too few records" in list_sentences(without)[0]
    assert not drawn(evaluation_of(without)).exception


def test_the_breakdown_names_its_entries() -> None:
    table = parts_table(ABOUTS["exact-matches"], findings_of()["exact-matches"])
    assert list(table) == ["Table", "Real records", "Exact copies"]
    assert table["Real records"].tolist() == [SEEDS, CONTROL] * 3
