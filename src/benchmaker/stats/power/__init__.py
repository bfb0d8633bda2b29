"""Power: how many cases a comparison takes."""
