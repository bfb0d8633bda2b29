"""Removal of secrets from logs, errors, exports and imports.

Two kinds are removed: texts that look like a key of a known provider, and values known to be secret
because we read them ourselves. Every search is linear in the text. Redaction is idempotent.
"""

import base64
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final
from urllib.parse import quote, quote_plus

MARK: Final = "[redacted]"
"""The replacement of a redacted secret."""

SHORTEST: Final = 8
"""Minimum length of a known value that is redacted; shorter ones would match ordinary words."""

# Names, ids and the keys of mappings come again and again.
_SHORT = 64
_REMEMBERED = 10_000

# A token runs as far as this class goes, so that nothing is left over behind a match.
_RUN = "[A-Za-z0-9_-]"
_Patterns = tuple[tuple[tuple[str, ...], re.Pattern[str]], ...]
_START = r"(?:(?<![A-Za-z0-9_-])|(?<=\\[nrt]))"
_NAMES = (
    r"api[_-]?key|access[_-]?key|secret[_-]?key|private[_-]?key|access[_-]?token|auth[_-]?token"
    r"|refresh[_-]?token|client[_-]?secret|password|passwd"
)
_ASSIGNED = r"[\"']?[ \t]{0,4}(?:=|:|=>)[ \t]{0,4}[\"']?"


def _token(prefix: str, least: int) -> str:
    return f"(?:{prefix}){_RUN}{{{least},}}"


def _pattern(body: str, *, ignore_case: bool = False) -> re.Pattern[str]:
    return re.compile(body, re.IGNORECASE if ignore_case else re.NOFLAG)


# Each pattern with words of which one must occur for the pattern to be tried at all; the words of
# the case-insensitive ones are looked up in the lower-case text. Group "keep" stays. Private keys
# come first: a token right behind their dashes would not be seen as the start of one.
_EXACT: Final[_Patterns] = (
    (("PRIVATE KEY-----",), _pattern(
        r"-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----[A-Za-z0-9+/=\s\\:,.]*"
        r"-----END [A-Z ]{0,30}PRIVATE KEY-----")),
    (("sk-",), _pattern(_token("sk-ant-|sk-proj-|sk-or-v1-|sk-svcacct-", 16))),
    (("sk-",), _pattern(rf"{_START}sk-(?={_RUN}{{0,60}}[0-9]){_RUN}{{20,}}")),
    (("AIza",), _pattern(_token("AIza", 30))),
    (("gsk_", "xai-", "hf_", "pplx-", "nvapi-", "glpat-"),
     _pattern(_token("gsk_|xai-|hf_|pplx-|nvapi-|glpat-", 20))),
    (("gh", "github_pat_"), _pattern(_token("gh[pousr]_|github_pat_", 30))),
    (("bm_",), _pattern(rf"{_START}bm_(?={_RUN}{{0,42}}[A-Z]){_RUN}{{43,}}")),  # our own
    (("xox",), _pattern(_token("xox[abeoprs]-", 16))),
    (("AKIA", "ASIA"), _pattern(rf"{_START}(?:AKIA|ASIA)[0-9A-Z]{{16}}{_RUN}*")),
    (("eyJ",), _pattern(rf"{_START}eyJ{_RUN}{{10,}}\.eyJ{_RUN}{{10,}}\.{_RUN}{{10,}}")),
    (("://",), _pattern(r"(?P<keep>://[^/\s:@\"'<>]{1,100}:)[^/\s@\"'<>]{3,200}(?=@)")),
)  # fmt: skip
_FOLDED: Final[_Patterns] = (
    (("bearer",), _pattern(
        r"(?P<keep>\bbearer[ \t]{1,4})(?=[^\s]{0,60}[0-9])[A-Za-z0-9._~+/=-]{16,}",
        ignore_case=True)),
    (("basic ",), _pattern(
        r"(?P<keep>\bauthorization[\"']?[ \t]{0,4}[:=][ \t]{0,4}[\"']?basic[ \t]{1,4})"
        r"[A-Za-z0-9+/=_-]{8,}", ignore_case=True)),
    (("key", "token", "secret", "passw"), _pattern(
        rf"(?P<keep>(?:{_NAMES}){_ASSIGNED})"
        r"(?=[A-Za-z0-9_\-+/=~.]{0,60}[0-9])(?=[^A-Za-z\s]{0,60}[A-Za-z])"
        r"[A-Za-z0-9_\-+/=~.]{16,}", ignore_case=True)),
)  # fmt: skip


