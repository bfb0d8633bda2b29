"""Tasks made out of commits and sessions, and written in other forms."""
