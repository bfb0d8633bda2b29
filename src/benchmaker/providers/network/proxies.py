"""Selects the proxy for a host by the usual environment variables."""

from collections.abc import Mapping
from urllib.parse import urlsplit
from urllib.request import proxy_bypass_environment  # type: ignore[attr-defined]  # not in the stubs


def proxy_for(url: str, environ: Mapping[str, str]) -> str | None:
    """The proxy for this URL, or None where it is reached directly.

    Read are ``https_proxy``, ``http_proxy``, ``all_proxy`` and ``no_proxy``; the small spelling
    goes before the large one. ``HTTP_PROXY`` does not count where ``REQUEST_METHOD`` is set, since
    a CGI client can choose it.

    >>> proxy_for("https://api.example.com/v1", {"https_proxy": "http://proxy:3128"})
    'http://proxy:3128'
    >>> proxy_for("https://api.example.com/v1",
    ...           {"https_proxy": "http://proxy:3128", "NO_PROXY": ".example.com"})
    """
    parts = urlsplit(url)
    proxies = _proxies(environ)
    if "no" in proxies and proxy_bypass_environment(parts.netloc.rpartition("@")[2], proxies):
        return None
    return proxies.get(parts.scheme) or proxies.get("all") or None


def _proxies(environ: Mapping[str, str]) -> dict[str, str]:
    """Scheme to address, and ``no`` to the list of exceptions."""
    found: dict[str, str] = {}
    for scheme in ("http", "https", "all", "no"):
        large = environ.get(f"{scheme.upper()}_PROXY", "")
        if scheme == "http" and "REQUEST_METHOD" in environ:
            large = ""
        address = environ.get(f"{scheme}_proxy", large)
        if address:
            found[scheme] = _address(address, scheme)
    return found


def _address(text: str, scheme: str) -> str:
    return text if scheme == "no" or "://" in text else f"http://{text}"
