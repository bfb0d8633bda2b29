"""Pages of accounts, teams and sign-in."""