class Redactor:
    """Removes secrets from texts.

    Args:
        secrets: values known to be secret. They are found verbatim and in their JSON-escaped,
            URL-encoded and base64 forms. Those shorter than 8 characters are ignored.

    >>> Redactor(["correct horse"]).text("the key is correct horse, or correct%20horse")
    'the key is [redacted], or [redacted]'
    """

    __slots__ = ("_known", "_secrets", "_seen")

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        self._secrets: frozenset[str] = frozenset()
        self._known: re.Pattern[str] | None = None
        self._seen: dict[str, str] = {}
        self.learn(secrets)

    def learn(self, secrets: Iterable[str]) -> None:
        """Add secrets to remove; earlier ones are kept."""
        known = self._secrets.union(secrets)
        if known == self._secrets:
            return
        forms = {form for secret in known for form in _forms(secret)}
        longest_first = sorted(forms, key=lambda form: (-len(form), form))
        body = "|".join(map(re.escape, longest_first))
        self._secrets, self._known = known, re.compile(body) if body else None
        self._seen = {}

    def text(self, text: str) -> str:
        """The text with each secret replaced by :data:`MARK`."""
        if len(text) > _SHORT:
            return self._redact(text)
        seen = self._seen  # another thread may tell of further secrets meanwhile
        clean = seen.get(text)
        if clean is None:
            clean = self._redact(text)
            if len(seen) < _REMEMBERED:
                seen[text] = clean
        return clean

    def _redact(self, text: str) -> str:
        if self._known is not None:
            text = self._known.sub(MARK, text)
        text = _replace(text, text, _EXACT)
        return _replace(text, text.lower(), _FOLDED)

    def tree(self, value: Any) -> Any:  # noqa: ANN401  plain data of any shape
        """Plain data with every text in it redacted, the keys of mappings included."""
        match value:
            case str():
                return self.text(value)
            case Mapping():
                return {self.tree(key): self.tree(item) for key, item in value.items()}
            case list():
                return [self.tree(item) for item in value]
            case tuple():
                return tuple(self.tree(item) for item in value)
            case _:
                return value


def redact(text: str) -> str:
    """Return the text without texts that look like a provider's key.

    >>> redact("401: Incorrect API key provided: sk-proj-abcdefgh12345678ijkl")
    '401: Incorrect API key provided: [redacted]'
    """
    return _PATTERNS_ALONE.text(text)


def _replace(text: str, searched: str, patterns: _Patterns) -> str:
    for words, pattern in patterns:
        for word in words:
            if word in searched:
                text = pattern.sub(_replacement, text)
                break
    return text


def _replacement(match: re.Match[str]) -> str:
    return (match.groupdict().get("keep") or "") + MARK


def _forms(secret: str) -> Iterator[str]:
    """The secret as it is, in JSON, in URLs, and in base64 at each of the three alignments."""
    if len(secret) < SHORTEST:
        return
    yield secret
    yield json.dumps(secret)[1:-1]
    yield json.dumps(secret, ensure_ascii=False)[1:-1]
    raw = secret.encode("utf-8", "surrogatepass")
    yield quote(raw, safe="")
    yield quote_plus(raw, safe="")
    for encode in (base64.b64encode, base64.urlsafe_b64encode):
        for before in range(3):
            yield _inner_base64(encode(bytes(before) + raw).decode("ascii"), before, len(raw))


def _inner_base64(encoded: str, before: int, length: int) -> str:
    """Return the characters determined by the secret alone, regardless of its neighbours."""
    first = -(-before * 8 // 6)
    last = (before + length) * 8 // 6
    return encoded[first:last]


_PATTERNS_ALONE: Final = Redactor()
