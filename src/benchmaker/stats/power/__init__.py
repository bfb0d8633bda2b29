"""Power: the number of cases a comparison needs."""
