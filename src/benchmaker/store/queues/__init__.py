"""Jobs, and the outbox of notices."""
