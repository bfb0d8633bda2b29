"""Checks that run the code of an answer."""
