"""Scorers that ask a model to judge."""
