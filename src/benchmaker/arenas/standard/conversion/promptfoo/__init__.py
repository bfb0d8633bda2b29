"""Configurations of promptfoo 0.121 as suites: prompts, providers, tests and assertions."""
