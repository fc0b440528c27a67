"""Text files of separated cells."""
