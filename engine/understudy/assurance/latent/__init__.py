"""The claims of latent models that follow from moments, held against tiny tables, and mutants."""

from understudy.assurance.brought import Audit
from understudy.assurance.latent import moments, ones, runs

AUDIT = Audit(
    claims=lambda: (*moments.checks(), *ones.checks()),
    mutants=lambda: (*moments.mutants(), *ones.mutants()),
    runs=runs.RUNS,
)
