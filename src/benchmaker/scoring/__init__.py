"""Scorers: a case and a trial in, a score out."""
