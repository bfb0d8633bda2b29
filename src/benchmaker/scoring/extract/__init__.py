"""Extraction: the answer out of a reply, and the rule that found it."""
