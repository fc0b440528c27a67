"""The claims of latent models that follow from moments, held against tiny tables, and mutants."""

from understudy.assurance.latent import claims
from understudy.assurance.method_audits import Audit

AUDIT = Audit(
    claims=lambda: (*claims.list_moment_checks(), *claims.list_ones_checks()),
    mutants=lambda: (*claims.list_moment_mutants(), *claims.list_ones_mutants()),
    runs=claims.RUNS,
)
