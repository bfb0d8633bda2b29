"""Executors of a plan: in this process, or in the workers of a Ray cluster."""
