"""Secrets in logs: the known kinds, and the scan for them."""
