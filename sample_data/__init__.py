"""Small simulated tables with their schemas, and the simulators that made them."""
