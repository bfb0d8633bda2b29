"""The gateway: the only way from an agent to a model, which meters and caps its requests."""
