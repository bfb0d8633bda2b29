"""Observability for operators: request ids, a log line per request, metrics, health."""

from benchmaker.web.observing.requests import RequestObserver, request_id

__all__ = ["RequestObserver", "request_id"]
