"""Stored boards: built again whenever their submissions change."""
