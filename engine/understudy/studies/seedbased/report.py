"""A reproduction as a document and as plain values: published tables beside ours, figures, and
claims.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from understudy.evaluation.measure import MARGINALS, WITHOUT_NOISE
from understudy.studies.comparison import StudyClaim, claims_data, claims_section
from understudy.studies.document import DocumentGrid, Section
from understudy.studies.reproduction import Document
from understudy.studies.seedbased import claims, publication
from understudy.studies.seedbased.claims import (
    classification_claim,
    distinguishing_claim,
    format_seconds,
    improvement_claims,
    linear_claims,
    model_claims,
    pairs_claim,
    passing_claims,
    single_claim,
    timing_claim,
)
from understudy.studies.seedbased.evaluation import (
    IMPROVEMENT,
    LEAF,
    MODELS,
    PAIRS,
    SINGLE,
    Passing,
    Results,
    found_in,
)
from understudy.studies.seedbased.figures import figures_of
from understudy.studies.seedbased.publication import (
    Beside,
    PublishedColumn,
    PublishedLine,
    set_beside,
)
from understudy.studies.seedbased.setting import average_by_kind, compared_with, learned_kinds

INTERNAL = (
    "INTERNAL. Computed from confidential records without noise. Keep it to yourself: none of it "
    "may leave with a release."
)
_SHOWN_KS = (10, 20, 50, 100, 200, 500, 1_000)


@dataclass(frozen=True)
class Circumstances:
    """What a reader has to know of how a reproduction came about.

    Attributes:
        table: what it was run on, in words.
        command: what was typed.
        date: when.
        census: whether it was the simulated census, beside which the published numbers stand.
        cut: what was done less of than was published, in words; "" for nothing.
    """

    table: str
    command: str
    date: str
    census: bool
    cut: str = ""


def sections(found: Results, told: Circumstances) -> tuple[Section, ...]:
    """Everything there is to print, in order."""
    return (
        _head(found, told),
        _describe_records(found, told),
        *(_table_section(each, told) for each in _tables(found, told)),
        _improvement(found),
        _models(found),
        _distances(found, SINGLE, "Figure 3: distances of single columns"),
        _distances(found, PAIRS, "Figure 4: distances of pairs of columns"),
        _times(found, told),
        _passing(found),
        *((claims_section(judge_claims(found), judged=not told.cut),) if told.census else ()),
        *_troubles(found),
    )


def _tables(found: Results, told: Circumstances) -> tuple[Beside, ...]:
    """Return the three published tables of measurements, ours beside them."""
    measured = found_in(found.evaluation)
    omegas = [f"ω = {omega}" for omega in found.setting.omegas]
    return tuple(
        set_beside(table, measured, _subjects(table, omegas), with_published=told.census)
        for table in publication.TABLES
    )


def _subjects(table: publication.PublishedTable, omegas: Sequence[str]) -> list[str]:
    """Return the rows of a table: the published ones, ω's by those of this reproduction."""
    others = [each for each in table.rows if not each.startswith("ω = ")]
    return [*others, *omegas]


def _head(found: Results, told: Circumstances) -> Section:
    sizes = found.sizes
    census = (
        "This is not the survey that was published on. The records are simulated, from invented "
        "probabilities; only the columns, the numbers of their values and the share of records "
        "that occur once are alike. So no two numbers here can be equal but by chance, ours say "
        "nothing about anybody, and what is to be compared is the order of the rows and how much "
        "of the way from the marginals to real data each goes."
    )
    learned = (
        f"Parts: {sizes.seeds:,} seeds, {sizes.structure:,} records for the structure, "
        f"{sizes.parameters:,} for the parameters, {sizes.held_out:,} held out. The model and "
        f"the marginals are learned at ε = {publication.MODEL_EPSILON:g}, δ = 2^−30; the test is "
        f"plausible deniability with k = {publication.K}, γ = {publication.GAMMA:g}, "
        f"ε0 = {publication.EPSILON0:g}. Each table that is measured has "
        f"{_records(found):,} records."
    )
    learning, everything = format_seconds(found.learning), format_seconds(found.seconds)
    times = f"Learning took {learning}, everything {everything}."
    grid = DocumentGrid(
        "",
        ("", ""),
        (("Table", told.table), ("Date", told.date), ("Command", told.command)),
        words=2,
    )
    words = [census] if told.census else [INTERNAL]
    after = [learned, *([told.cut] if told.cut else []), times]
    return Section(
        "The published evaluation, run again",
        tuple(words),
        (grid,),
        tuple(after),
    )


