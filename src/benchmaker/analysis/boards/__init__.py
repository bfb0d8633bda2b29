"""Boards of coding agents: rankings, fronts, trends, bias and gaming."""
