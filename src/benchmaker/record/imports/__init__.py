"""Records of other tools, read from their results."""
