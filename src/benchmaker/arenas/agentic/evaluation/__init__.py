"""Evaluation of submissions under a scoring profile."""
