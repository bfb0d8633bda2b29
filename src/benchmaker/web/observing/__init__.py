"""What operators see of a server: request ids, a line for each request, metrics, health."""

from benchmaker.web.observing.requests import RequestObserver, request_id

__all__ = ["RequestObserver", "request_id"]
