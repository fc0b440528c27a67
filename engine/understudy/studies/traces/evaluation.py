"""All tables of the published evaluation in their order, and its figures, drawn from ours."""

from __future__ import annotations

from typing import Final

import altair as alt
import numpy as np
import pandas as pd

from understudy.charts.palette import SERIES, SHAPES
from understudy.core.arrays import FloatArray, IntArray
from understudy.mechanisms.traces.charts.fakes import NO_GUARANTEE
from understudy.privacy.randomness import RandomSource
from understudy.studies.comparison import Comparison, ComparisonEntry, document_of
from understudy.studies.document import Picture
from understudy.studies.reproduction import Document, ReproductionRequest, Told
from understudy.studies.traces.claims import claims
from understudy.studies.traces.fakes import measures
from understudy.studies.traces.fakes.adversaries import (
    Privacy,
    as_days,
    fake_moves,
    privacy_by_fakes,
)
from understudy.studies.traces.fakes.measures import measure_naming, presence, semantic_likeness
from understudy.studies.traces.fakes.profiles import aggregate, geographic, profile, semantic
from understudy.studies.traces.publication import (
    ALIKE,
    COVERED,
    FAKES,
    FULL,
    RANDOM,
    REAL,
    SINGLE,
    SOURCE,
    TABLE_7_1,
    TABLE_7_2,
    UNIFORM,
    TracesStudySizes,
)
from understudy.studies.traces.setting import NUMBERS, OWN, WHERE, TracesSetting, setting
from understudy.table.positions.slots import SLOTS

_SIZE: Final = {"width": 520, "height": 260}
_COLOURS: Final = (*SERIES, "#8B9097", "#BA8A12", "#404040")


def pictures(
    made: TracesSetting,
    releases: list[IntArray],
    covered: dict[str, FloatArray],
    similar: tuple[FloatArray, FloatArray, FloatArray, FloatArray],
    privacy: dict[str, tuple[Privacy, ...]],
    costs: dict[tuple[str, int], tuple[float, ...]],
) -> tuple[Picture, ...]:
    """Return Figures 7.3 to 7.9.

    Args:
        made: people and fakes.
        releases: one fake of each person each.
        covered: (50,) relative coverage of the top locations, by kind.
        similar: sim_S of seeds and fakes, differences of it, of real pairs and of pairs of fakes.
        privacy: by kind of fakes.
        costs: different locations and classes of a query, and of a day, by kind and number.
    """
    size = made.model.known.locations
    first, second = (measures.visits_of_traces(each, size) for each in (made.first, made.second))
    one = measures.visits_of_traces(releases[0], size)
    even = np.ones(size)
    ranks = np.arange(1, measures.TOP + 1)
    tops = {"real, day 1": first, REAL: second, FAKES: one, UNIFORM: even}
    its, apart, real, fakes = similar
    levels = np.arange(1, 100)
    return (
        _lines("figure-7-3", "Visits of the 50 most visited locations", "Rank", "Share of visits",
               {name: (ranks, measures.top(each)) for name, each in tops.items()}),
        _lines("figure-7-4", "Coverage of the top locations, relative to day 2", "Top",
               "Coverage, relative",
               {name: (ranks, each) for name, each in covered.items()}),
        _lines("figure-7-5", "Time in the most visited location, person by person", "Person",
               "Share of the day",
               {name: (np.arange(1, len(each) + 1), measures.top_shares(each)[:, 0])
                for name, each in (("real, day 1", made.first), (REAL, made.second),
                                   (FAKES, releases[0]))}),
        _histogram("figure-7-6", "How far sim_S to the seed is from that to another", apart),
        _histogram("figure-7-7", "sim_S of seeds and their fakes", its),
        _lines("figure-7-8", "Quantiles of sim_S of pairs", "Real people", "Fakes",
               {"quantiles": (np.percentile(real, levels), np.percentile(fakes, levels))}),
        _draw_trade_off(privacy, costs),
        _draw_tracking(privacy),
    )  # fmt: skip


