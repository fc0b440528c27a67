"""Parts of the Inspect page alone."""
