"""The host names of previews: one for all, or one each where browsers resolve such names.

A browser gives each site a process of its own, and a name below ``localhost`` is a site. With a
name for each preview, a page that loops stops neither its neighbours nor the workbench.
"""

import hashlib
import re
from dataclasses import dataclass
from typing import Final

_RESOLVING: Final = ("Chrome/", "Firefox/")
"""Parts of the User-Agent of browsers that take any name below ``localhost`` for this machine."""

_LABEL: Final = r"p[0-9a-f]{16}\."


@dataclass(frozen=True, slots=True)
class PreviewHost:
    """The host name of previews, with its port; empty without previews."""

    name: str

    @property
    def can_divide(self) -> bool:
        """True if there are names below this one without a server of names."""
        return self.name.partition(":")[0].lower() == "localhost"

    def name_for(self, ticket: str, *, user_agent: str = "") -> str:
        """Return the host name of a preview for a browser: its own if the browser resolves it.

        It reveals no more of the page than its ticket does.
        """
        if not self.can_divide or not any(it in user_agent for it in _RESOLVING):
            return self.name
        return f"p{hashlib.sha256(ticket.encode()).hexdigest()[:16]}.{self.name}"

    def answers_to(self, host: str) -> bool:
        """Return True if a request with this Host header is for a preview."""
        below = f"(?:{_LABEL})?" if self.can_divide else ""
        return bool(re.fullmatch(below + re.escape(self.name.lower()), host.lower()))

    def sources(self, scheme: str) -> str:
        """Return the sources that a policy must name to show previews in frames."""
        every = (self.name, f"*.{self.name}") if self.can_divide else (self.name,)
        return " ".join(f"{scheme}://{it}" for it in every)