def _lines(
    name: str, title: str, across: str, up: str, each: dict[str, tuple[np.ndarray, np.ndarray]]
) -> Picture:
    numbers = pd.concat(
        [pd.DataFrame({"traces": kind, "x": x, "y": y}) for kind, (x, y) in each.items()],
        ignore_index=True,
    )
    kinds = list(each)
    chart = (
        alt.Chart(numbers, title=title)
        .mark_line(point={"size": 25})
        .encode(
            x=alt.X("x:Q", title=across),
            y=alt.Y("y:Q", title=up),
            color=alt.Color("traces:N", sort=kinds, scale=_scale(kinds), title=None),
            shape=alt.Shape("traces:N", sort=kinds, title=None),
        )
        .properties(**_SIZE)
    )
    return Picture(name, title, chart, numbers)


def _histogram(name: str, title: str, values: FloatArray) -> Picture:
    counts, edges = np.histogram(values, bins=25, range=(0, 1))
    numbers = pd.DataFrame({"from": edges[:-1], "to": edges[1:], "fakes": counts})
    chart = (
        alt.Chart(numbers, title=title)
        .mark_bar(color=SERIES[0])
        .encode(
            x=alt.X("from:Q", title="From 0, nothing alike, to 1", bin="binned"),
            x2=alt.X2("to:Q"),
            y=alt.Y("fakes:Q", title="Fakes"),
        )
        .properties(**_SIZE)
    )
    return Picture(name, title, chart, numbers)


def _draw_trade_off(
    privacy: dict[str, tuple[Privacy, ...]],
    costs: dict[tuple[str, int], tuple[float, ...]],
) -> Picture:
    """Draw privacy against the published adversary, over what a query costs."""
    title = "Places that the published adversary misses, against the cost of a query"
    numbers = pd.DataFrame(
        [
            {"kind": kind, "fakes": one.fakes, "missed": one.missed, "cost": cost, "of": of}
            for kind, each in privacy.items()
            for one in each
            if one.adversary == "naive"
            for of, cost in zip(("locations a query", "classes a query"),
                                costs[kind, one.fakes], strict=False)
        ]
    )  # fmt: skip
    kinds = list(privacy)
    chart = (
        alt.Chart(numbers, title=title)
        .mark_line(point={"size": 40})
        .encode(
            x=alt.X("cost:Q", title=None),
            y=alt.Y("missed:Q", title="Share of places missed", scale=alt.Scale(domain=[0, 1])),
            order=alt.Order("fakes:Q"),
            color=alt.Color("kind:N", sort=kinds, scale=_scale(kinds), title="Fakes are"),
            shape=alt.Shape(
                "kind:N", sort=kinds, scale=alt.Scale(domain=kinds, range=_marks(kinds)),
                title="Fakes are",
            ),
            facet=alt.Facet("of:N", columns=2, sort=["locations a query"], title=None),
        )
        .resolve_scale(x="independent")
        .properties(width=260, height=200)
    )  # fmt: skip
    return Picture("figure-7-9", title, chart, numbers)


def _draw_tracking(privacy: dict[str, tuple[Privacy, ...]]) -> Picture:
    title = "Places missed, against the number of fakes"
    numbers = pd.DataFrame(
        [
            {"kind": kind, "fakes": one.fakes, "adversary": one.adversary, "missed": one.missed}
            for kind, each in privacy.items()
            for one in each
        ]
    )
    kinds = list(privacy)
    chart = (
        alt.Chart(numbers, title=title)
        .mark_line(point={"size": 40})
        .encode(
            x=alt.X("fakes:Q", title="Fakes"),
            y=alt.Y("missed:Q", title="Share of places missed", scale=alt.Scale(domain=[0, 1])),
            color=alt.Color("kind:N", sort=kinds, scale=_scale(kinds), title="Fakes are"),
            shape=alt.Shape(
                "kind:N", sort=kinds, scale=alt.Scale(domain=kinds, range=_marks(kinds)),
                title="Fakes are",
            ),
            facet=alt.Facet("adversary:N", columns=3, title=None),
        )
        .properties(width=200, height=160)
    )  # fmt: skip
    return Picture("figure-7-9-adversaries", title, chart, numbers)


def _scale(kinds: list[str]) -> alt.Scale:
    return alt.Scale(domain=kinds, range=[_COLOURS[at % len(_COLOURS)] for at in range(len(kinds))])


def _marks(kinds: list[str]) -> list[str]:
    return [SHAPES[at % len(SHAPES)] for at in range(len(kinds))]


