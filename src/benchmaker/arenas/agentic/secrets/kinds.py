"""Kinds of secrets, and their patterns.

A kind lists words at its start, or at a fixed offset: its pattern is tried only where one of them
occurs. Patterns are matched only at that place, read forwards once, and extend to the end of a
token. The match before the group ``value`` stays in the text.
"""

import math
import re
from collections import Counter
from collections.abc import Callable
from typing import Final, NamedTuple

_LEAST_BITS = 2.5
_LEAST_BITS_LONG = 3.0
_LONG = 16
_LONGEST_READ = 256

_REFERENCE = re.compile(
    r"\$\{.*|\$[A-Z_][A-Z0-9_]*|\{.*|%\(?[a-z_]*\)?s|\*+|[xX.]+|<.*|\$\(.*|process\.env\..*"
)
_SEPARATORS = re.compile(r"[_\-./:@]+")
_WORD = re.compile(r"[A-Z]?[a-z]*[0-9]{0,4}|[A-Z]+[0-9]{0,4}|(?:[A-Z]?[a-z]{2,})+[0-9]{0,4}|[0-9]+")
_LETTER = re.compile("[A-Za-z]")
_NO_LETTER = re.compile(r"[0-9!#$%^*+~?]")
_CALLED = re.compile(r"[A-Za-z_][A-Za-z0-9_.]*")
_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z_][A-Za-z0-9_]*)+")


def is_secret_value(value: str) -> bool:
    """True if this is a value, and not the name of a variable that holds it.

    >>> is_secret_value("hunter2"), is_secret_value("${PASSWORD}"), is_secret_value("***")
    (True, False, False)
    """
    return _REFERENCE.fullmatch(value) is None


def is_made_up(value: str, text: str, end: int, *, may_be_words: bool = False) -> bool:
    """True if a value is random enough for a secret.

    ``text`` contains it up to ``end``: a following call or index means code. With ``may_be_words``
    it needs no digits and may consist of ordinary words.

    >>> is_made_up("aB3dE6gH9jK2mN5p", "", 0), is_made_up("user_profile_v2", "", 0)
    (True, False)
    """
    value = value[:_LONGEST_READ]
    is_code = text[end : end + 1] in ("(", "[") and _CALLED.fullmatch(value)
    if is_code or not is_secret_value(value) or not _LETTER.search(value):
        return False
    if bits(value) < (_LEAST_BITS_LONG if len(value) >= _LONG else _LEAST_BITS):
        return False
    if may_be_words:
        return _IDENTIFIER.fullmatch(value) is None
    return _NO_LETTER.search(value) is not None and not _is_words(value)


def bits(value: str) -> float:
    """Shannon's entropy of the characters, in bits for each.

    >>> bits("aaaa"), bits("abcd")
    (0.0, 2.0)
    """
    total = len(value)
    return math.fsum(n / total * math.log2(total / n) for n in Counter(value).values())


def _is_words(value: str) -> bool:
    return all(_WORD.fullmatch(part) for part in _SEPARATORS.split(value))


class Kind(NamedTuple):
    """A kind of secret.

    ``words`` are searched ignoring case. The pattern starts ``back`` characters before the word.
    ``before`` checks the characters in front of that, ``accepts`` the match.
    """

    name: str
    words: tuple[str, ...]
    pattern: re.Pattern[str]
    back: int = 0
    before: Callable[[str], bool] | None = None
    accepts: Callable[[re.Match[str]], bool] | None = None


_RUN = "[A-Za-z0-9_-]"
_ALNUM = "[A-Za-z0-9]"
# A word begins here: not inside of another, but right behind an escaped line break.
_START = r"(?:(?<![A-Za-z0-9_-])|(?<=\\[nrt]))"
# Texts that are too long for keeping end like this; so may a key.
_CUT = r"(?=… \[[0-9,]{1,15} bytes left out\])"
_QUOTE = r"(?:\\{0,16}[\"'`])?"
_IS = rf"{_QUOTE}\]?(?:[ \t]{{0,4}}(?::=|=>|={{1,3}}|:)[ \t]{{0,4}}|>){_QUOTE}"
_HEADER_IS = rf"{_QUOTE}[ \t]{{0,4}}[:=,][ \t]{{0,4}}{_QUOTE}"
_VALUE = r"[^\s\"'`<>,;\\()\[\]{}&|=…]{8,}+={0,2}"
_NUMBERED = "(?:_?[0-9]{1,3}|_(?:value|prod|live|test|dev|base64|b64))?"


