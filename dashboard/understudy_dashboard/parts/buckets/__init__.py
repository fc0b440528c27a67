"""Parts of the Buckets page alone."""
