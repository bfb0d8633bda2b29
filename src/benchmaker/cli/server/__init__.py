"""The server's side of the command line: accounts, checks, sign-in, serving."""
