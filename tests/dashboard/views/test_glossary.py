"""Words that explain themselves."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from streamlit.testing.v1 import AppTest

from understudy.mechanisms.seedbased.fields.table import FIELDS
from understudy_dashboard import glossary, style, words
from understudy_dashboard.glossary import (
    CSS,
    GLOSSARY,
    SIGNS,
    explain_terms,
    matching_terms,
    term,
    title_of_term,
)

DASHBOARD = Path(glossary.__file__).parent


def test_a_term_is_a_link_that_shows_its_explanation() -> None:
    assert term("seed", "seeds") == "[seeds](#term-seed)"
    assert term("epsilon") == "[ε](#term-epsilon)"
    assert term("declared public") == "[declared public](#term-declared-public)"
    with pytest.raises(KeyError):
        term("sead")


@pytest.mark.parametrize("name", GLOSSARY)
def test_each_link_has_its_explanation_in_the_style_of_every_page(name: str) -> None:
    place = re.search(r"\((.*)\)$", term(name))
    assert place is not None
    rule = f'a[href="{place[1]}"]:is(:hover, :focus)::after {{ content: "{GLOSSARY[name]}"; }}'
    assert rule in style.CSS


@given(st.text())
def test_whatever_an_explanation_says_it_stays_one_string(text: str) -> None:
    quoted = glossary._quote_css(text)
    assert re.fullmatch(r'"(?:[^"\\<>\n]|\\[0-9a-f]+ )*"', quoted)
    read = re.sub(r"\\([0-9a-f]+) ", lambda sign: chr(int(sign[1], 16)), quoted[1:-1])
    assert read == text


def test_no_explanation_can_end_the_string_it_stands_in() -> None:
    for said in re.findall(r"content: (.*); }$", CSS, re.MULTILINE):
        assert re.fullmatch(r'"[^"\\<>]*"', said)


def test_explanations_are_one_or_two_plain_sentences() -> None:
    for name, said in GLOSSARY.items():
        assert said.endswith("."), name
        assert 1 <= len(re.findall(r"[.:?](?: |$)", said)) <= 4, name
        assert len(said) <= 220, name


def test_every_sign_of_a_setting_is_explained() -> None:
    signs = {
        said.sign
        for each in FIELDS
        for said in (each.words, *(variant for _, variant in each.variants))
        if said.sign
    }
    listed = {SIGNS.get(name, name) for name in GLOSSARY} | {"Pass floor"}
    assert signs <= listed


def test_every_term_used_on_a_page_is_known() -> None:
    used = {
        name
        for path in DASHBOARD.rglob("*.py")
        for name in re.findall(r"\bterm\(\s*[\"']([^\"']+)", path.read_text(encoding="utf-8"))
    }
    assert used
    assert used <= set(GLOSSARY)


def test_searching_looks_in_names_and_explanations_and_puts_names_first() -> None:
    assert matching_terms("") == sorted(GLOSSARY, key=str.casefold)
    assert matching_terms("SEED")[0] == "plausible seeds"
    assert set(matching_terms("coin noth")) == {"rho"}
    assert matching_terms("ω")[0] == "omega"
    assert matching_terms("no such word") == []


@given(st.text(max_size=12))
def test_whatever_is_searched_only_terms_come_back_each_once(asked: str) -> None:
    names = matching_terms(asked)
    assert set(names) <= set(GLOSSARY)
    assert len(names) == len(set(names))


def test_the_page_lists_what_is_searched_for(
    opened: Callable[..., AppTest], said: Callable[[AppTest], str]
) -> None:
    page = opened("glossary")
    assert all(
        f"**{title_of_term(name)}**  \n{words.HELP.get(name, GLOSSARY[name])}" in said(page)
        for name in GLOSSARY
    )
    page.text_input(key="glossary-search").set_value("ledger").run()
    text = said(page)
    assert "**ledger**" in text
    assert "**codebook**" not in text
    page.text_input(key="glossary-search").set_value("zzz <b>").run()
    assert "“zzz <b>”" in said(page)


def test_terms_of_a_sentence_explain_themselves_where_they_stand_first() -> None:
    assert explain_terms("Records and seeds; each seed, each Record.") == (
        "[Records](#term-record) and [seeds](#term-seed); each seed, each Record."
    )
    assert explain_terms("the synthetic table (ε, δ) of e^ε") == (
        "the [synthetic table](#term-synthetic-table) ([ε](#term-epsilon), [δ](#term-delta)) of e^ε"
    )
    assert (
        explain_terms("a t, a k, a recording, ε0") == "a t, a k, a recording, [ε0](#term-epsilon0)"
    )


@given(st.text())
def test_explaining_changes_no_word(text: str) -> None:
    bare = text.replace("[", "").replace("]", "")
    assert re.sub(r"\[([^\]]*)\]\(#term-[^)]*\)", r"\1", explain_terms(bare)) == bare