def _records(found: Results) -> int:
    return max((each.records for each in found.evaluation.tables), default=0)


def _describe_records(found: Results, told: Circumstances) -> Section:
    ours = found.described
    share = ours.unique / ours.records
    if not told.census:
        return Section(
            "Tables 1 and 2: the table",
            (
                f"{ours.records:,} records of {len(ours.cardinalities)} columns; "
                f"{ours.possible:,} different ones are possible, and {ours.unique:,} occur once "
                f"({share:.1%}).",
            ),
        )
    rows = [
        (
            name,
            f"{count:,}",
            f"{ours.cardinalities[name]:,}",
            _ratio(ours.cardinalities[name], count),
        )
        for name, count in publication.CARDINALITIES.items()
    ]
    records = (
        ("Records", publication.RECORDS, ours.records),
        ("Possible records", publication.POSSIBLE, ours.possible),
        ("Records that occur once", publication.UNIQUE, ours.unique),
    )
    facts = [(name, f"{one:,}", f"{two:,}", _ratio(two, one)) for name, one, two in records]
    unique = 100 * publication.UNIQUE / publication.RECORDS
    facts.append(
        ("  of all, %", f"{unique:.1f}", f"{100 * share:.1f}", _ratio(100 * share, unique))
    )
    words = [
        "The product of the published numbers of values is 552,960,000,000; the published number "
        "of possible records is that with one value less for AGEP and for WKHP."
    ]
    if ours.records < publication.RECORDS // 2:
        words.append("The fewer records there are, the larger a share of them occurs once.")
    return Section(
        "Tables 1 and 2: the table",
        tuple(words),
        (
            DocumentGrid(
                "Values of each column", ("Column", "Published", "Ours", "Ratio"), tuple(rows)
            ),
            DocumentGrid("Records", ("", "Published", "Ours", "Ratio"), tuple(facts)),
        ),
    )


def _ratio(ours: float, theirs: float) -> str:
    return f"{ours / theirs:.2f}"


def _table_section(each: Beside, told: Circumstances) -> Section:
    shown = each.table
    words = [
        f"{shown.title}. In percent, with the interval of ours at 95 %. “Gap” is how much of the "
        f"way from the marginals (0.00) to “{shown.best}” (1.00) a row goes."
    ]
    if told.census:
        words.append(f"Published: {shown.source}.")
    grids = tuple(_column(column, told) for column in each.columns)
    return Section(f"{shown.name}: {_SHORT[shown.name]}", tuple(words), grids)


_SHORT: Mapping[str, str] = {
    "Table 3": "classification",
    "Table 4": "linear classification",
    "Table 5": "telling synthetic records from real ones",
}


def _column(column: PublishedColumn, told: Circumstances) -> DocumentGrid:
    what, classifier = column.quantity
    caption = f"{what[0].upper()}{what[1:]}, {classifier}"
    if told.census:
        header = ("", "Published", "Ours", "Ratio", "95 % of ours", "Gap, published", "Gap, ours")
        return DocumentGrid(caption, header, tuple(_beside(line) for line in column.lines))
    alone = ("", "Value", "95 %", "Gap")
    return DocumentGrid(caption, alone, tuple(_alone(line) for line in column.lines))


def _alone(line: PublishedLine) -> tuple[str, ...]:
    return (
        line.subject,
        claims.format_percent(line.ours),
        claims.format_interval(line.low, line.high),
        claims.format_ratio(line.gap_ours),
    )


def _beside(line: PublishedLine) -> tuple[str, ...]:
    return (
        line.subject,
        claims.format_percent(line.published),
        claims.format_percent(line.ours),
        claims.format_ratio(line.ratio),
        claims.format_interval(line.low, line.high),
        claims.format_ratio(line.gap_published),
        claims.format_ratio(line.gap_ours),
    )


