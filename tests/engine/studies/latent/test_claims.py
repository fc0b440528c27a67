"""By the printed numbers every claim is reproduced, and each is not where its numbers turn."""

from __future__ import annotations

from tests.engine.studies.tables import compared
from understudy.studies.latent.claims import claims
from understudy.studies.latent.parameters import LARGE
from understudy.studies.latent.published import (
    AE,
    DISTANCES,
    EPSILONS,
    MODEL_LOSS,
    PCA,
    QUERIES,
    REALS,
    SEEDLESS,
    SUB_POPULATION,
    TABLE_9_1,
    TABLE_9_3,
    TABLE_9_4,
    TABLE_9_5,
    TESTED,
    USUAL,
)

Tables = dict[str, dict[tuple[str, ...], float]]
USUALLY = f", k = {USUAL.k:,}"
FOREST, TREE, OTHER = "random forest", "classification tree", "AdaBoost"


def tables() -> Tables:
    """The printed numbers, and those of pictures as the text has them."""
    kinds = {
        name: [f"{name}, k = {of.k:,}" for of in (LARGE, USUAL)]
        if name.startswith(TESTED)
        else [name]
        for name in TABLE_9_1
    }
    told: dict[tuple[str, ...], float] = {(REALS, each): 0.0 for each in (FOREST, TREE, OTHER)}
    for model, gamma in ((PCA, 0.06), (AE, 0.08)):
        for name in (model, f"{TESTED}{model}{USUALLY}"):
            told |= {(name, FOREST): gamma + 0.01, (name, TREE): gamma, (name, OTHER): 0.05}
    return {
        "Table 9.1": {
            (kind, of, distance): value
            for name, rows in TABLE_9_1.items()
            for kind in kinds[name]
            for of, row in zip(("columns", "pairs"), rows, strict=True)
            for distance, value in zip(DISTANCES, row, strict=True)
        },
        "Figure 9.1": told,
        "Figure 9.2": {
            (size, model, FOREST): gamma
            for size, gamma in (("10,000", 0.05), ("50,000", 0.1))
            for model in (PCA, AE)
        },
        "Table 9.3": {
            (model, f"{epsilon:g}", "k"): value
            for model, losses in TABLE_9_3.items()
            for epsilon, value in zip(EPSILONS, losses, strict=True)
        }
        | {(model, "model", "–"): value for model, value in MODEL_LOSS.items()},
        "Seedless": {
            (PCA, "seedless"): SEEDLESS["seedless"],
            (PCA, f"tested{USUALLY}"): SEEDLESS["tested"],
        },
        "Figure 9.3": {
            (AE, "0", "seedless"): 0.5, (AE, "2", "seedless"): 0.3,
            (AE, "0", "from seeds"): 0.1, (AE, "2", "from seeds"): 0.2,
        },
        "Table 9.4": {
            (name, query): float(count)
            for name, counts in TABLE_9_4.items()
            for query, count in zip(QUERIES, counts, strict=True)
        },
        "Table 9.4, told apart": {(name,): value for name, value in SUB_POPULATION.items()},
        "Table 9.5": {
            (model, f"{k:,}", f"{t:,}", "β̂"): beta
            for model, rows in TABLE_9_5.items()
            for k, t, beta, _ in rows
        },
    }  # fmt: skip


def judged(found: Tables) -> list[bool | None]:
    return [each.holds for each in claims([compared(name, each) for name, each in found.items()])]


def test_by_the_printed_numbers_all_are_reproduced() -> None:
    assert judged(tables()) == [True] * 15


def test_other_numbers_turn_them() -> None:
    tested = f"{TESTED}{PCA}, k = {LARGE.k:,}"
    for at, table, of, value in (
        (0, "Table 9.1", (REALS, "pairs", "HEL"), 0.02),
        (1, "Table 9.1", (tested, "pairs", "SD"), 0.05),
        (2, "Figure 9.1", (AE, TREE), 0.3),
        (3, "Figure 9.1", (PCA, FOREST), 0.095),
        (4, "Figure 9.1", (PCA, OTHER), 0.099),
        (5, "Figure 9.2", ("10,000", AE, FOREST), 0.2),
        (6, "Table 9.3", (PCA, "4", "k"), 0.2),
        (7, "Table 9.3", (AE, "1", "k"), 0.1),
        (8, "Table 9.3", (PCA, "8", "k"), 0.03),
        (9, "Seedless", (PCA, "seedless"), 0.01),
        (10, "Figure 9.3", (AE, "2", "seedless"), 0.6),
        (11, "Figure 9.3", (AE, "2", "from seeds"), 0.05),
        (12, "Table 9.4, told apart", (AE,), 0.3),
        (13, "Table 9.4", (AE, "women"), 4000.0),
        (14, "Table 9.5", (AE, "50,000", "55,000", "β̂"), 0.5),
    ):
        changed = tables()
        changed[table][of] = value
        assert judged(changed)[at] is False, at
