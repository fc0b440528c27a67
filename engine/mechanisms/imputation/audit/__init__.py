"""The claims of Bayesian imputation, held against exact laws, what the source claims wrongly, and
mutants."""

from engine.audit.brought import Audit
from engine.mechanisms.imputation.audit import claims, mutants, runs

AUDIT = Audit(claims=claims.checks, mutants=mutants.checks, runs=runs.RUNS)
