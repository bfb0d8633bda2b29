"""Judges within a run: their selection, requests to them, stored replies."""
