"""The claims of latent models that follow from moments, held against tiny tables, and mutants."""

from understudy.audit.brought import Audit
from understudy.mechanisms.latent.audit import moments, ones, runs

AUDIT = Audit(
    claims=lambda: (*moments.checks(), *ones.checks()),
    mutants=lambda: (*moments.mutants(), *ones.mutants()),
    runs=runs.RUNS,
)
