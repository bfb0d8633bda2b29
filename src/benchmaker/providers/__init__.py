"""Who answers: recorded answers, a script, and whatever is plugged in."""

from benchmaker.providers.base import Provider, Request

__all__ = ["Provider", "Request"]
