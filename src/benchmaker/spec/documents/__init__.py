"""Hand-written files as plain data with the location of each value."""
