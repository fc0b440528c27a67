"""Pictures of scored candidates."""
