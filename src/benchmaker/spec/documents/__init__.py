"""Files that people write, as plain data with the place of each value."""
