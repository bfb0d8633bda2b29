"""Test frameworks: their invocation, and their reports."""
