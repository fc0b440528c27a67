"""What is said of ε and δ, held against exact laws; and that no source says anything else of δ."""

from __future__ import annotations

import math
import re
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import brentq
from scipy.stats import norm

from understudy.core.arrays import FloatArray
from understudy.core.numerals import one_in
from understudy.privacy import wording
from understudy.privacy.budget import Budget, Neighbours
from understudy.privacy.strength import belief

ROOT = Path(__file__).parents[3]
SENTENCE = re.compile(
    r"at most e\^([\d.,e-]+)(?: \(about ([\d.,]+)\))? times what it would be"
    r"(?:, plus δ = (\S+?))?, "
)


def worst(epsilon: float, delta: float) -> tuple[FloatArray, FloatArray]:
    """The pair that every (ε, δ)-private pair is made from (Kairouz, Oh and Viswanath 2015)."""
    up = (1 - delta) / (1 + math.exp(-epsilon))
    down = 1 - delta - up
    return np.array([delta, up, down, 0.0]), np.array([0.0, down, up, delta])


def composed(epsilon: float, delta: float, times: int) -> tuple[FloatArray, FloatArray]:
    """So many of that pair, by how often the likelier answer was given; the first outcome is that
    the truth was told at least once."""
    (_, up, down, _), _ = worst(epsilon, delta)
    counts = np.arange(times + 1)
    ways = np.array([math.comb(times, int(each)) for each in counts], dtype=float)
    one = ways * up**counts * down ** (times - counts)
    told = 1 - (1 - delta) ** times
    return np.array([told, *one, 0.0]), np.array([0.0, *one[::-1], told])


def gaussian(sigma: float) -> tuple[FloatArray, FloatArray]:
    """Means 0 and 1 with this deviation, in cells so fine that the loss hardly changes in one."""
    edges = np.linspace(-12 * sigma, 1 + 12 * sigma, 20_001)
    one, other = (np.diff(norm.cdf(edges, mean, sigma)) for mean in (1, 0))
    return one / one.sum(), other / other.sum()


def added(one: FloatArray, other: FloatArray, epsilon: float) -> float:
    """The smallest δ: the largest of Pr{S | one} − e^ε·Pr{S | other} over all sets S."""
    return float(np.maximum(one - math.exp(epsilon) * other, 0).sum())


def exceeding(one: FloatArray, other: FloatArray, epsilon: float) -> float:
    """The chance of an outcome that is more than e^ε times as likely."""
    return float(one[one > math.exp(epsilon) * other * (1 + 1e-9)].sum())


def stated(total: Budget) -> tuple[float, float]:
    """The factor and the δ of the sentence about a total, as it prints them."""
    found = SENTENCE.search(wording.guarantee_sentence(total))
    assert found is not None
    delta = 0.0 if found[3] is None else float(found[3])
    return math.exp(float(found[1].replace(",", ""))), delta


PAIRS = {
    "the worst pair": (worst(1.0, 1e-3), 1.0),
    "twenty of the worst pair": (composed(0.1, 1e-6, 20), 0.8),
    "a hundred of the worst pair": (composed(0.05, 0.0, 100), 1.5),
    "Gaussian, large ε": (gaussian(1.0), 3.0),
    "Gaussian, small ε": (gaussian(4.0), 0.9),
}


@pytest.mark.parametrize("name", PAIRS)
def test_what_is_said_of_delta_holds_of_exact_laws(name: str) -> None:
    """Of every set of outcomes, the worst one included; to as many digits as are printed."""
    (one, other), epsilon = PAIRS[name]
    total = Budget(epsilon, added(one, other, epsilon))
    factor, delta = stated(total)
    for first, second in ((one, other), (other, one)):
        likelier = first > factor * second
        assert first[likelier].sum() <= factor * second[likelier].sum() + delta + 1e-15


def test_delta_bounds_no_chance_of_exceeding_epsilon() -> None:
    """It is that chance for the worst pair, and far below it for the others."""
    ratios = {}
    for name, ((one, other), epsilon) in PAIRS.items():
        ratios[name] = exceeding(one, other, epsilon) / added(one, other, epsilon)
    assert ratios["the worst pair"] == pytest.approx(1)
    assert all(ratios[name] > 3 for name in PAIRS if name != "the worst pair"), ratios


