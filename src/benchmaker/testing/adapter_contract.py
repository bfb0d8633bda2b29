"""The contract of agent adapters, as a class of tests to inherit."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

from benchmaker.redact import Redactor
from benchmaker.spec.agents.adapter import PLACES, STDOUT, AgentAdapter
from benchmaker.spec.agents.adapter_file import load_adapter
from benchmaker.testing.demand import demand

VALUES = {
    "prompt": "Write a file.",
    "model": "a-model",
    "base_url": "http://127.0.0.1:8377",
    "token": "token-of-the-trial",
    "effort": "high",
    "home": "/workspace/home",
    "project": "/workspace/project",
}
"""Values of a trial."""

_NAME = re.compile(r"\{([a-z_]+)\}")


class AdapterContract:
    """Inherit, name the class ``Test…``, and set ``adapter``; pytest does the rest.

    ``adapter`` is an adapter, or the path of its file.

    Example::

        class TestMine(AdapterContract):
            adapter = Path(__file__).parent / "mine.toml"
    """

    adapter: ClassVar[AgentAdapter | Path]

    def test_it_starts_a_program(self) -> None:
        """Has a program by name, so that it is found on every machine."""
        made = self._adapter()
        demand(bool(made.argv[0]), "argv has no program")
        demand("{" not in made.argv[0], "the program's name must not depend on the trial")

    def test_it_passes_the_prompt(self) -> None:
        """Passes the prompt once: as a word of the command, or as standard input."""
        made = self._adapter()
        words = made.words(VALUES)
        given = sum(VALUES["prompt"] in word for word in words)
        demand(given == int(not made.reads_stdin), f"the prompt is in {given} words")

    def test_it_uses_the_gateway(self) -> None:
        """Passes the base URL and the token, if it has a wire; the model is what the trial says."""
        made = self._adapter()
        if made.wire is None:
            return
        texts = "\n".join(self._filled(made))
        for name in ("base_url", "token"):
            demand(VALUES[name] in texts, f"an agent with a wire needs {{{name}}}")

    def test_it_uses_known_names(self) -> None:
        """Uses no other names in braces where a value would stand."""
        made = self._adapter()
        for text in (*made.argv, *made.env.values(), *made.effort_argv):
            unknown = {name for name in _NAME.findall(text) if name not in PLACES}
            demand(not unknown, f"unknown names in {text!r}: {sorted(unknown)}")

    def test_it_uses_effort_only_where_one_is_given(self) -> None:
        """Uses ``{effort}`` in ``effort_argv`` and ``effort_env``, which apply only with one."""
        made = self._adapter()
        always = (*made.argv, *made.env.values(), *made.files.values())
        demand(not any("{effort}" in text for text in always), "{effort} is used without one")

    def test_it_contains_no_key(self) -> None:
        """Contains nothing that looks like a secret."""
        made = self._adapter()
        for text in (*made.argv, *made.env.values(), *made.files.values()):
            demand(Redactor().text(text) == text, f"a secret in {text[:20]!r}…")

    def test_its_logs_are_not_the_whole_home(self) -> None:
        """Names the logs, not everything the agent leaves, such as its configuration."""
        made = self._adapter()
        for pattern in made.logs:
            demand(pattern == STDOUT or pattern not in ("*", "**"), f"{pattern!r} is everything")

    def _adapter(self) -> AgentAdapter:
        given = self.adapter
        return given if isinstance(given, AgentAdapter) else load_adapter(given)

    def _filled(self, made: AgentAdapter) -> Iterator[str]:
        yield from made.words(VALUES)
        yield from made.variables(VALUES).values()
        yield from (text for _, text in made.laid_files(VALUES))
