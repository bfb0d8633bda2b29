"""Summaries of runs: means, outcomes, grids of cases, and gates."""
