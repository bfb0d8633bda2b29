"""What accounts are made of, apart from any store: passwords and the secrets of tokens."""