def _token(prefix: str, least: int, *, of: str = _RUN, start: str = "") -> re.Pattern[str]:
    """Return a prefix with a minimum number of characters; fewer at the end of a cut text."""
    return re.compile(
        rf"{start}(?P<value>(?:{prefix})(?:{of}{{{least},}}+{_RUN}*+|{of}{{2,}}{_CUT}))"
    )


def _assignment_pattern(word: str) -> re.Pattern[str]:
    return re.compile(
        rf"(?:{word}){_NUMBERED}{_IS}(?P<value>{_VALUE})",
        re.IGNORECASE,
    )


def _option_pattern(word: str) -> re.Pattern[str]:
    """An option of a command and its value, as in ``--token x`` and ``["--token", "x"]``."""
    return re.compile(
        rf"(?:{word}){_QUOTE}[ \t,]{{1,4}}{_QUOTE}(?P<value>{_VALUE})",
        re.IGNORECASE,
    )


_PRIVATE_KEY = re.compile(
    r"(?P<value>-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
    r"(?:(?:[^-]|-(?!----)){10,20000}-{5,10}END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
    r"|(?:(?:\s|\\{1,16}[nrt]|[\"',>|]){1,40}+[A-Za-z0-9+/=]{16,}+)+"
    r"(?:\s|\\{1,16}[nrt]|[\"',>|]){0,40}+[A-Za-z0-9+/=]*+)"
    rf"{_RUN}*+)"
)
_OF_KEYS = (
    "api access secret private auth account encrypt encryption signing sign master service admin"
    " storage license deploy shared session app application client subscription webhook consumer"
    " hmac jwt"
)
_NAMES_OF_KEYS = tuple(_OF_KEYS.split())
_OPTION = re.compile(r"--[A-Za-z-]*\Z")
_OTHER_KEYS = ("PUBLIC_", "CACHE_", "PRIMARY_", "FOREIGN_", "SORT_", "PARTITION_")
_OTHER_TOKENS = ("page", "next", "continuation", "cancellation", "pad", "eos", "bos", "unk")


def _names_a_key(head: str) -> bool:
    """True if this prefix of ``key`` makes it a secret: ``api_``, ``MY_``; not ``sort_``."""
    if head.rstrip("_- ").lower().endswith(_NAMES_OF_KEYS):
        return True
    return head[-1:] == "_" and head[-2:-1].isupper() and not head.endswith(_OTHER_KEYS)


def _is_option(head: str) -> bool:
    """True if the following name belongs to an option of a command."""
    return "--" in head and _OPTION.search(head) is not None


def _names_a_token(head: str) -> bool:
    return not head.rstrip("_-").lower().endswith(_OTHER_TOKENS)


def _names_a_secret(head: str) -> bool:
    return head.rstrip("_-").lower().endswith(("secret", "secret_access", "secretaccess"))


def _is_random(match: re.Match[str]) -> bool:
    return is_made_up(match["value"], match.string, match.end())


def _is_password(match: re.Match[str]) -> bool:
    is_quoted = match.string[match.start("value") - 1] in "\"'`>"
    is_variable = match.string[match.start() : match.start() + 4].isupper()
    return is_made_up(
        match["value"], match.string, match.end(), may_be_words=is_quoted or is_variable
    )


def _is_value(match: re.Match[str]) -> bool:
    return is_secret_value(match["value"])


