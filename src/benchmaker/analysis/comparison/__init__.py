"""Comparisons of models and runs: pairs, groups, planning and the results."""
