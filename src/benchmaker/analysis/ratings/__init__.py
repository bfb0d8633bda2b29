"""Ratings and ranks out of scores and votes."""
