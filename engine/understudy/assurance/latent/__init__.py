"""The claims of latent models that follow from moments, held against tiny tables, and mutants."""

from understudy.assurance.latent import moments, runs
from understudy.assurance.method_audits import Audit

AUDIT = Audit(
    claims=lambda: (*moments.list_moment_checks(), *moments.list_ones_checks()),
    mutants=lambda: (*moments.list_moment_mutants(), *moments.list_ones_mutants()),
    runs=runs.RUNS,
)
