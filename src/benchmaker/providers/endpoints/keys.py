"""Keys of providers: their sources; they are never shown."""

from collections.abc import Iterable, Mapping
from pathlib import Path

from benchmaker.errors import PrerequisiteError
from benchmaker.providers.endpoints.dotenv import read_dotenv
from benchmaker.providers.endpoints.endpoints import Endpoint
from benchmaker.redact import MARK, SHORTEST, Redactor


class Key:
    """A key and the variable it came from; printing shows the variable alone."""

    __slots__ = ("_secret", "variable")

    def __init__(self, variable: str, secret: str) -> None:
        self.variable = variable
        self._secret = secret

    def __repr__(self) -> str:
        return f"Key({self.variable})"

    def __reduce__(self) -> str:
        raise TypeError("a key is never stored")

    def reveal(self) -> str:
        """Return the key itself, for the header of a request to its own host."""
        return self._secret


class Keys:
    """The variables of the environment and of a ``.env`` file; the environment takes precedence.

    ``variables`` is for base URLs and the like. Printing shows nothing.
    """

    __slots__ = ("_in_environment", "_known", "variables")

    def __init__(self, environ: Mapping[str, str], dotenv: Path | None = None) -> None:
        given = {name: value for name, value in environ.items() if value.strip()}
        self.variables: Mapping[str, str] = {**read_dotenv(dotenv), **given}
        self._in_environment = frozenset(given)
        self._known: dict[str, Key] = {}  # by variable

    def __repr__(self) -> str:
        return "Keys(…)"

    @property
    def secrets(self) -> tuple[str, ...]:
        """The keys that were taken out so far."""
        return tuple(dict.fromkeys(key.reveal() for key in self._known.values()))

    def key(self, endpoint: Endpoint) -> Key | None:
        """Return the key to this endpoint; None if it has none and needs none.

        The first of the endpoint's variables that is set is used.

        Raises:
            PrerequisiteError: a required key is missing or invalid, or a ``.env`` file would send a
                key of the environment to its own address.
        """
        for variable in endpoint.keys:
            if secret := self.variables.get(variable, "").strip():
                _check(variable, secret)
                self._refuse_diversion(endpoint, variable)
                return self._known.setdefault(variable, Key(variable, secret))
        if not endpoint.needs_key or not endpoint.keys:
            return None
        raise PrerequisiteError(
            f"no key for {endpoint.name}: {_join_names(endpoint.keys)} is not set.",
            hint=f"Set {endpoint.keys[0]} in the environment or in a .env file.",
        )

    def _refuse_diversion(self, endpoint: Endpoint, key: str) -> None:
        """A folder that somebody else made must not lead a person's key elsewhere."""
        address = next((name for name in endpoint.base_urls if self.variables.get(name)), None)
        if address is None or address in self._in_environment or key not in self._in_environment:
            return
        raise PrerequisiteError(
            f"{address} in the .env file would send {key} from your environment elsewhere.",
            hint=f"Put {key} in the same file, or set {address} in the environment.",
        )

    def redactor(self) -> Redactor:
        """Return a redactor that removes the keys used so far, and texts that look like one."""
        return Redactor(self.secrets)

    def without_keys(
        self, environ: Mapping[str, str], endpoints: Iterable[Endpoint]
    ) -> tuple[dict[str, str], tuple[str, ...]]:
        """Return an environment without any endpoint's key, for a user's program, and the keys.

        Other variables with one of these values are removed, too.
        """
        names = frozenset(name for endpoint in endpoints for name in endpoint.keys)
        held = (self.variables.get(name, "").strip() for name in names)
        secrets = frozenset(secret for secret in held if secret)
        kept = {
            name: value
            for name, value in environ.items()
            if name not in names and value.strip() not in secrets
        }
        return kept, tuple(sorted(secrets))


def mask(text: str, secrets: Iterable[str]) -> str:
    """Return the text without exactly these secrets."""
    for secret in secrets:
        if len(secret) >= SHORTEST and secret in text:
            text = text.replace(secret, MARK)
    return text


def _check(variable: str, secret: str) -> None:
    if not secret.isascii() or not secret.isprintable() or " " in secret:
        raise PrerequisiteError(
            f"{variable} is not a key: it has spaces, line breaks or non-ASCII characters.",
            hint=f"Copy the key again, and set {variable} to it.",
        )


def _join_names(names: tuple[str, ...]) -> str:
    return " or ".join(names)