_TITLE: Final = "Fake location traces, run again"
_WORDS: Final = (
    NO_GUARANTEE,
    "The published people, of the Lausanne campaign, are not here: absolute numbers cannot agree. "
    "Theirs spent their time in more places (an entropy of 4.80 nats, which Table 7.1’s baselines "
    "give away) on a map of unequal clusters; ours are simulated. What can be compared is the "
    "order. As published, fakes are learned from the very days that they are made of.",
)
_READ_7_2: Final = (
    "How Table 7.2 comes about was not printed in full. Read here as the divergence of how the "
    "time in each person’s most, second and third most visited location is shared among people, "
    "person i beside trace i; “uniform” spends a third in each of three, “random” are shares drawn "
    "by chance.",
)
TOPS: Final = (1, 2, 3, 5, 10, 20, 30, 50)
"""Of Figure 7.4, those that are printed."""
_READ_LBS: Final = (
    "Published as pictures without numbers. Each slot is queried with a chance of one half; the "
    "median over people of the share of queries whose place is missed. The naive adversary is the "
    "published one. Where it misses more than one who guesses, that is a warning and no "
    "privacy: fakes are likelier than life, and whoever takes the least likely place, or compares "
    "with fakes of their own making, misses fewer.",
)


def reproduce(
    sizes: TracesStudySizes, seed: int, asked: ReproductionRequest, told: Told
) -> Document:
    """Return the whole evaluation.

    Args:
        sizes: how much is done.
        seed: where chance and the people start.
        asked: as it was asked for.
        told: called before each stage.
    """
    source = RandomSource.fixed(seed)
    made = setting(sizes, seed, source, told)
    told("measuring what fakes keep")
    releases = [made.fakes[:, at] for at in range(sizes.releases)]
    tables = [_pairs(made), _table_7_1(made, releases), _coverage(made, releases)]
    tables.append(_visits_covered(made, releases))
    tables += [_table_7_2(made, releases, source), _aggregates(made, releases)]
    similar = _similarities(made, releases)
    tables.append(_resemblance(*similar))
    told("tracking users among fakes")
    privacy = _track_people(made, sizes, source)
    spent = _costs(made)
    tables += [_service(privacy), _cost_of_queries(spent), _cost_of_days(spent)]
    tables.append(_given_away(made, releases))
    words = (
        *_WORDS,
        f"{sizes.people:,} people, where 30 were published; {sizes.releases:,} releases, where 10 "
        f"were; {sizes.repeats:,} repetitions of the service, where 20 were.",
    )
    judged = sizes == FULL
    found = document_of(_TITLE, words, asked, tables, claims(tables, *similar[2:]), judged=judged)
    drawn = pictures(made, releases, measure_coverage(made, releases), similar, privacy, spent)
    return Document(found.sections, found.data, drawn)


def _spread(values: FloatArray) -> tuple[float, float, float]:
    """Return mean, and mean less and more two standard errors."""
    mean = float(values.mean())
    error = float(values.std(ddof=1) / np.sqrt(len(values))) if len(values) > 1 else 0.0
    return mean, mean - 2 * error, mean + 2 * error


def _counts(made: TracesSetting, releases: list[IntArray]) -> dict[str, list[FloatArray]]:
    size, total = made.model.known.locations, made.first.size
    first = measures.visits_of_traces(made.first, size)
    single = np.zeros(size)
    single[first.argmax()] = total
    return {
        REAL: [measures.visits_of_traces(made.second, size)],
        FAKES: [measures.visits_of_traces(each, size) for each in releases],
        UNIFORM: [np.full(size, total / size)],
        SINGLE: [single],
    }


def _table_7_1(made: TracesSetting, releases: list[IntArray]) -> Comparison:
    first = measures.visits_of_traces(made.first, made.model.known.locations)
    divergences = {
        "KL divergence, nats": measures.sorted_divergence,
        "Relative error": measures.count_error,
        "KL, by location": measures.divergence,
    }
    entries = [
        ComparisonEntry(
            (name, kind),
            TABLE_7_1.get((name, kind)),
            *_spread(np.array([measure(first, each) for each in several])),
        )
        for name, measure in divergences.items()
        for kind, several in _counts(made, releases).items()
    ]
    words = (
        "The divergence is of visits in falling order, whichever places they are of, and so says "
        "little; by location nothing was published.",
    )
    title = "Visits of each location, beside day 1"
    return Comparison(
        "Table 7.1", title, f"{SOURCE}, Table 7.1", ("Measure", "Traces"), tuple(entries), 3, words
    )


