"""What the pages of the Code Arena show."""
