"""Runs with several prompts, models or efforts: effects of each, the matrix, the best value."""
