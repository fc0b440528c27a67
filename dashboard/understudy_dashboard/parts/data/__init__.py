"""Parts of the Data page alone."""
