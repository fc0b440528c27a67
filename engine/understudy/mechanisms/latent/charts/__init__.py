"""Pictures of plans and of runs of latent models."""