def _coverage(made: TracesSetting, releases: list[IntArray]) -> Comparison:
    """Compare how many of the top places are the same, as published."""
    covered = measure_coverage(made, releases)
    entries = []
    for kind, printed in ((FAKES, COVERED[FAKES]), (UNIFORM, COVERED[UNIFORM])):
        each = covered[kind]
        for name, published, ours in zip(
            ("least", "most"), printed, (np.nanmin(each), np.nanmax(each)), strict=True
        ):
            entries.append(ComparisonEntry((kind, name), published, float(ours)))
        entries += [
            ComparisonEntry(
                (kind, f"top {n}"), None, None if np.isnan(each[n - 1]) else float(each[n - 1])
            )
            for n in TOPS
        ]
    words = (
        "Of the n locations most visited on day 1, how many are among the n most visited of the "
        "fakes, the mean over data sets, as a share of how many are among those of day 2.",
    )
    title = "Coverage of the top 1 to 50 locations, as a share of day 2’s"
    return Comparison(
        "Figure 7.4", title, f"{SOURCE}, Figure 7.4", ("Traces", "Of the tops"), tuple(entries), 2,
        words,
    )  # fmt: skip


def measure_coverage(made: TracesSetting, releases: list[IntArray]) -> dict[str, FloatArray]:
    """Return (50,) the relative coverage of the top 1, 2, … locations, by kind of traces."""
    size = made.model.known.locations
    first, second = (measures.visits_of_traces(each, size) for each in (made.first, made.second))
    later = measures.in_common(first, second)
    visits = (measures.visits_of_traces(each, size) for each in releases)
    fakes = np.mean([measures.in_common(first, each) for each in visits], axis=0)
    chance = measures.in_common_by_chance(size)
    return {FAKES: measures.relative(fakes, later), UNIFORM: measures.relative(chance, later)}


def _visits_covered(made: TracesSetting, releases: list[IntArray]) -> Comparison:
    """Compare the share of visits that the top places take in, which was not published."""
    counts = _counts(made, releases)
    first = measures.visits_of_traces(made.first, made.model.known.locations)
    entries = []
    for kind in (FAKES, UNIFORM):
        each = np.mean(
            [measures.visit_coverage(first, counts[REAL][0], one) for one in counts[kind]], axis=0
        )
        for name, ours in (("least", each.min()), ("most", each.max())):
            entries.append(ComparisonEntry((kind, name), None, float(ours)))
    words = (
        "How much of all visits fall on the n locations most visited on day 1: places that are "
        "visited nearly as often count nearly as much, where the published figure counts them or "
        "not.",
    )
    title = "Visits of the top 1 to 50 locations, as a share of day 2’s: the least and the most"
    return Comparison(
        "Figure 7.4, of visits", title, "not published", ("Traces", "Of the tops"), tuple(entries),
        2, words,
    )  # fmt: skip


def _table_7_2(made: TracesSetting, releases: list[IntArray], source: RandomSource) -> Comparison:
    mine = measures.top_shares(made.first)
    chance = -np.sort(-source.uniforms(mine.size).reshape(mine.shape), axis=1)
    even = np.full_like(mine, 1 / mine.shape[1])
    found = {
        REAL: [measures.top_divergences(made.first, made.second)],
        FAKES: [measures.top_divergences(made.first, each) for each in releases],
        UNIFORM: [_of_shares(mine, even)],
        RANDOM: [_of_shares(mine, chance)],
    }
    entries = [
        ComparisonEntry(
            (rank, kind), TABLE_7_2[kind][at], *_spread(np.array([each[at] for each in several]))
        )
        for at, rank in enumerate(("1st", "2nd", "3rd"))
        for kind, several in found.items()
    ]
    return Comparison(
        "Table 7.2", "Time in the top three locations of each person, KL divergence",
        f"{SOURCE}, Table 7.2 and Figure 7.5", ("Location", "Traces"), tuple(entries), 4, _READ_7_2,
    )  # fmt: skip


