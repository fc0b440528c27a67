"""All tables and figures of the published evaluation, in their order."""

from __future__ import annotations

from typing import Final

import numpy as np

from engine.mechanisms.traces.published import visits
from engine.mechanisms.traces.published.naming import (
    named,
    presence,
    semantic_likeness,
)
from engine.mechanisms.traces.published.profiles import Floats, aggregate, profile
from engine.mechanisms.traces.published.showing import as_days, moves_of
from engine.mechanisms.traces.published.similarity import geographic, semantic
from engine.mechanisms.traces.published.synthesizer import NO_GUARANTEE
from engine.mechanisms.traces.published.tracking import Privacy, privacy_by_fakes
from engine.mechanisms.traces.reproduction.drawing import pictures
from engine.mechanisms.traces.reproduction.published import (
    ALIKE,
    FAKES,
    RANDOM,
    REAL,
    SINGLE,
    SOURCE,
    TABLE_7_1,
    TABLE_7_2,
    UNIFORM,
)
from engine.mechanisms.traces.reproduction.setting import (
    NUMBERS,
    OWN,
    WHERE,
    Setting,
    setting,
)
from engine.mechanisms.traces.reproduction.sizes import Sizes
from engine.models.mobility.geography import Places
from engine.privacy.randomness import RandomSource
from engine.reproduction.comparison import Comparison, Entry, document_of
from engine.reproduction.reproduction import Asked, Document, Told

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
    "person i beside trace i; “random” are shares drawn by chance.",
)
_READ_LBS: Final = (
    "Published as pictures without numbers. Each slot is queried with a chance of one half; the "
    "median over people of the share of queries whose place is missed. The naive adversary is the "
    "published one. Where it misses more than one who guesses, that is a warning and no "
    "privacy: fakes are likelier than life, and whoever takes the least likely place, or compares "
    "with fakes of their own making, misses fewer.",
)


