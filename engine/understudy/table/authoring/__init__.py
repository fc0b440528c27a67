"""How a schema is made: suggested from a file, overridden by a codebook, edited by a person."""