# The first kind of several that match the same place names it.
KINDS: Final = (
    Kind("private_key", ("-----begin",), _PRIVATE_KEY),
    Kind("anthropic", ("sk-",), _token("sk-ant-", 12)),
    Kind("openrouter", ("sk-",), _token("sk-or-v[0-9]-", 16)),
    Kind("openai", ("sk-",), _token("sk-(?:proj|svcacct|admin|None)-", 16)),
    Kind("openai", ("sk-",), re.compile(
        rf"{_START}(?P<value>sk-(?=[A-Za-z_-]{{0,60}}[0-9])(?:(?={_RUN}{{0,24}}{_ALNUM}{{16}}){_RUN}{{20,}}+|{_RUN}{{6,}}{_CUT}))")),
    Kind("aws_access_key", ("akia", "asia"), _token("AKIA|ASIA", 16, of="[0-9A-Z]", start=_START)),
    Kind("aws_secret_key", ("key",), re.compile(
        rf"key{_IS}(?P<value>[A-Za-z0-9/+]{{40}}(?![A-Za-z0-9/+]))", re.IGNORECASE),
        before=_names_a_secret),
    Kind("github", ("ghp_", "gho_", "ghs_", "ghu_", "ghr_"), _token("gh[pousr]_", 20)),
    Kind("github", ("github_pat_",), _token("github_pat_", 20)),
    Kind("gitlab", ("glpat-",), _token("glpat-", 16)),
    Kind("slack", ("xox",), _token("xox[abceoprs](?:\\.xox[abp])?-", 12)),
    Kind("slack_webhook", ("hooks.slack.com",), re.compile(
        r"hooks\.slack\.com\\{0,16}/(?:services|workflows|triggers)\\{0,16}/"
        r"(?P<value>[A-Za-z0-9_/\\-]{20,}+)")),
    Kind("google", ("aiza",), _token("AIza", 30, start=_START)),
    Kind("stripe", ("k_live_", "k_test_"), _token("[srp]k_(?:live|test)_", 16), back=1),
    Kind("stripe_webhook", ("whsec_",), _token("whsec_", 20)),
    Kind("npm", ("npm_",), _token("npm_", 32, of=_ALNUM)),
    Kind("pypi", ("pypi-ag",), _token("pypi-Ag", 40)),
    Kind("hugging_face", ("hf_",), _token("hf_", 30, of=_ALNUM)),
    Kind("digitalocean", ("_v1_",), _token("do[opr]_v1_", 40, of="[a-f0-9]"), back=3),
    Kind("sendgrid", ("sg.",), re.compile(
        rf"{_START}(?P<value>SG\.{_RUN}{{16,64}}\.(?:{_RUN}{{32,}}+|{_RUN}*{_CUT}))")),
    Kind("telegram", (":aa",), re.compile(rf"(?<=[0-9]{{8}}):(?P<value>AA{_RUN}{{32,}}+)")),
    Kind("groq", ("gsk_",), _token("gsk_", 20, of=_ALNUM)),
    Kind("xai", ("xai-",), _token("xai-", 20, of=_ALNUM)),
    Kind("perplexity", ("pplx-",), _token("pplx-", 20, of=_ALNUM)),
    Kind("nvidia", ("nvapi-",), _token("nvapi-", 20)),
    Kind("jwt", ("eyj",), re.compile(
        rf"{_START}(?P<value>eyJ{_RUN}{{8,}}+(?:\.eyJ{_RUN}{{8,}}+(?:\.{_RUN}*+)?|{_CUT}))")),
    Kind("url_password", ("://",), re.compile(
        r"://[^\s/:@\"'`<>\\?#]{0,100}:(?!\[redacted:)(?P<value>[^\s/\"'`<>\\?#]{1,256})(?=@)"),
        accepts=_is_value),
    Kind("authorization", ("uthorization",), re.compile(
        rf"uthorization{_HEADER_IS}(?:basic|bearer|token|digest|apikey)[ \t]{{1,4}}"
        r"(?P<value>[A-Za-z0-9+/=_.~:-]{8,}+)", re.IGNORECASE)),
    Kind("authorization", ("uthorization",), re.compile(
        rf"uthorization{_HEADER_IS}(?P<value>[A-Za-z0-9+/=_.~:-]{{16,}}+)", re.IGNORECASE),
        accepts=_is_random),
    Kind("authorization", ("bearer",), re.compile(
        r"bearer[ \t]{1,4}(?P<value>[A-Za-z0-9+/=_.~-]{16,}+)", re.IGNORECASE),
        accepts=_is_random),
    Kind("assignment", ("key",), _assignment_pattern("key"),
        before=_names_a_key, accepts=_is_random),
    Kind("assignment", ("token",), _assignment_pattern("token"),
         before=_names_a_token, accepts=_is_random),
    Kind("assignment", ("secret",), _assignment_pattern("secret"), accepts=_is_random),
    Kind("assignment", ("passw", "passphrase"), _assignment_pattern("passw(?:or)?d|passphrase"),
         accepts=_is_password),
    Kind("assignment", ("key", "token", "secret"), _option_pattern("key|token|secret"),
         before=_is_option, accepts=_is_random),
    Kind("assignment", ("passw", "passphrase"), _option_pattern("passw(?:or)?d|passphrase"),
         before=_is_option, accepts=_is_password),
    Kind("assignment", ("_pwd",), _assignment_pattern("_pwd"), accepts=_is_password),
)  # fmt: skip
"""All kinds, specific ones before general ones."""
