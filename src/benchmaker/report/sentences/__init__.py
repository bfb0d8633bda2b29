"""Sentences and terms that all reports share."""
