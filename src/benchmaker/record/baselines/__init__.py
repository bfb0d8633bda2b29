"""Baselines of runs: scores and hashes of answers that later runs are compared with."""
