"""Endpoints: addresses, keys, dialects, and files that declare them."""
