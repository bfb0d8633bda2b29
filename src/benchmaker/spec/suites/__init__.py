"""Suites: cases, parameters, policies, and how their files are read."""
