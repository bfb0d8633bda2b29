"""The web application: pages, a JSON API and access control."""

from benchmaker.web.app import create_app
from benchmaker.web.settings import Settings

__all__ = ["Settings", "create_app"]
