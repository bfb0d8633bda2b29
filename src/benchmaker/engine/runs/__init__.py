"""Runs from start to end: plan, resume, rescore, extend, estimate."""
