"""Attempts in batches, the plausible-seed index, runs and the process that does them."""
