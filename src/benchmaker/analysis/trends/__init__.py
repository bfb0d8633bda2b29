"""Trends of models over runs."""
