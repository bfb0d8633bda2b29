"""Frameworks that run tests: how each is called, and what its report says."""
