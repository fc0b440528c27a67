"""The claims of tested candidates in a small space, of codes that a model's posterior disturbs, and
of seeds of a sub-population, held against exact laws, and mutants."""

from understudy.assurance.brought import Audit
from understudy.assurance.scored import among, coins, posterior, runs, small_space

AUDIT = Audit(
    claims=lambda: (*small_space.checks(), *posterior.checks(), *among.checks(), *coins.checks()),
    mutants=lambda: (
        *small_space.mutants(),
        *posterior.mutants(),
        *among.mutants(),
        *coins.mutants(),
    ),
    runs=runs.RUNS,
)
"""What stands above."""
