"""Which modules decide how much noise there is, or who is counted, and of which method each is.

Every module of the rooms below, and every other one of the engine that is given randomness or
noise, is either mutated or left out with a reason.
"""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import Final

from tests.mutation.applying import ROOT

SHARED: Final = "all"
_ROOMS: Final = ("privacy", "acceptance", "mechanisms", "models")
_DRAWN: Final = ("Noise", "RandomSource", "Secret")
_OF: Final[dict[str, str]] = {
    SHARED: """
        privacy: noise randomness budget gaussian tape
        privacy/accounting: account accountant budget_shares composition guarantee loss_laws unit
            unit_counts
        privacy/plausibility: partial privacy_test threshold
        acceptance: measurement statistics
        table: split
        table/rules: masks relation
        models: categorical count_tables noisy_tables omega possible prefix_index scores sequential
            streamed_rows tilts triple_tables views
        mechanisms: defaults mobility_evaluation privacy_unit
    """,
    "seedbased": """
        mechanisms/seedbased: acceptance attempts guarantee marks mechanism model_fit
            promise state
        models/bayesnet: as_learner families kept_attributes network parameters rules structure
        models/calibrated: as_learner column_levels learner measurement questions selection
        models/third_party: as_learner
    """,
    "scored": """
        mechanisms/scored: attempts guarantee mechanism proposers
        models/latent: coordinate_noise grid latent_noise projection small_space
        models/bayesnet: redrawn
    """,
    "latent": """
        mechanisms/latent: guarantee mechanism models
        models/latent: features moments
        models/latent/networks: autoencoder training variational
    """,
    "imputation": """
        mechanisms/imputation: accounting draws guarantee mechanism parts
        mechanisms/imputation/curves: curve drawn
    """,
    "pmse": """
        mechanisms/pmse: gini guarantee mechanism model_search partitions units
    """,
    "traces": """
        mechanisms/traces: guarantee mechanism plan
        models/mobility: geography tables trace_records
    """,
    "plausible_traces": """
        mechanisms/plausible_traces: attempts conditionals guarantee keys mechanism plan
    """,
}
_WORDS = "puts into words, forms, figures or files what others computed"
_PUBLIC = "works from the plan and public figures: what it chooses is accounted for as any plan"
_AFTERWARDS = "sees what was noised, and nothing else that is confidential"
_INTERNAL = "is for the custodian's eyes, and never released"
_LAID_OUT = "says how things are laid out or found, and no number follows from it"
_CHECKS = "checks others; that it can fail is tested by mutants of its own"
_OWN_WORD = "a model that others install, on their own word"
_PUBLISHED = "a published method or figure without a guarantee of this program"

