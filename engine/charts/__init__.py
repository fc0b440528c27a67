"""Charts: data in, figure out, and for each a table that says the same."""
