"""Parts of the Present page alone."""
