"""What may be asked about a run of seedbased synthesis after it has ended."""
