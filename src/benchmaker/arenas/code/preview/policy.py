"""The headers that previews are served with: sandboxed, without any network but their own host."""

_SANDBOX = "allow-scripts allow-forms allow-modals"

SANDBOX = _SANDBOX
"""The ``sandbox`` attribute of a preview's frame; never with ``allow-same-origin``."""

HEADERS = {
    "permissions-policy": "camera=(), microphone=(), geolocation=(), payment=(), usb=(),"
    " clipboard-read=(), display-capture=(), fullscreen=()",
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "connection-allowlist": "(response-origin);webrtc=block",
    "x-dns-prefetch-control": "off",
    "cross-origin-resource-policy": "cross-origin",
    "access-control-allow-origin": "*",
}
"""Headers of every preview's document and files; ``preview_headers`` adds the policy.

The policy refuses the request of a form or a navigation elsewhere, but a browser may have opened a
connection for it by then. ``connection-allowlist`` prevents the connection, and WebRTC
(https://wicg.github.io/connection-allowlists/); browsers that do not know it ignore it.

A sandboxed page is of no origin, so its own modules count as foreign: hence the last one. Nothing
behind these addresses is secret to whoever knows them.
"""


def content_security_policy(app_origin: str, vendor_origin: str) -> str:
    """Return the policy of a preview: it runs its own content, and contacts only its own host.

    ``app_origin`` is the origin of pages that may frame it, ``'none'`` for none. ``vendor_origin``
    is the origin that serves the preview, its files and the vendored ones. ``connect-src 'none'``
    also applies to that host.
    """
    own = vendor_origin
    return "; ".join((
        f"sandbox {_SANDBOX}",
        "default-src 'none'",
        f"script-src 'unsafe-inline' 'unsafe-eval' blob: {own}",
        f"style-src 'unsafe-inline' {own}",
        f"img-src data: blob: {own}",
        f"font-src data: {own}",
        f"media-src data: blob: {own}",
        "worker-src blob:",
        "connect-src 'none'",
        "frame-src 'none'",
        "form-action 'none'",
        "base-uri 'none'",
        "object-src 'none'",
        f"frame-ancestors {app_origin}",
    ))  # fmt: skip


def preview_headers(app_origin: str, vendor_origin: str) -> dict[str, str]:
    """Return all headers of a preview's document and of the files next to it."""
    policy = content_security_policy(app_origin, vendor_origin)
    return {**HEADERS, "content-security-policy": policy}
