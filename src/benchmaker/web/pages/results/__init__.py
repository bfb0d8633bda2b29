"""Pages of runs, cases, trials and comparisons."""
