"""Usage of coding agents by session, day and five-hour block."""
