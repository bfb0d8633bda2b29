"""Logs of coding tools: files, lines, timestamps and the events they become."""
