"""Submissions of coding agents: figures, columns of figures, evaluations."""
