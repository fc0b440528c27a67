"""What is declared of positions: the public map, its places, the time zone, and what is kept."""
