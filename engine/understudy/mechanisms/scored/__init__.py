"""Records that any model proposes from seeds and scores, each of which has to pass the test."""
