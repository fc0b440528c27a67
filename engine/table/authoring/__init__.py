"""How a schema comes about: suggested from a file, laid over by a codebook, changed by a person."""
