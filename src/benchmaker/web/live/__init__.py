"""Runs that are followed while they fill: how they stand, and who is told of it."""
