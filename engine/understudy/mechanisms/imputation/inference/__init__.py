"""What released rows say of the population, and how often that is right."""
