"""Prices of models and the cost of requests."""
