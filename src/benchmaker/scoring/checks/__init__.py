"""Checks: scorers that verify one property of an answer."""
