"""Providers of answers: live endpoints, recordings, scripts and plug-ins."""

from benchmaker.providers.base import Provider, Request

__all__ = ["Provider", "Request"]
