"""The plug-in for pytest: suites collected as tests, scores asserted against baselines."""
