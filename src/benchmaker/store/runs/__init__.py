"""Runs, trials, scores, judgments and votes."""
