"""Backups, checks, copies and maintenance of a store."""
