"""The context of every command: the data folder, and the form of output.

The only reader of the environment on the command line.
"""

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from benchmaker.errors import PrerequisiteError

HOME_VARIABLE = "BENCHMAKER_HOME"
STORE_VARIABLE = "BENCHMAKER_STORE"
DATABASE_VARIABLE = "BENCHMAKER_DATABASE_URL"
"""The common name of the same variable; ours has precedence if both are set."""
DOTENV = ".env"
"""The file of further variables, in the current folder."""


@dataclass(frozen=True, slots=True)
class Context:
    """The settings of one call.

    ``home`` is the data folder, ``store_url`` the database if it is not the file in it.
    ``use_json`` is true if stdout must only contain JSON. ``use_color`` is False if colour was
    declined. ``in_ci`` is true under continuous integration. ``home_was_given`` is true if the
    folder is an option, which follow-up commands must repeat. ``environ`` holds the variables,
    including keys, which printing never shows; ``dotenv`` is the file with further ones.
    """

    home: Path
    store_url: str | None = None
    use_json: bool = False
    debug: bool = False
    use_color: bool = True
    in_ci: bool = False
    home_was_given: bool = False
    environ: Mapping[str, str] = field(default_factory=dict, repr=False)
    dotenv: Path | None = None

    @classmethod
    def read(
        cls,
        environment: Mapping[str, str] | None = None,
        *,
        home: Path | None = None,
        use_json: bool = False,
        debug: bool = False,
    ) -> "Context":
        """The settings out of options and environment; an option goes before a variable.

        Raises:
            PrerequisiteError: no option, no variable, and the user has no home folder.
        """
        env = os.environ if environment is None else environment
        named = env.get(HOME_VARIABLE)
        return cls(
            home=home or (Path(named).expanduser() if named else default_home()),
            store_url=env.get(STORE_VARIABLE) or env.get(DATABASE_VARIABLE) or None,
            use_json=use_json,
            debug=debug,
            use_color=not env.get("NO_COLOR"),
            in_ci=env.get("CI", "").lower() in {"1", "true", "yes"},
            home_was_given=home is not None,
            environ=dict(env),
            dotenv=Path(DOTENV) if environment is None else None,
        )

    def with_home(self, home: Path) -> "Context":
        """The same with another data folder, and the store in it."""
        return replace(self, home=home, store_url=None, home_was_given=True)

    def line(self, *words: object) -> str:
        """A command line that does the next thing with the same data, fit to be copied."""
        import shlex

        home = ("--home", self.home) if self.home_was_given else ()
        return shlex.join(map(str, (*program(), *words, *home)))

    def complete(self, text: str) -> str:
        """A sentence with the paths of files in the data folder.

        A command at its end works with the same data, fit to be copied.
        """
        from benchmaker.report.tables.commands import replace_command

        for file in _USER_FILES:
            text = text.replace(f"{file} in the data folder", str(self.home.absolute() / file))
        return replace_command(text, self._complete_command)

    def _complete_command(self, command: str) -> str:
        import shlex

        name, rest = command.split(" ", 1)
        if name != "benchmaker":
            return command
        has_home = not self.home_was_given or "--home" in rest or rest.endswith("--help")
        home = "" if has_home else f" --home {shlex.quote(str(self.home))}"
        return f"{shlex.join(program())} {rest}{home}"


_USER_FILES = ("endpoints.yaml", "prices.yaml")


def program() -> tuple[str, ...]:
    """Return the words that start this command: its name, or its path if that is not on PATH."""
    from shutil import which

    called = Path(sys.argv[0])
    as_module = called.parts[-2:] == ("benchmaker", "__main__.py")
    if which("benchmaker") or not (as_module or called.name == "benchmaker"):
        return ("benchmaker",)
    if as_module:
        return (sys.executable, "-m", "benchmaker")
    near = called.absolute()
    return (str(near.relative_to(Path.cwd()) if near.is_relative_to(Path.cwd()) else near),)


def default_home() -> Path:
    """``~/.local/share/benchmaker``."""
    try:
        return Path.home() / ".local" / "share" / "benchmaker"
    except RuntimeError as exc:
        raise PrerequisiteError(
            "this user has no home folder.", hint=f"Set one with --home or {HOME_VARIABLE}."
        ) from exc


def is_terminal(stream: object) -> bool:
    """True if the stream is a terminal; a closed one is not."""
    try:
        return bool(stream) and stream.isatty()  # type: ignore[attr-defined]  # any stream, or None
    except ValueError:
        return False


def stderr_is_terminal() -> bool:
    """True if progress can be drawn."""
    return is_terminal(sys.stderr)


def stdin_is_terminal() -> bool:
    """True if a user can answer a question."""
    return is_terminal(sys.stdin)
