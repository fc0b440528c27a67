"""The claims of tested candidates in a small space, of codes that a model's posterior disturbs, and
of seeds of a sub-population, held against exact laws, and mutants."""

from understudy.assurance.method_audits import Audit
from understudy.assurance.scored import rules, runs, small_space

AUDIT = Audit(
    claims=lambda: (
        *small_space.list_grid_checks(),
        *small_space.list_posterior_checks(),
        *small_space.list_subpopulation_checks(),
        *rules.list_checks(),
        *runs.list_coin_checks(),
    ),
    mutants=lambda: (
        *small_space.list_grid_mutants(),
        *small_space.list_posterior_mutants(),
        *small_space.list_subpopulation_mutants(),
        *rules.list_mutants(),
        *runs.list_coin_mutants(),
    ),
    runs=runs.RUNS,
)
"""What stands above."""
