"""The bounds that are printed, exact figures beside them, and how often intervals hold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from understudy.mechanisms.fields import FieldTable
from understudy.studies.reproduction import Definition, Document, ReproductionRequest, Told

if TYPE_CHECKING:
    from understudy.mechanisms.errata import Errata
    from understudy.mechanisms.imputation.plan import ReleaseType
    from understudy.studies.comparison import Comparison


ROWS: Final = 1000
"""The number of rows of the tables of bounds."""

DEFINITIONS: Final = (
    Definition(
        "Figure 6.1, without a δ",
        "The prior α, β above which a release is ε-private, for neighbours of which one row is "
        "replaced; n is public.",
        f"The printed theorems at m = {ROWS:,}, beside the smallest α at which the exact law of "
        "every pair of neighbours keeps to ε.",
    ),
    Definition(
        "Figure 6.1, with a δ",
        "Orders of growth, without constants.",
        f"The smallest α at which the exact curve keeps to δ = 1e-6, n = m = {ROWS:,}.",
        "an order of growth is no number, so none is printed beside ours",
    ),
    Definition(
        "Figure 7.1",
        "The range R/σ below which a release is private, in orders of growth; the theorems give "
        "constants.",
        "The theorems' R/σ with m = n, beside the largest at which the exact curve keeps to ε and "
        "δ, with a flat prior.",
        "the figure has no constants, and for rows from the mode not the corollary's growth",
    ),
    Definition(
        "Figure 3.1",
        "Three Beta densities, to illustrate a prior.",
        "–",
        "it shows nothing that was found; no other figure of the source is a picture",
    ),
    Definition(
        "Intervals",
        "Not in the source: rules for several tables are only referred to.",
        "How often 95 % intervals hold a share, in simulated releases under a private prior.",
        "the rules assume a prior that says next to nothing, and private ones do not",
    ),
)


_SEED: Final = 2015
_SOURCE: Final = "Zheng, The Differential Privacy of Bayesian Inference, 2015"
_TITLE: Final = "The privacy of Bayesian inference: printed bounds beside exact figures"
_WORDS: Final = (
    "The source proves bounds and measures nothing. Its two tables say which prior, or which range "
    "of the values, is enough. Here is what they come to for n records and m rows, and what is "
    "exactly needed. A printed range above the exact one is unsafe; a printed prior above the "
    "exact one asks for more than is needed.",
    "Bounds that are printed as orders of growth have no constants, and so no number here.",
)
_UNSAFE: Final = "unsafe: more is promised than holds"
_STRICT: Final = "strict: more is asked for than is needed"
_NO_FIELDS: Final = FieldTable(())


@dataclass(frozen=True)
class BoundsStudy:
    """As `Reproduction`."""

    name: str = "imputation"
    title: str = "the bounds of Zheng (2015), and how often intervals hold under a private prior"
    fields: FieldTable = _NO_FIELDS
    draws: bool = False

    def check(self, asked: ReproductionRequest) -> None:
        """Nothing can be wrong."""

    def run(self, asked: ReproductionRequest, told: Told) -> Document:
        from understudy.studies.comparison import document_of

        told("Working out priors")
        made = [_priors(), _small_deltas()]
        told("Working out ranges")
        made += [_ranges(), _errata()]
        told("Simulating intervals")
        made.append(_coverage(asked))
        return document_of(_TITLE, _WORDS, asked, made)

    def errata(self) -> tuple[Errata, ...]:
        """Return the errors of the publication."""
        from understudy.mechanisms.imputation.errata import SOURCES

        return SOURCES

    def definitions(self) -> tuple[Definition, ...]:
        """Return how its numbers are defined."""
        return DEFINITIONS


def _priors() -> Comparison:
    """Return Figure 6.1, without a δ."""
    from understudy.mechanisms.imputation.errata import exact_strength, printed_strength
    from understudy.studies.comparison import Comparison, ComparisonEntry

    entries = []
    releases: tuple[ReleaseType, ...] = (
        "rows-from-mode", "rows-from-one-draw", "rows-from-own-draws",
    )  # fmt: skip
    for release in releases:
        for cells in (2, 3):
            for epsilon in (1.0, 0.1):
                printed = printed_strength(release, cells, ROWS, epsilon)
                ours = exact_strength(release, ROWS, epsilon)
                of = (release, "two" if cells == 2 else "more", f"{epsilon:g}")
                entries.append(ComparisonEntry(of, printed, ours, note=_STRICT))
    return Comparison(
        "Figure 6.1, without a δ",
        f"The smallest α for {ROWS:,} rows",
        f"{_SOURCE}, Theorems 6.9 to 6.13, Corollaries 6.21 and 6.22",
        ("Release", "Categories", "ε"),
        tuple(entries),
        1,
    )


def _small_deltas() -> Comparison:
    """Return Figure 6.1, (ε, δ), which has no numbers."""
    from understudy.mechanisms.imputation.spending import WantedRelease, least_strength
    from understudy.privacy.budget import Budget
    from understudy.studies.comparison import Comparison, ComparisonEntry

    entries = []
    releases: tuple[ReleaseType, ...] = (
        "posterior-draw", "rows-from-mode", "rows-from-one-draw", "rows-from-own-draws",
    )  # fmt: skip
    for release in releases:
        for cells in (2, 5):
            for epsilon in (1.0, 0.1):
                wanted = WantedRelease(release, cells, 1000, ROWS)
                found = least_strength(wanted, Budget(epsilon, 1e-6))
                of = (release, str(cells), f"{epsilon:g}")
                entries.append(
                    ComparisonEntry(of, None, found, note="printed as an order of growth")
                )
    return Comparison(
        "Figure 6.1, with a δ",
        f"The smallest α for δ = 1e-6, n = m = {ROWS:,}",
        f"{_SOURCE}, Figure 6.1",
        ("Release", "Categories", "ε"),
        tuple(entries),
        1,
        ("The open question of the source is answered: rows from one draw need by far the weakest "
         "prior.",),
    )  # fmt: skip


def _ranges() -> Comparison:
    """Return Figure 7.1."""
    from understudy.mechanisms.imputation.errata import exact_range, printed_range
    from understudy.studies.comparison import Comparison, ComparisonEntry

    entries = []
    cases = ((1000, 1.0, 1e-6), (1000, 0.5, 1e-6), (10_000, 0.1, 1e-8))
    releases: tuple[ReleaseType, ...] = (
        "posterior-draw", "rows-from-mode", "rows-from-one-draw", "rows-from-own-draws",
    )  # fmt: skip
    for release in releases:
        for records, epsilon, delta in cases:
            printed = printed_range(release, records, records, epsilon, delta)
            ours = exact_range(release, records, records, epsilon, delta)
            note = _UNSAFE if printed > ours else _STRICT
            of = (release, f"{records:,}", f"{epsilon:g}", f"{delta:g}")
            entries.append(ComparisonEntry(of, printed, ours, note=note))
    return Comparison(
        "Figure 7.1",
        "The largest R/σ for as many rows as records, without a prior",
        f"{_SOURCE}, Theorems 7.8 and 7.15, Corollary 7.16",
        ("Release", "n", "ε", "δ"),
        tuple(entries),
        3,
    )


def _errata() -> Comparison:
    """Return every printed statement that is wrong."""
    from understudy.mechanisms.imputation.errata import ERRATA
    from understudy.studies.comparison import Comparison, ComparisonEntry

    return Comparison(
        "Errors of the source",
        "By how many times what is true exceeds what is printed, or what is printed exceeds what "
        "is needed",
        _SOURCE,
        ("Statement", "What follows", "Figure"),
        tuple(
            ComparisonEntry((each.number, each.verdict, each.figure), 1.0, each.factor())
            for each in ERRATA
            if each.verdict != "proves nothing"
        ),
        2,
        tuple(f"{e.number}. {e.prints} {e.wrong} Right: {e.instead}" for e in ERRATA),
    )  # fmt: skip


def _coverage(asked: ReproductionRequest) -> Comparison:
    """Return how often 95 % intervals hold a share."""
    from understudy.mechanisms.imputation.outputs import RowOrigin
    from understudy.studies.comparison import Comparison, ComparisonEntry
    from understudy.studies.imputation.coverage import simulate_coverage

    seed, times = _SEED if asked.seed is None else asked.seed, 150 if asked.quick else 3000
    cases = (
        (0.3, 2, 7.6, RowOrigin(1000, 1, 1000)),
        (0.02, 4, 30.0, RowOrigin(500, 5, 1000)),
        (0.3, 2, 15.0, RowOrigin(500, 5, 200)),
        (0.1, 3, 22.1, RowOrigin(1000, None, 1000)),
    )
    entries = []
    for truth, cells, alpha, rows in cases:
        of = (
            f"{truth:g}",
            f"{cells} × α = {alpha:g}",
            f"{rows.draws or 'mode'} × {rows.rows:,} of {rows.records:,}",
        )
        found = simulate_coverage(truth, cells, alpha, rows, times=times, seed=seed)
        # The rules for several tables say nothing of one.
        shown = list(found.items())[: None if (rows.draws or 1) > 1 else 2]
        entries += [ComparisonEntry((*of, rule), 0.95, each.held) for rule, each in shown]
    return Comparison(
        "Intervals",
        f"How often 95 % intervals hold the share, in {times:,} simulated releases",
        "what a 95 % interval claims; Reiter 2003; Raghunathan, Reiter and Rubin 2003",
        ("Share", "Prior", "Draws × rows, of records", "Rule"),
        tuple(entries),
        3,
    )
