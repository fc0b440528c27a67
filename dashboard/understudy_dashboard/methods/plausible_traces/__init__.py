"""Days like given people's on the pages."""
