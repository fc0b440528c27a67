"""Charts as functions from data to figures, each with a table of the same numbers."""
