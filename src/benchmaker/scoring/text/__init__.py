"""Scorers that compare texts, numbers, verdicts and letters."""
