"""The tables of results, each declared once with its columns."""
