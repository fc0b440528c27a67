"""From what may be spent to the parameters of a test."""
