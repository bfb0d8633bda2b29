"""Lines of shell scripts that install or fetch something."""

import re
from collections.abc import Iterator
from typing import Final

_START: Final = (
    r"(?:^|[;&|(`]|\$\(|\b(?:then|do|else|if|while|until|sudo|exec|time|env)\s)\s*(?:\w+=\S*\s+)*"
)
_TOOLS: Final = (
    r"(?:apt|apt-get|aptitude|apk|yum|dnf|zypper|pacman|brew)\s+.*\b(?:install|update|add)\b",
    r"(?:python[\d.]*\s+-m\s+)?pip[\d.]*\s+(?:\S+\s+)*?(?:install|download)\b",
    r"(?:pipx|poetry|conda|mamba)\s+(?:\S+\s+)*?(?:install|create|update|add|run)\b",
    r"uv\s+(?:\S+\s+)*?(?:sync|add|run|tool|python|lock|install)\b",
    r"(?:uvx|npx|bunx|pnpx)\b",
    r"(?:npm|yarn|pnpm|bun)\s+(?:\S+\s+)*?(?:install|ci|i|add|create|exec|dlx)\b",
    r"(?:cargo\s+(?:install|fetch|add)|go\s+(?:get|install)|go\s+mod\s+download)\b",
    r"(?:gem|bundle|composer|luarocks|cpan|cpanm|opam|cabal|stack)\s+(?:\S+\s+)*?install\b",
    r"git\s+(?:\S+\s+)*?(?:clone|fetch|pull|ls-remote|submodule)\b",
    r"(?:curl|wget|aria2c|rsync|scp|sftp|ssh|docker|podman)\s",
)
_PATTERN: Final = re.compile(f"{_START}(?:{'|'.join(_TOOLS)})")
_LOCAL: Final = re.compile(r"\b(?:localhost|127\.0\.0\.1|0\.0\.0\.0|\[::1\])(?=[:/\s\"']|$)")
_ADDRESS: Final = re.compile(r"\b[a-z]+://", re.IGNORECASE)
_OFFLINE: Final = re.compile(r"\s--(?:no-index|offline)\b")


def network_lines(script: str) -> Iterator[tuple[int, str]]:
    r"""Yield the lines that need a network, with their numbers.

    >>> list(network_lines("set -e\napt-get update\ncurl http://localhost:80/\n"))
    [(2, 'apt-get update')]
    """
    for number, line in enumerate(script.splitlines(), 1):
        code = line.strip()
        if not code.startswith("#") and needs_network(code):
            yield number, code


def needs_network(command: str) -> bool:
    """True if a command line installs or fetches something, other than from this machine."""
    if not _PATTERN.search(command) or _OFFLINE.search(command):
        return False
    here = len(_LOCAL.findall(command))
    return not here or len(_ADDRESS.findall(command)) > here
