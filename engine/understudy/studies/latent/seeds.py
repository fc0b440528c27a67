"""Where seeds help: Table 9.4, a sub-population; Figure 9.3, seeds against none; Table 9.2."""

from __future__ import annotations

from typing import Final

from understudy.core.arrays import BoolArray
from understudy.studies.comparison import Comparison, ComparisonEntry
from understudy.studies.latent.losses import ours
from understudy.studies.latent.models import (
    Advantage,
    Kind,
    Reconstructing,
    StudySetting,
    count_related,
    draw_candidates,
    project_flags,
    train_published,
    whole_chances,
)
from understudy.studies.latent.parameters import COUNTED, LARGE, cost
from understudy.studies.latent.publication import (
    AE,
    PCA,
    QUERIES,
    SEEDLESS,
    SMALL,
    SOURCE,
    SUB_POPULATION,
    TABLE_9_2,
    TABLE_9_4,
    TESTED,
    USUAL,
    VAE,
)
from understudy.studies.reproduction import Told

_OF: Final = 10_000
_FEWEST: Final = 100
"""With fewer records nothing is told apart."""


def table_9_2() -> Comparison:
    """Return the parameters."""
    entries = []
    for each in TABLE_9_2:
        found = cost(each)
        of = (f"{each.size:,}", f"{each.k:,}", f"{each.t:,}", f"{each.epsilon0:g}")
        entries += [
            ComparisonEntry((*of, "by (4.6)"), 1.0, found.printed),
            ComparisonEntry((*of, "optimal, releases"), 1.0, found.released),
            ComparisonEntry((*of, "optimal, attempts"), 1.0, found.attempted),
        ]
    words = (
        "ε at δ = 2^−40, of which 1 was printed. By its own formula each column exceeds it. "
        "Optimal composition keeps to it, where nobody learns what was rejected; the last line of "
        f"each is for attempts, with at least {COUNTED:,} seeds in a part, as is publicly known, "
        "and holds whatever is learned of rejections. In total ε is infinite all the same: the "
        "models were fitted to records without noise.",
    )
    return Comparison(
        "Table 9.2", "What the printed parameters come to", f"{SOURCE}, Table 9.2",
        ("Size", "k", "t", "ε0", "Composition"), tuple(entries), 2, words,
    )  # fmt: skip


def without_seeds(made: StudySetting) -> Comparison:
    """PCA with seeds and without."""
    count, model = made.sizes.candidates, made.models[PCA]
    alone = project_flags(whole_chances(model.seedless(count, made.random(4))), made.random(5))
    seeded = made.candidates[PCA]
    found = {"from seeds": seeded.flags, "seedless": alone}
    for of in (LARGE, USUAL):
        passed = seeded.flags[made.passes(seeded, of.k, of.epsilon0)]
        found |= {f"tested, k = {of.k:,}": passed} if len(passed) >= _FEWEST else {}
    gammas = {name: made.telling.forest(made.held_out, each) for name, each in found.items()}
    times = gammas["seedless"].value / max(gammas["from seeds"].value, 1e-9)
    entries = [
        ours((PCA, name), SEEDLESS.get(name.partition(",")[0]), each,
             f"{times:.1f} times those from seeds" if name == "seedless" else "")
        for name, each in gammas.items()
    ]  # fmt: skip
    return Comparison(
        "Seedless", "How well records are told from held-out ones, with seeds and without, γ",
        f"{SOURCE}, section 9.2", ("Model", "Made"), tuple(entries), 3,
        ("The seedless law is a normal one with the variances of the components, of records that "
         "the model was fitted to; the source’s was fitted to the test set.",),
    )  # fmt: skip


def table_9_4(made: StudySetting) -> tuple[Comparison, Comparison]:
    """Return the sub-population: its queries, and how well it is told apart."""
    group = made.seeds[made.marks]
    # Those that are compared with are no seeds.
    others = count_related(made.sizes.seeds // 4, made.seed + 3)
    tables = {"training": made.training, "sub-population": group}
    for place, name in enumerate(made.models):
        one = draw_candidates(
            made.models[name], group, made.sizes.candidates, made.random(6, place)
        )
        tables[name] = one.flags
        tables[TESTED + name] = one.flags[made.passes(one, SMALL.k, SMALL.epsilon0)]
    queries = [
        ComparisonEntry((name, query), _read_printed(name, at), float(_OF * flags[:, place].mean()))
        for name, flags in tables.items()
        if len(flags)
        for at, (query, place) in enumerate(zip(QUERIES, (0, 1, 3, 2), strict=True))
    ]
    told = [
        ours((name,), SUB_POPULATION.get(name), found, _share(name))
        for name, flags in tables.items()
        if name != "sub-population" and (found := _measure_advantage(made, flags, others))
    ]
    words = (
        "Models are fitted to all stays, and candidates made of those that have to do with "
        "alcohol, which is no flag. “tested” is by the test for 1,000 records, over this group "
        "alone: stays that are rare in it, such as planned ones, vanish. The heads of births and "
        "planned stays are read as exchanged: as printed, every tenth of these patients would have "
        "been born in the stay.",
    )  # fmt: skip
    return (
        Comparison("Table 9.4", f"Of {_OF:,}, how many are so", f"{SOURCE}, Table 9.4",
                   ("Records", "Query"), tuple(queries), 0, words),
        Comparison("Table 9.4, told apart", "How well records are told from the sub-population, γ",
                   f"{SOURCE}, section 9.3", ("Records",), tuple(told), 3),
    )  # fmt: skip


def _read_printed(name: str, at: int) -> float | None:
    row = TABLE_9_4.get(name)
    return None if row is None else float(row[at])


def _share(name: str) -> str:
    return {"training": "at least .3", AE: "at most .05"}.get(name, "")


def _measure_advantage(made: StudySetting, flags: BoolArray, group: BoolArray) -> Advantage | None:
    return made.telling.forest(flags, group) if min(len(flags), len(group)) >= _FEWEST else None


def figure_9_3(made: StudySetting, told: Told) -> Comparison:
    """Return the strength C of the regulariser."""
    entries = []
    records, epochs = made.sizes.swept
    kinds: tuple[Kind, ...] = (AE, VAE)
    for kind in kinds:
        for strength in made.sizes.strengths:
            told(f"{kind} with C = {strength:g}")
            model = train_published(kind, made.training[:records], epochs, strength, made.seed)
            for how, found in _both(made, model).items():
                entries.append(ours((kind, f"{strength:g}", how), None, found))
    words = (
        "Published as a picture of the printed network: with C, seedless records get better and "
        "those from seeds worse. That is how a true VAE behaves, whose C weighs each record’s own "
        "divergence; the printed one’s only holds the mean and spread of "
        f"mini-batches. One training each, of {records:,} records and {epochs} epochs.",
    )
    return Comparison(
        "Figure 9.3", "How well records are told from held-out ones, by C, γ",
        f"{SOURCE}, Figure 9.3", ("Model", "C", "Made"), tuple(entries), 2, words,
    )  # fmt: skip


def _both(made: StudySetting, model: Reconstructing) -> dict[str, Advantage]:
    count, random = made.sizes.candidates // 2, made.random(7)
    seeds = made.seeds[:count]
    laws = {
        "from seeds": model.reconstruct(seeds),
        "seedless": model.seedless(count, random),
    }
    held = made.held_out[:count]
    return {
        how: made.telling.forest(held, project_flags(whole_chances(each), random))
        for how, each in laws.items()
    }
