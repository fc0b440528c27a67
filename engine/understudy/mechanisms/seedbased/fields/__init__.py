"""The settings of the seed-based mechanism, each described once."""