def _of_shares(mine: FloatArray, other: FloatArray) -> FloatArray:
    """Return (ranks,) divergences of shares of the day, person by person, of each rank."""
    pairs = zip(mine.T, other.T, strict=True)
    return np.array([measures.divergence(SLOTS * one, SLOTS * two) for one, two in pairs])


def _pairs(made: TracesSetting) -> Comparison:
    """Compare Figure 7.2."""
    people = made.model.people
    each = [(a, b) for a in range(len(people)) for b in range(len(people)) if a != b]
    geo = np.array([geographic(people[a], people[b]) for a, b in each])
    sem = np.array([semantic(people[a], people[b]).similarity for a, b in each if a < b])
    levels = (10, 50, 90)
    entries = [
        ComparisonEntry((name, f"{level} %"), None, float(value))
        for name, values in (("sim_G", geo), ("sim_S", sem))
        for level, value in zip(levels, np.percentile(values, levels), strict=True)
    ]
    return Comparison(
        "Figure 7.2", "How alike every two of the people are",
        f"{SOURCE}, Figure 7.2, histograms without numbers", ("Similarity", "Quantile"),
        tuple(entries), 3,
    )  # fmt: skip


def _aggregates(made: TracesSetting, releases: list[IntArray]) -> Comparison:
    size = made.model.known.locations
    days = {REAL: [made.second], FAKES: releases}
    entries = []
    for kind, several in days.items():
        both = [
            measures.aggregate_likeness(made.model.known, aggregate(as_days(each), WHERE, size))
            for each in several
        ]
        for at, name in enumerate(("steps, p̄", "places, π̄")):
            printed = ALIKE[at] if kind == FAKES else None
            entries.append(ComparisonEntry((kind, name), printed, *_spread(np.array(both)[:, at])))
    return Comparison(
        "Aggregates", "How alike the aggregate is to that of day 1, from 0 to 1",
        f"{SOURCE}, section 7.3", ("Traces", "Of"), tuple(entries), 4,
    )  # fmt: skip


