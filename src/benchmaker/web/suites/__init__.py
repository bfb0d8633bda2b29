"""Suites written in a browser: forms, what is wrong in them, versions, and files."""
