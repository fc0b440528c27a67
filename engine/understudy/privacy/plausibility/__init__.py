"""The privacy tests: how plausible a candidate is, and whether that is enough to pass."""