@given(st.floats(0.5, 6.0), st.floats(0.05, 4.0), st.floats(0.02, 0.98))
def test_the_chance_beside_a_belief_does_bound_it(
    sigma: float, epsilon: float, prior: float
) -> None:
    """Gaussian, in closed form: the odds pass c where x lies beyond σ²·ln c + ½."""
    delta = _gaussian_delta(sigma, epsilon)
    if delta < 1e-300:
        return
    found = belief(prior, Budget(epsilon, delta))
    edge = sigma**2 * (epsilon + math.log(1.01)) + 0.5
    beyond = norm.sf(edge, 1, sigma) + norm.cdf(1 - edge, 1, sigma)
    assert beyond <= found.failing + 1e-15


def _gaussian_delta(sigma: float, epsilon: float) -> float:
    """Balle and Wang 2018, Theorem 8."""
    first = norm.cdf(1 / (2 * sigma) - epsilon * sigma)
    return float(first - math.exp(epsilon) * norm.cdf(-1 / (2 * sigma) - epsilon * sigma))


def test_the_figures_said_of_epsilon_are_those_of_beliefs() -> None:
    told = re.findall(r"(\d+) % likely at (?:ε = )?([\d.]+)", wording.EPSILON)
    assert [float(epsilon) for _, epsilon in told] == [0.5, 1, 2]
    for shown, epsilon in told:
        odds = math.exp(2 * float(epsilon)) / 9
        assert math.ceil(100 * odds / (1 + odds)) == int(shown)
    assert "all but certain at 5" in wording.EPSILON
    assert math.exp(10) / (9 + math.exp(10)) > 0.9995


FORBIDDEN = (
    r"failure chance|chances? of failure|probability of failure|failure probability",
    r"(?:chance|probability|odds)\s+(?:that|with\s+which)\s+(?:the\s+promise|the\s+guarantee|ε|it)\s"
    r"[^.;:]{0,40}?\b(?:fails?|failing|breaks?|(?:is|be)\s+broken|not\s+hold|does\s+not\s+hold)\b",
    r"(?:this|it|ε|δ|promise|guarantee|bound)\s+(?:(?:may|can|might)\s+)?fails?\s+with",
    r"promise\s+(?:of\s+ε\s+)?(?:may\s+)?fails?\b",
    r"holds?\s+(?:but\s+for|except\s+with)\s+(?:a\s+)?(?:chance|probability)\s+(?:of\s+)?δ",
    r"with\s+probability\s+(?:of\s+)?(?:at\s+least\s+)?1\s*[−-]\s*δ",
)
"""Ways to call δ a chance that something fails, which it is not."""

SOURCES = sorted(
    path
    for folder in ("engine", "dashboard", "docs")
    for path in (ROOT / folder).rglob("*")
    if path.suffix in {".py", ".j2", ".md", ".json", ".html", ".css", ".txt"}
)


def joined(text: str) -> str:
    """A source with texts that go on from line to line put together."""
    return re.sub(r"[\"']\s*\n\s*(?:f|r|rf)?[\"']", "", text)


@cache
def sources() -> dict[Path, str]:
    return {path: joined(path.read_text(encoding="utf-8")) for path in SOURCES}


@pytest.mark.parametrize("phrase", FORBIDDEN)
def test_no_source_of_words_calls_delta_a_chance_of_failure(phrase: str) -> None:
    assert len(SOURCES) > 300
    found = [
        f"{path.relative_to(ROOT)}: {match[0]}"
        for path, text in sources().items()
        for match in re.finditer(phrase, text, re.IGNORECASE)
    ]
    assert found == []


@pytest.mark.parametrize(
    "old",
    [
        "and with a failure chance of at most 1 in 1,000",
        "**δ** (delta) is the chance that the promise of ε fails.",
        "this may fail with a chance of 1 in a billion",
        "δ of the total: the chance with which ε may fail to hold",
        "The chance of failure that was allowed.",
    ],
)
def test_the_search_finds_what_was_said_of_it(old: str) -> None:
    assert any(re.search(phrase, old, re.IGNORECASE) for phrase in FORBIDDEN)