def _improvement(found: Results) -> Section:
    kinds = learned_kinds(average_by_kind(found.evaluation, IMPROVEMENT))
    return Section(
        "Figure 1: errors of the marginals that the model avoids",
        (
            "When all other values of a real record are known, and the most likely value is "
            "guessed: the share of the wrong guesses of the private marginals that the model does "
            f"not make, in percent, for a model without noise and the average of "
            f"{found.setting.models} models at each ε. The published numbers were drawn, not "
            "printed.",
        ),
        (_by_column(found, kinds),) if kinds else (),
    )


def _models(found: Results) -> Section:
    shown = compared_with(average_by_kind(found.evaluation, MODELS), WITHOUT_NOISE)
    return Section(
        "Figure 2: how often the most likely value is right",
        (
            "The same guesses: how often they are right, in percent, beside marginals without "
            "noise, a random guess and a random forest. As published, the forest learns from as "
            f"many records as the model, {found.sizes.parameters:,}; its leaves hold {LEAF} or "
            "more, as the text speaks of the best classifier that was found, and trees that are "
            "grown out know less. The published numbers were drawn, not printed.",
        ),
        (_by_column(found, shown),) if shown else (),
    )


def _by_column(found: Results, kinds: Mapping[str, Mapping[str, float]]) -> DocumentGrid:
    rows = [
        (label, *(claims.format_share(columns.get(name)) for columns in kinds.values()))
        for name, label in found.labels.items()
    ]
    means = [float(np.mean(list(columns.values()))) for columns in kinds.values()]
    rows.append(("Average", *(claims.format_share(mean) for mean in means)))
    return DocumentGrid("", ("Column", *kinds), tuple(rows))


def _distances(found: Results, key: str, title: str) -> Section:
    finding = found.evaluation.finding(key)
    words = (
        "Total variation to held-out real records: 0 is the same, 1 has nothing in common. The "
        "published numbers were drawn, not printed.",
    )
    if finding is None or not finding.by_subject:
        return Section(title, words)
    rows = []
    for name, measured in finding.by_subject.items():
        values = [part.value for part in measured.parts]
        ends = np.quantile(values, [0, 0.25, 0.5, 0.75, 1])
        rows.append((name, *(claims.format_distance(float(each)) for each in ends)))
    header = ("", "Smallest", "Lower quartile", "Median", "Upper quartile", "Largest")
    return Section(title, words, (DocumentGrid("", header, tuple(rows)),))


def _times(found: Results, told: Circumstances) -> Section:
    rows = [
        (
            f"{each.records:,}",
            f"{each.candidates:,}",
            format_seconds(each.seconds),
            f"{each.records / each.seconds:,.0f}",
        )
        for each in found.timed
    ]
    stopped = found.stopped
    words = [
        f"One core, ω = {found.timed_omega}, k = {publication.K}, γ = {publication.GAMMA:g}: what "
        f"was "
        f"tried and failed the test counts in the time. Before that, indexing the seeds took "
        f"{format_seconds(found.indexing)}.",
        "Every plausible seed is counted, by an index. The published tool looks at seeds one by "
        f"one, at random, until {stopped.limit.plausible:,} are plausible (max_plausible) or "
        f"{stopped.limit.examined:,} have been looked at (max_check_plausible, here in proportion "
        f"to the seeds): {stopped.looked:,.0f} for a candidate on average. An exact count costs "
        "no more than a look into the index, so neither limit is needed; it is also what the "
        f"guarantee is proven for. {stopped.exact:.2%} of candidates pass, and "
        f"{stopped.passing:.2%} where counting stops as published.",
    ]
    if told.census:
        words.append(
            f"Published: {publication.TIMED_RECORDS:,} records in less than "
            f"{publication.TIMED_SECONDS:.0f} s, 17 a second or more, on one core of a Xeon "
            f"E5-2670; "
            "all candidates count there, those that fail the test too."
        )
    header = ("Records released", "Candidates made", "Time", "Released a second")
    grid = DocumentGrid("", header, tuple(rows), words=0)
    return Section("Figure 5: the time that records take", tuple(words), (grid,) if rows else ())


