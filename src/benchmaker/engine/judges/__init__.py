"""Judges within a run: who judges, the requests to them, stored replies."""
