"""A server with accounts: authentication, permissions, and the audit log."""
