"""Pictures of plans of days like given people's, from public numbers alone."""
