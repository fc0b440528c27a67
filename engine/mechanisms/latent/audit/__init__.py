"""The claims of latent models that follow from moments, held against tiny tables, and mutants."""

from engine.audit.brought import Audit
from engine.mechanisms.latent.audit import moments, ones, runs

AUDIT = Audit(
    claims=lambda: (*moments.checks(), *ones.checks()),
    mutants=lambda: (*moments.mutants(), *ones.mutants()),
    runs=runs.RUNS,
)
