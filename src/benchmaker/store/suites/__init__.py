"""Suites and their versions."""
