"""By the printed numbers every claim is reproduced, and each is not where its numbers turn. Every
published number stands beside ours, at a small size. What the printed parameters come to: by their
own formula, and by others.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

from tests.engine.studies.builders import compared, numbered
from understudy.core.refusal import Refusal
from understudy.evaluation.classifiers import LOGISTIC
from understudy.evaluation.classifiers import TREE as CLASSIFIERS_TREE
from understudy.samples.discharges import schema, simulate
from understudy.studies.document import as_text
from understudy.studies.latent import models, publication
from understudy.studies.latent import tables as chapter
from understudy.studies.latent.claims import claims
from understudy.studies.latent.medical import Medical
from understudy.studies.latent.models import StudySetting, Telling, formula_distances
from understudy.studies.latent.publication import (
    AE,
    DELTA,
    DISTANCES,
    EPSILONS,
    MODEL_LOSS,
    PCA,
    QUERIES,
    REALS,
    SEEDLESS,
    SUB_POPULATION,
    TABLE_9_1,
    TABLE_9_2,
    TABLE_9_3,
    TABLE_9_4,
    TABLE_9_5,
    TESTED,
    USUAL,
    LatentStudySizes,
)
from understudy.studies.latent.tables import LARGE, by_rule, cost, least_delta, lemma
from understudy.studies.reproduction import ReproductionRequest
from understudy.table.records import Records

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


_TINY = LatentStudySizes(2_000, 20_000, 1_000, 400, 1, (0.5,), (1_000, 1))


def asked(**settings: int) -> ReproductionRequest:
    return ReproductionRequest(
        True, 1, settings, "understudy reproduce medical", "2026-11-24", None
    )  # type: ignore[arg-type]


def test_every_published_number_stands_beside_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    """By a quick classifier in place of forests, which are tested where they are."""
    for module in (chapter, models):
        monkeypatch.setattr(module, "FOREST", CLASSIFIERS_TREE)
    monkeypatch.setattr(chapter, "CLASSIFIERS", (CLASSIFIERS_TREE,))
    monkeypatch.setattr(Medical, "sizes", lambda *_: _TINY)
    found = Medical().run(asked(), lambda _: None)
    tables = {each["name"]: each["entries"] for each in found.data["tables"]}
    assert list(tables) == [
        "Table 9.1", "Figure 9.1", "Table 9.2", "Figure 9.2", "Table 9.3", "Seedless",
        "Table 9.4", "Table 9.4, told apart", "Figure 9.3", "Table 9.5",
    ]  # fmt: skip
    first = {(e["Records"], e["Of"], e["Distance"]): e["published"] for e in tables["Table 9.1"]}
    for name, rows in publication.TABLE_9_1.items():
        tested = name.startswith(publication.TESTED)
        kinds = [f"{name}, k = {of.k:,}" for of in (LARGE, publication.USUAL)] if tested else [name]
        for kind in {each for each, *_ in first} & set(kinds):
            for of, row in zip(("columns", "pairs"), rows, strict=True):
                assert tuple(first[kind, of, each] for each in publication.DISTANCES) == row
    assert any(f"k = {LARGE.k:,}" in each for each, *_ in first)
    seedless = {e["Made"]: e["published"] for e in tables["Seedless"]}
    assert seedless["seedless"] == publication.SEEDLESS["seedless"]
    assert seedless["from seeds"] is None
    whole = [each for each in tables["Table 9.3"] if not each["note"].startswith("of one")]
    third = {(e["Model"], e["ε"]): e["published"] for e in whole}
    for name, losses_ in publication.TABLE_9_3.items():
        assert tuple(third[name, f"{each:g}"] for each in publication.EPSILONS) == losses_
        assert third[name, "model"] == publication.MODEL_LOSS[name]
    fourth = {(e["Records"], e["Query"]): e["published"] for e in tables["Table 9.4"]}
    for name, counts in publication.TABLE_9_4.items():
        assert tuple(fourth[name, query] for query in publication.QUERIES) == counts
    last = {(e["Model"], e["k"], e["What"]): e["published"] for e in tables["Table 9.5"]}
    for name, rows in publication.TABLE_9_5.items():
        for k, _, beta, bound in rows:
            assert last[name, f"{k:,}", "β̂"] == beta
            assert last[name, f"{k:,}", "bound"] == bound
    assert [each.name for each in found.pictures] == [f"figure-9-{n}" for n in range(1, 5)]
    betas = found.pictures[3].numbers
    assert betas.groupby("line")["y"].apply(lambda each: each.is_monotonic_increasing).all()
    assert numbered(tables) <= numbered(each.of for each in Medical().definitions())
    text = as_text(found.sections)
    assert "No guarantee: fitted to the records themselves" in text
    assert "Every k and t is scaled from 2,000,000 seeds" in text
    assert len(tables["Figure 9.3"]) == 2 * len(_TINY.strengths) * 2


def test_distances_are_those_of_each_pair() -> None:
    one, other = (simulate(300, seed)[0][:, :4] for seed in (1, 2))
    columns, pairs = formula_distances(one, other)
    assert columns.shape == (3, 4)
    assert columns[0] == pytest.approx(np.abs(one.mean(axis=0) - other.mean(axis=0)))
    both = [(one[:, 0] & one[:, 1]).mean() - (other[:, 0] & other[:, 1]).mean()]
    assert pairs.shape == (3, 6)
    assert pairs[0, 0] >= abs(both[0]) - 1e-12


def test_what_differs_is_told_apart_and_what_does_not_is_not() -> None:
    stays, _ = simulate(4_000, 1)
    other = simulate(4_000, 2)[0]
    told = Telling(schema(), 1)
    same, turned = told.apart(stays, other, (LOGISTIC,)), told.apart(stays, ~other, (LOGISTIC,))
    assert same[0].low == 0
    assert turned[0].value > 0.9
    assert told.forest(stays[:400], stays[400:800]).low == 0
    assert Records(schema(), stays[:1].astype(np.uint16)).codes.shape == (1, 42)


@pytest.mark.parametrize(
    ("beta", "passing", "bound"),
    [(0.05, 0.997, 0.0515), (0.0, 1.0, 0.0), (0.5, 0.8, 0.75), (1.0, 0.9, 1.0)],
)
def test_lemma_5_2(beta: float, passing: float, bound: float) -> None:
    assert lemma(beta, passing) == pytest.approx(bound, abs=1e-4)


def test_thresholds_are_scaled_with_the_seeds() -> None:
    """k stays the same share of the seeds, and the noise the same share of k."""
    flags = np.zeros((400, 2), dtype=bool)
    scores = np.repeat([170, 198], 200)
    few = models.FlagCandidates(flags, scores, scores)
    here = StudySetting(_TINY, 1, flags, flags, flags[:, 0], flags, {}, {})
    assert _TINY.scale_threshold(18_400) == 184
    assert _TINY.scale_threshold(1) == 2
    # By noise of a hundred times that spread, half of both would pass.
    assert here.passes(few, 18_400, 0.01).reshape(2, 200).sum(axis=1).tolist() == [0, 200]


def test_too_few_stays_are_refused() -> None:
    with pytest.raises(Refusal, match="too few stays"):
        Medical().check(asked(stays=999))
    Medical().check(asked())
    assert Medical().sizes(asked(stays=5_000)).seeds == 5_000


def test_every_printed_column_exceeds_one_by_its_own_formula() -> None:
    costs = [cost(each) for each in TABLE_9_2]
    assert all(1.085 < each.printed < 1.165 for each in costs)
    assert all(0.855 < each.released < 0.885 for each in costs)
    assert all(0.755 < each.attempted < 0.785 for each in costs)


def test_the_formula_is_that_of_the_source() -> None:
    each = TABLE_9_2[2]
    spread = math.log(1 / DELTA) + math.log(each.part + 1)
    epsilon = each.epsilon0 + math.log1p(1 / each.t)
    found = epsilon * math.sqrt(2 * each.part * spread) + each.part * epsilon * math.expm1(epsilon)
    assert cost(each).printed == pytest.approx(found, rel=1e-6)


def test_small_k_have_no_useful_delta() -> None:
    assert least_delta(1_000, 0.001) > 0.36
    assert least_delta(20_000, 0.001) > 2e-9
    assert least_delta(50_000, 0.001) < DELTA


def test_k_falls_with_epsilon() -> None:
    found = [by_rule(each, 2_500) for each in (1.0, 2.0, 4.0, 8.0)]
    assert [k for k, _ in found] == sorted((k for k, _ in found), reverse=True)
    assert [each for _, each in found] == sorted(each for _, each in found)
    for k, epsilon0 in found:
        assert math.exp(-epsilon0 * k / 2) * 2_501 == pytest.approx(DELTA, rel=0.02)
    with pytest.raises(ValueError, match="beyond"):
        by_rule(0.01, 2_500)
