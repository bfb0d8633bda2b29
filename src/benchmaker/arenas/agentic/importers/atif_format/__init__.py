"""ATIF: the interchange format for agent trajectories, v1.0 to v1.8."""