def _similarities(
    made: TracesSetting, releases: list[IntArray]
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Return sim_S of each seed and its fake; how far that is from every other seed's to the same
    fake; of pairs of real people; and of pairs of fakes."""
    people = made.model.people
    its, apart, pairs = [], [], []
    upper = np.triu_indices(len(people), 1)
    for release in releases:
        fake = [profile(each[None]) for each in release]
        every = np.array([[semantic(a, b).similarity for b in fake] for a in people])
        own = np.diagonal(every)
        its.append(own)
        others = ~np.eye(len(people), dtype=bool)
        apart.append(np.abs(every - own)[others])
        pairs.append([semantic(fake[a], fake[b]).similarity for a, b in zip(*upper, strict=True)])
    real = np.array(
        [semantic(people[a], people[b]).similarity for a, b in zip(*upper, strict=True)]
    )
    return np.concatenate(its), np.concatenate(apart), real, np.concatenate(pairs)


def _resemblance(
    its: FloatArray, apart: FloatArray, real: FloatArray, fakes: FloatArray
) -> Comparison:
    levels = np.arange(10, 100, 20)
    entries = [
        ComparisonEntry(("sim_S of a seed and its fake, mean", "–"), None, *_spread(its)),
        ComparisonEntry(("how far that is from another seed’s, mean", "–"), None, *_spread(apart)),
    ]
    for name, each in (("pairs of real people", real), ("pairs of fakes", fakes)):
        for level, value in zip(levels, np.percentile(each, levels), strict=True):
            entries.append(ComparisonEntry((f"sim_S, {name}", f"{level} %"), None, float(value)))
    return Comparison(
        "Figures 7.6 to 7.8", "How much lives mean the same",
        f"{SOURCE}, Figures 7.6 to 7.8, pictures without numbers: “biased high”, and quantiles on "
        "a line", ("Of", "Quantile"), tuple(entries), 3,
    )  # fmt: skip


def _track_people(
    made: TracesSetting, sizes: TracesStudySizes, source: RandomSource
) -> dict[str, tuple[Privacy, ...]]:
    return {
        kind: privacy_by_fakes(
            made.first, each, made.model.known, fake_moves(made.tried[kind], made.model, WHERE),
            NUMBERS, source, sizes.repeats,
        )
        for kind, each in made.sent.items()
    }  # fmt: skip


def _service(privacy: dict[str, tuple[Privacy, ...]]) -> Comparison:
    entries = tuple(
        ComparisonEntry((kind, str(one.fakes), one.adversary), None, one.missed)
        for kind, each in privacy.items()
        for one in each
    )
    return Comparison(
        "Figure 7.9, privacy", "The share of a user’s places that an adversary misses",
        f"{SOURCE}, Figure 7.9", ("Fakes are", "Fakes", "Adversary"), entries, 3, _READ_LBS,
    )  # fmt: skip


Costs = dict[tuple[str, int], tuple[float, ...]]


def _costs(made: TracesSetting) -> Costs:
    """Return the mean numbers of different locations and classes that a query sends, and the
    medians over people that a day sends, by kind and number of fakes."""
    found = {}
    for kind, each in made.sent.items():
        for number in NUMBERS:
            sent = np.concatenate([made.first[:, None], each[:, :number]], axis=1)
            classes = made.model.classes[sent]
            days = (each.reshape(len(each), -1) for each in (sent, classes))
            of_day = (float(np.median([len(np.unique(one)) for one in day])) for day in days)
            found[kind, number] = (_different(sent), _different(classes), *of_day)
    return found


def _different(sent: IntArray) -> float:
    """Return the mean number of different values among (users, traces, slots), of a slot of a
    user."""
    in_order = np.sort(sent, axis=1)
    return float(1 + (np.diff(in_order, axis=1) != 0).sum(axis=1).mean())


def _cost_of_queries(found: Costs) -> Comparison:
    """Compare bandwidth and pollution, as published."""
    words = (
        "“Locations” are how many different ones a query sends, which costs bandwidth; “classes” "
        "are how many different kinds of places are among them, which pollutes a profile. Means "
        "over all slots of all users.",
    )
    return Comparison(
        "Figure 7.9, cost", "What fakes cost a query", f"{SOURCE}, Figure 7.9",
        ("Fakes are", "Fakes", "Different"), _cost_entries(found, 0), 2, words,
    )  # fmt: skip


def _cost_of_days(found: Costs) -> Comparison:
    """Compare the cost of a whole day, which was not published."""
    words = (
        "What a service has learned of a user by the evening; medians over people. The order of "
        "two kinds of fakes can be another one than for a query.",
    )
    return Comparison(
        "Figure 7.9, cost of a day", "What fakes cost in a day", "not published",
        ("Fakes are", "Fakes", "Different"), _cost_entries(found, 2), 0, words,
    )  # fmt: skip


def _cost_entries(found: Costs, first: int) -> tuple[ComparisonEntry, ...]:
    return tuple(
        ComparisonEntry((kind, str(number), name), None, each[first + at])
        for (kind, number), each in found.items()
        for at, name in enumerate(("locations", "classes"))
    )


def _given_away(made: TracesSetting, releases: list[IntArray]) -> Comparison:
    size, people = made.model.known.locations, made.model.people
    each = [presence(made.first, one, size) for one in releases]
    entries = [
        ComparisonEntry((name,), None, float(np.mean([getattr(one, field) for one in each])))
        for name, field in (
            ("slots of fakes in cells where only one person was", "shown"),
            ("people who have such a cell", "have"),
            ("of these, proven to be there by one release", "proven"),
        )
    ]
    likenesses = {"sim_G": geographic, "sim_S": semantic_likeness}
    for kind in (FAKES, OWN):
        for name, likeness in likenesses.items():
            share = measure_naming(people, made.sent[kind][:, :2], likeness)
            entries.append(ComparisonEntry((f"{kind}: people named by {name}",), None, share))
    entries.append(ComparisonEntry(("people named by chance",), None, 1 / len(people)))
    words = ("Nothing of this was published. Whoever knows where one person alone goes sees in a "
             "release that they were among the people.",)  # fmt: skip
    return Comparison(
        "Given away", "What fakes give away of the people that they are made of",
        "not published", ("What",), tuple(entries), 3, words,
    )  # fmt: skip
