"""Tasks of lm-evaluation-harness 0.4.13 as suites: prompts, filters and metrics."""
