"""What a run guarantees: one unit, all of them composed, and who is covered."""
