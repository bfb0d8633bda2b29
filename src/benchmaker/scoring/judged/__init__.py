"""Scorers that use a judge model."""
