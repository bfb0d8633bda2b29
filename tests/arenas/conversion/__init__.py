"""Suites of other tools, converted: their verdicts are compared with those of the tools."""
