"""How a plan is carried out: in this process, or in the workers of a Ray cluster."""
