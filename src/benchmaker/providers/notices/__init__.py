"""Channels for notices: webhooks, commands, Apprise."""
