"""Pages of latent models."""