def test_brent_is_not_needed_where_the_law_is_closed() -> None:
    """The δ of the cells is that of the density."""
    one, other = gaussian(1.0)
    epsilon = float(brentq(lambda each: _gaussian_delta(1.0, each) - 1e-4, 0.1, 10))
    assert added(one, other, epsilon) == pytest.approx(1e-4, rel=1e-3)


def test_between_tables_of_one_number_of_records_nothing_is_said_to_hide_who_is_in_them() -> None:
    total = Budget(1.0)
    said = wording.belief_sentence(total, neighbours=Neighbours.REPLACEMENTS)
    assert "is in the data cannot" not in said
    assert "Who is in the data" in said
    reached = belief(0.1, total, "replaced").at_most
    # Any two contents of a record are e^ε apart, and so are any two mixtures of such contents.
    assert reached == pytest.approx(0.1 * math.e / (0.1 * math.e + 0.9))
    assert wording.at_most_in_words(belief(0.1, total, "replaced")) in said
    assert "all but certain" in wording.belief_sentence(
        Budget(40.0), neighbours=Neighbours.REPLACEMENTS
    )
    once, often = (
        wording.guarantee_sentence(total, many, Neighbours.REPLACEMENTS) for many in (1, 3)
    )
    assert "had any one record said something else" in once
    assert "up to 3 of them, said something else" in often


@pytest.mark.parametrize("neighbours", Neighbours)
def test_how_much_a_promise_is_stands_between_what_it_grades_and_its_figures(
    neighbours: Neighbours,
) -> None:
    total, of = Budget(1.0, 1e-9), wording.THIS_RELEASE
    believed = wording.belief_sentence(total, of=of, neighbours=neighbours)
    figures = wording.guarantee_sentence(total, 2, neighbours, of)
    said = wording.promise_sentence(total, 2, neighbours, of)
    assert said == f"{believed} That is a moderate promise. {figures}"


@pytest.mark.parametrize("neighbours", Neighbours)
def test_a_headline_says_what_the_belief_is_and_nothing_where_that_is_no_bound(
    neighbours: Neighbours,
) -> None:
    total = Budget(1.0, 1e-9)
    found = wording.headline(total, wording.THIS_TABLE, neighbours)
    assert found is not None
    replaced = neighbours is Neighbours.REPLACEMENTS
    about = "replaced" if replaced else "presence"
    reached = wording.at_most_in_words(belief(0.1, total, about))
    assert (found.before, found.after) == ("10 %", reached)
    assert f"at most {reached} likely after reading this table" in found.said
    fact = wording.at_most_in_words(belief(0.1, total, "value"))
    assert (f"becomes at most {fact} likely" in found.said) is not replaced
    of_facts = wording.headline(Budget(6.0, 1e-9), wording.THIS_TABLE, neighbours)
    assert of_facts is not None
    assert ("in that person’s record they may become" in of_facts.said) is not replaced
    for nothing in (Budget.unbounded(), Budget(40.0)):
        assert wording.headline(nothing, wording.THIS_TABLE, neighbours) is None


@pytest.mark.parametrize("neighbours", Neighbours)
def test_a_headline_bounds_what_a_record_adds_and_says_how_likely_it_fails(
    neighbours: Neighbours,
) -> None:
    total = Budget(1.0, 1e-9)
    found = wording.headline(total, wording.THIS_TABLE, neighbours)
    certain = wording.headline(Budget(1.0), wording.THIS_TABLE, neighbours)
    assert found is not None
    assert certain is not None
    abouts = ("replaced",) if neighbours is Neighbours.REPLACEMENTS else ("presence", "value")
    chance = one_in(max(belief(0.1, total, each).failing for each in abouts))
    assert found.said.endswith(f"moves a belief further is at most {chance}.")
    assert "chance" not in certain.said
    assert "through that " in certain.said


def test_the_line_beside_the_slider_the_statement_and_the_headline_name_one_chance() -> None:
    total = Budget(1.0, 1e-9)
    chance = wording.chance_sentence(belief(0.1, total), belief(0.1, total, "value")).strip()
    assert chance.endswith("at most 1 in 2.34 million.")
    headline = wording.headline(total)
    assert headline is not None
    for said in (wording.in_short(total), wording.belief_sentence(total), headline.said):
        assert chance in said
        assert re.findall(r"([\d.]+ %) likely", said)[:2] == ["10 %", headline.after]
    assert "chance" not in wording.in_short(Budget(1.0))
