"""What everything stands on: refusals, files, validation, numbers in words, processes."""
