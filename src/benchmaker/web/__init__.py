"""The workbench in a browser: pages, a JSON API, and what guards them."""

from benchmaker.web.app import create_app
from benchmaker.web.settings import Settings

__all__ = ["Settings", "create_app"]
