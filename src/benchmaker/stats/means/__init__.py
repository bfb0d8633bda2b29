"""Means and shares with their intervals."""
