"""Comparison of two or more systems on the same or different items."""
