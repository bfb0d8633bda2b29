"""The web application: pages, a JSON API and access control."""

from benchmaker.web.app import create_app
from benchmaker.web.page_declaration import NavigationPlace
from benchmaker.web.rendering import Crumb, page
from benchmaker.web.settings import Settings
from benchmaker.web.workbench import Bench

__all__ = ["Bench", "Crumb", "NavigationPlace", "Settings", "create_app", "page"]
