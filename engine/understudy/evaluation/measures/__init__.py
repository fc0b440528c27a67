"""One measure a file, each with its meaning, its range and its source. All of it internal."""
