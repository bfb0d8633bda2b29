"""Pages of judges and labels."""
