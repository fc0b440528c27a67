"""Pages of scored candidates."""
