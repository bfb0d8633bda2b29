"""Pages of suites and cases."""
