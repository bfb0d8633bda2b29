"""Checks of an answer: kinds of checks, and the scorer that applies several."""
