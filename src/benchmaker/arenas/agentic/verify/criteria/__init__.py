"""The kinds of criteria: a module for each, or for a few that share a noun."""
