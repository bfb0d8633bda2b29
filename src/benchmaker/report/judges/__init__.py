"""Reports on judges and labels."""
