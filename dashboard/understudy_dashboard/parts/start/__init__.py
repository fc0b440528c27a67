"""Parts of the Projects page alone."""
