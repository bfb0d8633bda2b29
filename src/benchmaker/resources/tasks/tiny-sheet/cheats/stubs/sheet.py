"""Nothing is done here yet."""
