"""The claims of tested candidates in a small space, of codes that a model's posterior disturbs, and
of seeds of a sub-population, held against exact laws, and mutants."""

from understudy.audit.brought import Audit
from understudy.mechanisms.scored.audit import among, coins, posterior, runs, small_space

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
