"""The JSON API under ``/api/v1``; one module a noun, each with a ``router``."""