LEFT_OUT: Final[dict[str, str]] = {
    "acceptance/intervals": _AFTERWARDS,
    "acceptance/outcome": _AFTERWARDS,
    "assurance/*": _CHECKS,
    "charts/*": _WORDS,
    "cli/*": _WORDS,
    "evaluation/*": _INTERNAL,
    "inference/*": _AFTERWARDS,
    "ledger/*": "records what was spent, and knows tables again by a sketch that stays here",
    "runs/*": "starts, stops and resumes runs; held by tests that kill them",
    "privacy/accounting/account_words": _WORDS,
    "privacy/accounting/growth": _WORDS,
    "privacy/planning/*": _PUBLIC,
    "privacy/strength": _WORDS,
    "privacy/wording": _WORDS,
    "mechanisms/*/charts/*": _WORDS,
    "mechanisms/*/cli/*": _WORDS,
    "mechanisms/*/cli": _WORDS,
    "mechanisms/*/report/*": _WORDS,
    "mechanisms/*/fields/*": _WORDS,
    "mechanisms/fields": _WORDS,
    "studies/*": _PUBLISHED,
    "mechanisms/*/inquiries/*": _INTERNAL,
    "mechanisms/*/evaluation/*": _INTERNAL,
    "mechanisms/seedbased/executors": "hands attempts to processes; each is the same anywhere",
    "mechanisms/*/inspection": _INTERNAL,
    "mechanisms/*/expected_utility": _PUBLIC,
    "mechanisms/seedbased/foresight": _PUBLIC,
    "mechanisms/expected_utility": _PUBLIC,
    "mechanisms/*/plan": "a plan is checked and kept; what follows from it is computed elsewhere",
    "mechanisms/*/settings": _WORDS,
    "mechanisms/*/forecast": _PUBLIC,
    "mechanisms/imputation/errata": _WORDS,
    "mechanisms/imputation/outputs": _AFTERWARDS,
    "mechanisms/pmse/released_figures": _AFTERWARDS,
    "mechanisms/pmse/regressions": _PUBLIC,
    "mechanisms/seedbased/cheaper": _PUBLIC,
    "mechanisms/seedbased/learners": _LAID_OUT,
    "mechanisms/seedbased/models": _LAID_OUT,
    "mechanisms/seedbased/options": _WORDS,
    "mechanisms/seedbased/plan_from_options": _WORDS,
    "mechanisms/seedbased/proposal": _PUBLIC,
    "mechanisms/seedbased/target": _PUBLIC,
    "mechanisms/seedbased/scope": _WORDS,
    "mechanisms/companions": _LAID_OUT,
    "mechanisms/errata": _WORDS,
    "mechanisms/kinds": _LAID_OUT,
    "mechanisms/mechanism": _LAID_OUT,
    "mechanisms/mobility_plan": _PUBLIC,
    "mechanisms/outputs": _LAID_OUT,
    "mechanisms/setting": _WORDS,
    "mechanisms/plan": _LAID_OUT,
    "mechanisms/registry": _LAID_OUT,
    "mechanisms/spending": _PUBLIC,
    "mechanisms/*/spending": _PUBLIC,
    "mechanisms/statement": _WORDS,
    "models/about": _WORDS,
    "models/*/about": _WORDS,
    "models/cells": _INTERNAL,
    "models/learner": _LAID_OUT,
    "models/marks": _PUBLIC,
    "models/prediction": _PUBLIC,
    "models/calibrated/triples": _PUBLIC,
    "models/calibrated/usual_tables": _PUBLIC,
    "models/calibrated/expected_error": _AFTERWARDS,
    "models/bayesnet/allotted_records": _AFTERWARDS,
    "models/calibrated/fit": _AFTERWARDS,
    "models/calibrated/networks": _AFTERWARDS,
    "models/calibrated/pair_shapes": _AFTERWARDS,
    "privacy/accounting/published_figures": _PUBLISHED,
    "models/latent/factors": _AFTERWARDS,
    "models/latent/foreseen": _PUBLIC,
    "models/latent/principal": _AFTERWARDS,
    "models/mobility/shrinkage": _AFTERWARDS,
    "models/mobility/law": _AFTERWARDS,
    "models/mobility/synthesis": _AFTERWARDS,
    "models/mobility/stays": _LAID_OUT,
    "models/mobility/timing": _AFTERWARDS,
    "models/third_party/claim": _LAID_OUT,
    "models/third_party/offers": _OWN_WORD,
    "models/third_party/private_pgm": _OWN_WORD,
}
"""Why modules are not mutated, by their paths in the engine."""


def _paths(listed: str) -> list[str]:
    found, folder = [], ""
    for word in listed.split():
        if word.endswith(":"):
            folder = word[:-1]
        else:
            found.append(f"engine/understudy/{folder}/{word}.py")
    return found


MUTATED: Final[dict[str, str]] = {
    path: method for method, listed in _OF.items() for path in _paths(listed)
}
"""The method of every module that is mutated."""


def left_out(path: str) -> str:
    """Return why a module is not mutated; nothing where it is not said."""
    name = path.removeprefix("engine/understudy/").removesuffix(".py")
    return next((why for which, why in LEFT_OUT.items() if fnmatchcase(name, which)), "")


def to_declare() -> list[str]:
    """Every module that has to be declared as mutated or left out."""
    found = []
    for path in sorted((ROOT / "engine").rglob("*.py")):
        name = path.relative_to(ROOT).as_posix()
        text = path.read_text(encoding="utf-8")
        room = name.split("/")[2]
        if path.name != "__init__.py" and (room in _ROOMS or any(each in text for each in _DRAWN)):
            found.append(name)
    return found
