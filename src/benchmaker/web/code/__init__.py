"""The content of the Code Arena's pages."""