def reproduced(sizes: Sizes, seed: int, asked: Asked, told: Told) -> Document:
    """The whole evaluation.

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
    tables = [_table_7_1(made, releases), _coverage(made, releases)]
    tables += [_table_7_2(made, releases, source), _aggregates(made, releases)]
    similar = _similarities(made, releases)
    tables.append(_resemblance(*similar))
    told("tracking users among fakes")
    privacy = _tracked(made, sizes, source)
    tables += [_service(privacy), _costs(made), _given_away(made, releases)]
    words = (
        *_WORDS,
        f"{sizes.people:,} people, where 30 were published; {sizes.releases:,} releases, where 10 "
        f"were; {sizes.repeats:,} repetitions of the service, where 20 were.",
    )
    found = document_of(_TITLE, words, asked, tables)
    drawn = pictures(made, releases, similar, privacy)
    return Document(found.sections, found.data, drawn)


def _spread(values: Floats) -> tuple[float, float, float]:
    """Mean, and mean less and more two standard errors."""
    mean = float(values.mean())
    error = float(values.std(ddof=1) / np.sqrt(len(values))) if len(values) > 1 else 0.0
    return mean, mean - 2 * error, mean + 2 * error


def _counts(made: Setting, releases: list[Places]) -> dict[str, list[Floats]]:
    size, total = made.model.known.locations, made.first.size
    first = visits.visits(made.first, size)
    single = np.zeros(size)
    single[first.argmax()] = total
    return {
        REAL: [visits.visits(made.second, size)],
        FAKES: [visits.visits(each, size) for each in releases],
        UNIFORM: [np.full(size, total / size)],
        SINGLE: [single],
    }


def _table_7_1(made: Setting, releases: list[Places]) -> Comparison:
    first = visits.visits(made.first, made.model.known.locations)
    measures = {
        "KL divergence, nats": visits.sorted_divergence,
        "Relative error": visits.relative_error,
        "KL, by location": visits.divergence,
    }
    entries = [
        Entry(
            (name, kind),
            TABLE_7_1.get((name, kind)),
            *_spread(np.array([measure(first, each) for each in several])),
        )
        for name, measure in measures.items()
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


def _coverage(made: Setting, releases: list[Places]) -> Comparison:
    counts = _counts(made, releases)
    first = visits.visits(made.first, made.model.known.locations)
    entries = []
    for kind in (FAKES, UNIFORM):
        each = np.mean(
            [visits.coverage(first, counts[REAL][0], one) for one in counts[kind]], axis=0
        )
        printed = {FAKES: (0.61, 1.0), UNIFORM: (0.11, 0.24)}[kind]
        for name, published, ours in zip(
            ("least", "most"), printed, (each.min(), each.max()), strict=True
        ):
            entries.append(Entry((kind, name), published, float(ours)))
    title = "Coverage of the top 1 to 50 locations, as a share of day 2’s: the least and the most"
    return Comparison(
        "Figures 7.3 and 7.4", title, f"{SOURCE}, Figure 7.4", ("Traces", "Of the tops"),
        tuple(entries),
    )  # fmt: skip


def _table_7_2(made: Setting, releases: list[Places], source: RandomSource) -> Comparison:
    size, shape = made.model.known.locations, made.first.shape
    uniform = source.below(size, made.first.size).reshape(shape)
    mine = visits.top_shares(made.first)
    chance = -np.sort(-source.uniforms(mine.size).reshape(mine.shape), axis=1)
    found = {
        REAL: [visits.top_divergences(made.first, made.second)],
        FAKES: [visits.top_divergences(made.first, each) for each in releases],
        UNIFORM: [visits.top_divergences(made.first, uniform)],
        RANDOM: [
            np.array(
                [visits.divergence(72 * a, 72 * b) for a, b in zip(mine.T, chance.T, strict=True)]
            )
        ],
    }
    entries = [
        Entry((rank, kind), TABLE_7_2[kind][at], *_spread(np.array([each[at] for each in several])))
        for at, rank in enumerate(("1st", "2nd", "3rd"))
        for kind, several in found.items()
    ]
    return Comparison(
        "Table 7.2", "Time in the top three locations of each person, KL divergence",
        f"{SOURCE}, Table 7.2 and Figure 7.5", ("Location", "Traces"), tuple(entries), 4, _READ_7_2,
    )  # fmt: skip


def _aggregates(made: Setting, releases: list[Places]) -> Comparison:
    size = made.model.known.locations
    days = {REAL: [made.second], FAKES: releases}
    entries = []
    for kind, several in days.items():
        both = [
            visits.alike(made.model.known, aggregate(as_days(each), WHERE, size))
            for each in several
        ]
        for at, name in enumerate(("steps, p̄", "places, π̄")):
            printed = ALIKE[at] if kind == FAKES else None
            entries.append(Entry((kind, name), printed, *_spread(np.array(both)[:, at])))
    return Comparison(
        "Aggregates", "How alike the aggregate is to that of day 1, from 0 to 1",
        f"{SOURCE}, section 7.3", ("Traces", "Of"), tuple(entries), 4,
    )  # fmt: skip


def _similarities(made: Setting, releases: list[Places]) -> tuple[Floats, Floats, Floats, Floats]:
    """sim_S of each seed and its fake; how far that is from another seed's; of pairs of real
    people; and of pairs of fakes."""
    people = made.model.people
    its, apart, pairs = [], [], []
    upper = np.triu_indices(len(people), 1)
    for release in releases:
        fake = [profile(each[None]) for each in release]
        own = np.array([semantic(*each).similarity for each in zip(people, fake, strict=True)])
        other = np.array(
            [semantic(a, b).similarity for a, b in zip(people, [fake[-1], *fake[:-1]], strict=True)]
        )
        its.append(own)
        apart.append(np.abs(own - other))
        pairs.append([semantic(fake[a], fake[b]).similarity for a, b in zip(*upper, strict=True)])
    real = np.array(
        [semantic(people[a], people[b]).similarity for a, b in zip(*upper, strict=True)]
    )
    return np.concatenate(its), np.concatenate(apart), real, np.concatenate(pairs)


def _resemblance(its: Floats, apart: Floats, real: Floats, fakes: Floats) -> Comparison:
    levels = np.arange(10, 100, 20)
    entries = [
        Entry(("sim_S of a seed and its fake, mean", "–"), None, *_spread(its)),
        Entry(("how far that is from another’s, mean", "–"), None, *_spread(apart)),
    ]
    for name, each in (("pairs of real people", real), ("pairs of fakes", fakes)):
        for level, value in zip(levels, np.percentile(each, levels), strict=True):
            entries.append(Entry((f"sim_S, {name}", f"{level} %"), None, float(value)))
    return Comparison(
        "Figures 7.6 to 7.8", "How much lives mean the same",
        f"{SOURCE}, Figures 7.6 to 7.8, pictures without numbers: “biased high”, and quantiles on "
        "a line", ("Of", "Quantile"), tuple(entries), 3,
    )  # fmt: skip


def _tracked(made: Setting, sizes: Sizes, source: RandomSource) -> dict[str, tuple[Privacy, ...]]:
    return {
        kind: privacy_by_fakes(
            made.first, each, made.model.known, moves_of(made.tried[kind], made.model, WHERE),
            NUMBERS, source, sizes.repeats,
        )
        for kind, each in made.sent.items()
    }  # fmt: skip


def _service(privacy: dict[str, tuple[Privacy, ...]]) -> Comparison:
    entries = tuple(
        Entry((kind, str(one.fakes), one.adversary), None, one.missed)
        for kind, each in privacy.items()
        for one in each
    )
    return Comparison(
        "Figure 7.9, privacy", "The share of a user’s places that an adversary misses",
        f"{SOURCE}, Figure 7.9", ("Fakes are", "Fakes", "Adversary"), entries, 3, _READ_LBS,
    )  # fmt: skip


def _costs(made: Setting) -> Comparison:
    """Bandwidth and pollution of a day that is sent with each number of fakes."""
    entries = []
    classes = made.model.classes
    for kind, each in made.sent.items():
        for number in NUMBERS:
            sent = np.concatenate([made.first[:, None], each[:, :number]], axis=1)
            places = [np.unique(one) for one in sent.reshape(len(sent), -1)]
            wide = float(np.median([len(one) for one in places]))
            kinds = float(np.median([len(np.unique(classes[one])) for one in places]))
            entries.append(Entry((kind, str(number), "locations"), None, wide))
            entries.append(Entry((kind, str(number), "classes"), None, kinds))
    words = (
        "“Locations” are what is sent in a day, which costs bandwidth; “classes” are what the "
        "service makes of a user, whose profile they pollute. Medians over people.",
    )
    return Comparison(
        "Figure 7.9, cost", "What fakes cost", f"{SOURCE}, Figure 7.9",
        ("Fakes are", "Fakes", "Different"), tuple(entries), 0, words,
    )  # fmt: skip


def _given_away(made: Setting, releases: list[Places]) -> Comparison:
    size, people = made.model.known.locations, made.model.people
    each = [presence(made.first, one, size) for one in releases]
    entries = [
        Entry((name,), None, float(np.mean([getattr(one, field) for one in each])))
        for name, field in (
            ("slots of fakes in cells where only one person was", "shown"),
            ("people who have such a cell", "have"),
            ("of these, proven to be there by one release", "proven"),
        )
    ]
    likenesses = {"sim_G": geographic, "sim_S": semantic_likeness}
    for kind in (FAKES, OWN):
        for name, likeness in likenesses.items():
            share = named(people, made.sent[kind][:, :2], likeness)
            entries.append(Entry((f"{kind}: people named by {name}",), None, share))
    entries.append(Entry(("people named by chance",), None, 1 / len(people)))
    words = ("Nothing of this was published. Whoever knows where one person alone goes sees in a "
             "release that they were among the people.",)  # fmt: skip
    return Comparison(
        "Given away", "What fakes give away of the people that they are made of",
        "not published", ("What",), tuple(entries), 3, words,
    )  # fmt: skip
