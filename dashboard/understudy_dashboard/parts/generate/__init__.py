"""Parts of the Generate page alone."""
