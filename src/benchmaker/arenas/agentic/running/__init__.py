"""Agents behind walls: adapters, the start folder, and one trial."""
