"""Suites edited in a browser: forms, their faults, versions, and files."""
