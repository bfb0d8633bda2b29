"""The browser's events while a page was open: errors, requests, dialogs, in order."""

import re
from dataclasses import dataclass, field
from typing import Any

MOST_MESSAGES = 50
_LONGEST = 500
_SOCKET = re.compile(r"""['"](wss?://[^'"\s]+)['"]""")
_OURS = ("'allow-popups' permission", "Download is disallowed")
"""What the sandbox of the probe refuses although a visitor's browser may allow it."""


@dataclass(slots=True)
class Witness:
    """The notes of one load or of one click; lists hold no repeats and at most fifty entries."""

    page_errors: list[str] = field(default_factory=list)
    rejections: list[str] = field(default_factory=list)
    console_errors: int = 0
    blocked: set[str] = field(default_factory=set)
    absent: set[str] = field(default_factory=set)
    dialogs: int = 0
    loads: int = 0
    went_to: str | None = None
    reloads_stopped: bool = False
    left: bool = False
    failures: int = 0

    def record_exception(self, details: dict[str, Any]) -> None:
        """Record an uncaught error from the browser's protocol."""
        self.failures += 1
        is_rejection = "in promise" in str(details.get("text", ""))
        into = self.rejections if is_rejection else self.page_errors
        message = _message(details)
        if message not in into and len(into) < MOST_MESSAGES:
            into.append(message)

    def console(self, level: str, text: str) -> None:
        """A line of the console; only errors count."""
        if any(words in text for words in _OURS):
            self.left = True
        elif level == "error":
            self.console_errors += 1
            if "Content Security Policy" in text and (socket := _SOCKET.search(text)):
                self.refuse(socket[1])

    def refuse(self, url: str) -> None:
        """Record a refused address."""
        if len(self.blocked) < MOST_MESSAGES:
            self.blocked.add(url[:_LONGEST])

    def lack(self, path: str) -> None:
        """Record a missing file next to the page."""
        if len(self.absent) < MOST_MESSAGES:
            self.absent.add(path[:_LONGEST])


def _message(details: dict[str, Any]) -> str:
    """The message alone, without the kind of error and the stack."""
    thrown = details.get("exception", {})
    described = str(thrown.get("description") or thrown.get("value") or details.get("text", ""))
    described = re.sub(r"\n\s+at .*", "", described, flags=re.DOTALL)
    kind = str(thrown.get("className", ""))
    if kind and described.startswith(f"{kind}: "):
        described = described[len(kind) + 2 :]
    return described.strip()[:_LONGEST]
