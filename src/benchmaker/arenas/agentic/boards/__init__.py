"""Leaderboards of coding agents and their trends."""
