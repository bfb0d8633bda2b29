"""Traces of sessions, step by step, and the search in them."""
