"""Passwords, tokens and identities of accounts, independent of any store."""
