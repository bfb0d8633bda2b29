"""Scorers: a case and a trial in, a score out.

Nothing is imported here: each scorer is found by its name when it is needed.
"""
