"""Parts of the Privacy page alone."""
