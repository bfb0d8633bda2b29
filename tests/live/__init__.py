"""Runs against a real server on this machine that does everything wrong on request."""
