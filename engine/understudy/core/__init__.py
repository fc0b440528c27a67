"""What every other room uses: refusals, files, validation, numbers as text, limited processes."""
