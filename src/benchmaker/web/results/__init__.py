"""Shared parts of result pages: panels, tables, computed runs."""
