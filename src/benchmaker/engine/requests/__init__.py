"""Requests to models: the queue, limits, rate limiter, retries, cache and budget."""
