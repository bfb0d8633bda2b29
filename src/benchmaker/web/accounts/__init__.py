"""A server with accounts: who is let in, what they may do, and what is written down of it."""
