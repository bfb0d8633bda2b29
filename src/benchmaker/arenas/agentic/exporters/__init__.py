"""Submissions in forms that other programs read."""
