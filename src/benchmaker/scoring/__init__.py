"""Scorers: a case and a trial in, a score out.

Nothing is imported here: scorers are loaded by name on first use.
"""
