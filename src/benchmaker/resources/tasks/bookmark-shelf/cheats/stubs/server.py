"""Serves nothing."""
