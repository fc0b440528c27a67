"""Parts of the Release page alone."""
