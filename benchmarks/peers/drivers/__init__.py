"""Scripts that run in a peer's environment, with numpy, the peer and `exchange` alone."""
