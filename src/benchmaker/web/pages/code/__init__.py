"""Pages of the Code Arena."""
