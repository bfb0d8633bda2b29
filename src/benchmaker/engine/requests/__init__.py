"""Requests to models: the queue, limits, pace, retries, cache and budget."""
