"""Suites and tasks of other tools, converted into suites: one module or folder for each tool."""
