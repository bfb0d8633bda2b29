"""Suites of other tools beside the tools themselves, with the same scripted model."""
