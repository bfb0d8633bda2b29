"""The rules of profile robust/1, as scores stored under it were made."""