def _passing(found: Results) -> Section:
    limit = found.passing_limit.examined
    header = ("k", *(f"{k:,}" for k in _SHOWN_KS))
    return Section(
        "Figure 6: candidates that pass the test",
        (
            f"In percent, at γ = {publication.PASSING_GAMMA:g} and ε0 = {publication.EPSILON0:g}: "
            f"the "
            "expected share of candidates that pass at each k, which is how many records must be "
            "plausible seeds. Where ω is every column, nothing of a seed is left in a candidate "
            "and no test is made. The published numbers were drawn, not printed.",
            f"The published tool looks at {publication.PASSING_EXAMINED:,} of "
            f"{publication.SEEDS:,} "
            f"seeds, at random (max_check_plausible), and counts the plausible ones among these; "
            f"in proportion that is {limit:,} of {found.sizes.seeds:,}. Here all seeds are "
            "counted, and more candidates pass.",
        ),
        (
            DocumentGrid(
                f"As published, {limit:,} seeds looked at",
                header,
                tuple(_rates(each, each.published_at) for each in found.passing),
            ),
            DocumentGrid(
                f"Here, all {found.sizes.seeds:,} seeds counted",
                header,
                tuple(_rates(each, each.at) for each in found.passing),
            ),
        ),
    )


def _rates(of: Passing, at: Callable[[int], float]) -> tuple[str, ...]:
    return (f"ω = {of.omega}", *(f"{100 * at(k):.1f}" for k in _SHOWN_KS))


def judge_claims(found: Results) -> tuple[StudyClaim, ...]:
    """Return what the published text says of its tables and figures."""
    measured = found_in(found.evaluation)
    return (
        *improvement_claims(learned_kinds(average_by_kind(found.evaluation, IMPROVEMENT))),
        *model_claims(average_by_kind(found.evaluation, MODELS)),
        single_claim(found.evaluation, SINGLE),
        pairs_claim(found.evaluation, PAIRS),
        classification_claim(measured),
        *linear_claims(measured),
        distinguishing_claim(measured),
        timing_claim(found.timed),
        *passing_claims(found.passing),
    )


def _troubles(found: Results) -> tuple[Section, ...]:
    troubles = (each.trouble for each in found.evaluation.findings if each.trouble)
    words = tuple(dict.fromkeys(troubles))
    shown = {f"ω = {omega}" for omega in found.setting.omegas}
    missing = sorted(shown - {each.name for each in found.evaluation.tables})
    if missing:
        words += (f"Too few candidates passed to measure anything at {', '.join(missing)}.",)
    if MARGINALS not in {each.name for each in found.evaluation.tables}:
        words += ("There are no marginals to compare with.",)
    return (Section("What could not be measured", words),) if words else ()


def results_as_data(found: Results, told: Circumstances) -> dict[str, Any]:
    """Everything that was found, in percent where the published tables are."""
    evaluation = asdict(found.evaluation)
    return {
        **({} if told.census else {"internal": INTERNAL}),
        "table": told.table,
        "date": told.date,
        "command": told.command,
        "cut": told.cut,
        "described": asdict(found.described),
        "sizes": asdict(found.sizes),
        "setting": {
            **asdict(found.setting),
            "omegas": [str(omega) for omega in found.setting.omegas],
            "model_epsilon": publication.MODEL_EPSILON,
            "delta": publication.DELTA,
            "k": publication.K,
            "gamma": publication.GAMMA,
            "epsilon0": publication.EPSILON0,
            "passing_gamma": publication.PASSING_GAMMA,
        },
        "tables": [_table_dict(each) for each in _tables(found, told)],
        "claims": claims_data(judge_claims(found), judged=told.census and not told.cut),
        "measured": evaluation["findings"],
        "passing": [asdict(each) for each in found.passing],
        "passing_examined": found.passing_limit.examined,
        "timed": {
            "omega": found.timed_omega,
            "indexing": found.indexing,
            "released": [asdict(each) for each in found.timed],
            "stopped": asdict(found.stopped),
        },
        "learning_seconds": found.learning,
        "seconds": found.seconds,
    }


def _table_dict(each: Beside) -> dict[str, Any]:
    return {
        "name": each.table.name,
        "source": each.table.source,
        "columns": [
            {
                "quantity": column.quantity[0],
                "classifier": column.quantity[1],
                "rows": [{**asdict(line), "ratio": line.ratio} for line in column.lines],
            }
            for column in each.columns
        ],
    }


def document(found: Results, told: Circumstances) -> Document:
    """Internal where the table was not the simulated census."""
    internal = not told.census
    return Document(
        sections(found, told),
        results_as_data(found, told),
        figures_of(found, internal=internal),
        internal,
    )
