"""A model that answers by a script in every wire, and keeps what it sent.

The request alone decides the answer: it is the one after as many calls as have outputs in it. So
retries, repeated streams and requests beside the conversation change nothing. A request that offers
none of the scripted tools is beside the conversation.
"""

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from benchmaker.arenas.agentic.running.scripted.chat import Chat
from benchmaker.arenas.agentic.running.scripted.generate import Generate
from benchmaker.arenas.agentic.running.scripted.messages import Messages
from benchmaker.arenas.agentic.running.scripted.responses import Responses
from benchmaker.arenas.agentic.running.scripted.script import (
    ASIDE,
    Call,
    ScriptedReply,
    Tokens,
    Turn,
)
from benchmaker.arenas.agentic.running.scripted.wire import Body, Offered, Wire

WIRES: Final[tuple[Wire, ...]] = (Chat(), Responses(), Messages(), Generate())
COMMAND: Final = "{command}"
"""The place of the command in the arguments of a call."""

_SHELL: Final = {"command": COMMAND, "description": "Works on the task", "is_background": False}

SHELL_TOOLS: Final[Mapping[str, Any]] = {
    **dict.fromkeys(("Bash", "bash", "run_shell_command", "shell_command", "terminal"), _SHELL),
    "exec_command": {"cmd": COMMAND},
    "shell": {"command": ["sh", "-c", COMMAND]},
    "developer__shell": _SHELL,
}
"""The arguments of the tools by which known agents run shell commands, by name."""


@dataclass(frozen=True, slots=True)
class Sent:
    """One answer that was sent; ``turn`` is its place in the script, None beside it."""

    turn: int | None
    model: str
    tokens: Tokens
    call: str = ""


@dataclass(slots=True)
class Scripted:
    """The model: a script, and how to call the tools that a request may offer.

    ``calls`` are the arguments by the name of the tool, the command in them as ``{command}``; the
    first that is offered is called, with the arguments that it declares. Without any, the first
    answer of the script is the only one.
    """

    turns: Sequence[Turn]
    calls: Mapping[str, Any] = field(default_factory=dict)
    aside: Turn = ASIDE
    sent: list[Sent] = field(default_factory=list)
    returned: list[str] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)
    offers: list[list[str]] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def reply(self, wire: Wire, body: Body, model: str) -> ScriptedReply:
        """The next answer, noted as sent."""
        offered, results = wire.find_tools(body), wire.results(body)
        name = next((it for it in self.calls if it in offered), "")
        with self._lock:
            is_aside = bool(self.calls) and not name
            at = None if is_aside else min(len(results), len(self.turns) - 1)
            number = len(self.sent) + 1
            turn = self.aside if at is None else self.turns[at]
            call = Call(f"call_script_{number:06}", name, self._arguments(name, turn, offered))
            is_call = bool(name and turn.command)
            self.sent.append(Sent(at, model, wire.count(turn.tokens), name if is_call else ""))
            self.offers.append(list(offered))
            if len(results) > len(self.returned):
                self.returned = results
        return ScriptedReply(number, model, turn, call if is_call else None)

    def _arguments(self, name: str, turn: Turn, offered: Offered) -> dict[str, Any]:
        known = offered.get(name) or frozenset(self.calls.get(name, {}))
        given = self.calls.get(name, {}).items()
        return {key: _fill(value, turn.command) for key, value in given if key in known}


def _fill(value: object, command: str) -> Any:  # noqa: ANN401  JSON data
    """An argument with the command in its place."""
    if isinstance(value, str):
        return value.replace(COMMAND, command)
    return [_fill(it, command) for it in value] if isinstance(value, list) else value
