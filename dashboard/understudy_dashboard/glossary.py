"""The words and signs of the pages, each explained in a sentence or two.

`term` gives Markdown for a word that explains itself when it is pointed at, tapped or reached by
the keyboard. It is a link to a place of that name, which any Markdown of Streamlit lets through;
`CSS` shows the explanation beside it, and a screen reader reads it as part of the link.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

from understudy.privacy.budget import DELTA_IN_SHORT, EPSILON_IN_SHORT

GLOSSARY: Final[Mapping[str, str]] = {
    "attempt": (
        "One try at making a synthetic record: draw a seed, make a candidate from it, put it to "
        "the privacy test, and release it or nothing."
    ),
    "bucket": (
        "A coarser value, such as an age group in place of an age. Buckets are used where a "
        "column helps to predict another; released records keep their fine values."
    ),
    "budget": (
        "How much ε and δ all runs on one dataset may use together. You set it; once it is used "
        "up, no further run is started."
    ),
    "candidate": (
        "A proposed synthetic record. It is released only if it passes the privacy test."
    ),
    "change of belief": (
        "How far the release can move what somebody thinks of one person: from a chance before "
        "reading it to at most another chance after."
    ),
    "codebook": (
        "A list of a table’s columns with their meaning and the values they may take, as "
        "printed with a survey. It says nothing about any one person."
    ),
    "composition": (
        "How the costs of many attempts, or of several releases, add up to one total. Every "
        "further release from the same records costs more."
    ),
    "configuration": (
        "One combination of bucketed values of the columns that predict another, such as “aged "
        "30 to 39 and employed”. Each has its own noisy counts."
    ),
    "confidential": (
        "Not for anybody but the custodian: the table that was opened, and all that is computed "
        "from it without noise."
    ),
    "custodian": (
        "Whoever is responsible for the confidential table and decides what is released from it."
    ),
    "dataset": (
        "The people whose records a table holds. They have one budget, however many files, "
        "projects or runs there are about the same people."
    ),
    "declared public": (
        "Said by the custodian to be public knowledge: what columns there are, what they may "
        "contain, and how they are bucketed. The guarantee rests on this being true."
    ),
    "distinguishing": (
        "A game: a program is shown real and synthetic records and guesses which is which. If it "
        "is right in 50 of 100 cases, it cannot tell them apart."
    ),
    "epsilon": EPSILON_IN_SHORT,
    "delta": DELTA_IN_SHORT,
    "epsilon0": (
        "The part of ε spent on blurring k in each privacy test. A smaller ε0 costs less and asks "
        "for a larger k."
    ),
    "exact match": (
        "A synthetic record that equals a real one in every column. It happens by chance, too: "
        "compare with other real records."
    ),
    "gamma": (
        "How alike “about as likely” is: two records count as equally plausible when their "
        "chances of making the candidate lie within the factor γ."
    ),
    "guarantee": (
        "A proven pair of ε and δ, together with what it is about: whom it protects, what a "
        "reader may see, and what it assumes."
    ),
    "held out": (
        "Records of the confidential table that had no part in the release, so that the "
        "release can be compared with people it has not seen."
    ),
    "internal": (
        "Computed from confidential records without noise. It is shown to the custodian and is "
        "in no file for release."
    ),
    "k": (
        "How many plausible seeds a candidate needs to pass the privacy test. A larger k hides "
        "each record among more others."
    ),
    "kept columns": (
        "Columns that a candidate copies from its seed; the others are drawn afresh from the model."
    ),
    "ledger": (
        "The book of what was spent on each dataset, run by run. Entries are only ever added, "
        "and each seals the one before."
    ),
    "m": "The number of synthetic records to release, where it is fixed beforehand.",
    "marginals": (
        "The simplest model: every column as it is spread by itself, without any relation "
        "between columns. It is the worst that is acceptable, and a mark to compare with."
    ),
    "model": (
        "What was learned, with noise, about how columns depend on each other. Candidates are "
        "drawn from it."
    ),
    "N": "The number of attempts of a run, fixed before it starts.",
    "neighbours": (
        "Two tables that differ by one record, or by the records of one person. The guarantee "
        "says how alike the releases from both have to be."
    ),
    "noise": (
        "Random amounts added on purpose to what is counted, so that what any one record adds is "
        "blurred: the more noise, the smaller ε."
    ),
    "omega": (
        "How many columns of a candidate are drawn afresh from the model. The rest are copied "
        "from its seed."
    ),
    "packet": (
        "The folder for a review board: the synthetic table, its guarantee, a report, and what is "
        "needed to check them. Nothing internal is in it."
    ),
    "pass floor": (
        "A share of attempts that is sure to pass, declared before the run without looking at "
        "the table."
    ),
    "pass rate": (
        "The share of candidates that pass the privacy test. Internal, unless the guarantee "
        "covers it."
    ),
    "plan": "All settings of a run: the privacy test, the model, and how many attempts.",
    "plausible seeds": (
        "The records that could have made a candidate about as likely as its own seed did. The "
        "more there are, the less a candidate says about any one of them."
    ),
    "privacy test": (
        "Asks of each candidate whether at least k records could have made it, with k blurred by "
        "noise. What fails is never released."
    ),
    "project": "A folder with a table’s schema, plans, runs and packets; not the table itself.",
    "propensity": (
        "How surely a program tells a synthetic record from a real one, as a chance. If it is "
        "the same for all, the two look alike."
    ),
    "record": "One row of the confidential table, usually one person.",
    "rehearsal": (
        "A trial of the plan that releases nothing. It shows how many candidates would pass."
    ),
    "relative sensitivity": (
        "A privacy test that counts every seed that makes the candidate no more likely than its "
        "own seed does, weighted by how likely."
    ),
    "plausible deniability": (
        "A privacy test that counts the seeds that make the candidate about as likely as its own "
        "seed does."
    ),
    "released": "Published: in the synthetic table that leaves the custodian’s hands.",
    "resampled columns": "Columns that a candidate draws afresh from the model.",
    "rho": (
        "The share of passing candidates turned down all the same, by a coin that looks at "
        "nothing. It lets the guarantee cover rejections."
    ),
    "schema": (
        "What the columns are, what each may contain, and how it is bucketed. It is written down "
        "without looking at the records, and is public."
    ),
    "score": (
        "How many records could have made a candidate, as the privacy test counts them. Internal."
    ),
    "seed": "A record that was drawn to make one candidate from.",
    "seedless": (
        "Made from the model alone: no column is copied from a record, and the number of "
        "records made costs nothing further."
    ),
    "spend": (
        "The ε and δ that a run takes from its dataset’s budget. It counts once the run starts, "
        "whatever comes of it."
    ),
    "statement": "The text and figures of a guarantee that go with a released table.",
    "synthetic table": (
        "A table of made-up records that stands in for the confidential one, with the same columns."
    ),
    "t": (
        "A number in the proof that says how to split ε and δ. It changes the statement and "
        "nothing in the run."
    ),
    "total variation": (
        "The largest difference between two tables in the share of records that any statement is "
        "true of: 0 % is the same, 100 % has nothing in common."
    ),
}
"""Every term by its name, in plain text."""

SIGNS: Final[Mapping[str, str]] = {
    "epsilon": "ε",
    "delta": "δ",
    "epsilon0": "ε0",
    "gamma": "γ",
    "omega": "ω",
    "rho": "ρ",
}
"""The signs that stand on the pages for some of them."""

_FIRST = "term-"


def term(name: str, text: str = "") -> str:
    """Return a term that explains itself, as Markdown.

    Args:
        name: its name in `GLOSSARY`.
        text: how it stands in its sentence; as `title_of_term` has it where this is empty.
    """
    if name not in GLOSSARY:
        raise KeyError(name)
    return f"[{text or SIGNS.get(name, name)}](#{_FIRST}{_slug_of(name)})"


def explain_terms(text: str) -> str:
    """Return a sentence of ours in which each term explains itself where it stands first.

    Args:
        text: Markdown without links.
    """
    said: set[str] = set()

    def link_term(word: re.Match[str]) -> str:
        name = _BY_WORD[word[0].casefold()]
        if name in said:
            return word[0]
        said.add(name)
        return term(name, word[0])

    return _WORDS.sub(link_term, text)


def title_of_term(name: str) -> str:
    """Return what a term is listed under: its sign first where it has one."""
    return f"{SIGNS[name]} ({name})" if name in SIGNS else name


def find_terms(words: str) -> list[str]:
    """Return the names of the terms in which all of these words occur, in order of their titles;
    every term where there are none. A term whose title has the words comes first."""
    asked = words.casefold().split()
    titled = {name: title_of_term(name).casefold() for name in GLOSSARY}

    def holds(text: str) -> bool:
        return all(word in text for word in asked)

    hits = [name for name in GLOSSARY if holds(f"{titled[name]} {GLOSSARY[name].casefold()}")]
    return sorted(hits, key=lambda name: (bool(asked) and not holds(titled[name]), name.casefold()))


def _slug_of(name: str) -> str:
    return name.replace(" ", "-")


def _quote_css(text: str) -> str:
    """Return a text as a string of CSS, which no sign in it can end."""
    return '"' + re.sub(r'["\\<>\n]', lambda sign: f"\\{ord(sign[0]):x} ", text) + '"'


def _write_css_rule(name: str) -> str:
    pointed = f'a[href="#{_FIRST}{_slug_of(name)}"]:is(:hover, :focus)::after'
    return f"{pointed} {{ content: {_quote_css(GLOSSARY[name])}; }}"


def _list_spellings(name: str) -> Iterator[tuple[str, str]]:
    """Yield how a term is written in a sentence; a Latin letter alone may be anything."""
    if name in SIGNS:
        yield SIGNS[name], name
    elif len(name) > 1:
        yield name.casefold(), name
        yield f"{name}s".casefold(), name


_BY_WORD: Final = {word: name for each in GLOSSARY for word, name in _list_spellings(each)}
# The longest first, so that "synthetic table" is not taken for less.
_LONGEST_FIRST: Final = "|".join(map(re.escape, sorted(_BY_WORD, key=len, reverse=True)))
_WORDS: Final = re.compile(rf"(?<![\w^])(?:{_LONGEST_FIRST})(?![\w-])", re.IGNORECASE)

_LOOK = """
a[href^="#term-"] {
  color: inherit !important;
  text-decoration: underline dotted from-font;
  text-underline-offset: 0.2em;
  cursor: help;
  position: relative;
  white-space: nowrap;
}
a[href^="#term-"]:is(:hover, :focus)::after {
  position: absolute;
  top: calc(100% + 0.35rem);
  left: 0;
  z-index: 1000;
  box-sizing: border-box;
  width: max-content;
  max-width: min(22rem, 80vw);
  padding: 0.6rem 0.8rem;
  border-radius: 0.4rem;
  border: 1px solid light-dark(#cfd6dd, #3a444f);
  background: light-dark(#ffffff, #1d242c);
  color: light-dark(#1a2027, #e9edf1);
  box-shadow: 0 4px 16px rgb(0 0 0 / 0.2);
  font: 400 0.875rem/1.45 "Source Sans", sans-serif;
  text-align: left;
  white-space: normal;
}
@supports (position-try-fallbacks: flip-block) {
  a[href^="#term-"]:hover { anchor-name: --pointed; }
  a[href^="#term-"]:focus { anchor-name: --focused; }
  a[href^="#term-"]:is(:hover, :focus)::after {
    position: fixed;
    top: anchor(bottom);
    left: anchor(left);
    margin-block: 0.35rem;
    position-try-fallbacks: flip-block, flip-inline, flip-block flip-inline;
  }
  a[href^="#term-"]:focus::after { position-anchor: --focused; }
  a[href^="#term-"]:hover::after { position-anchor: --pointed; }
}
"""

CSS: Final = _LOOK + "\n".join(_write_css_rule(name) for name in GLOSSARY)
"""How terms look, and what each shows."""
