"""People, teams, tokens, sign-ins and the audit log."""
