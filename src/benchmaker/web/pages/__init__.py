"""One module a page, or a few that share a noun; each has a ``router``."""
