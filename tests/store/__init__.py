"""Tests of the store; each runs on SQLite and on PostgreSQL where both can be meant."""
