"""The claims of latent models that follow from moments, held against tiny tables, and mutants."""

from engine.audit.brought import Audit
from engine.mechanisms.latent.audit import moments

AUDIT = Audit(claims=moments.checks, mutants=moments.mutants)
