"""Digests of tool calls, so that repetitions show when their content is dropped."""

from hashlib import blake2b


def call_digest(name: str, arguments: str | bytes) -> str:
    """The digest of a tool's name and its arguments as the log has them: 16 hex digits.

    >>> call_digest("Bash", '{"command": "ls"}') == call_digest("Bash", b'{"command": "ls"}')
    True
    """
    raw = arguments if isinstance(arguments, bytes) else arguments.encode("utf-8", "replace")
    return blake2b(name.encode("utf-8", "replace") + b"\0" + raw, digest_size=8).hexdigest()
