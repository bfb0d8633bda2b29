"""Compare what a reader found with what was sent; each line of the table names every loss."""

from collections.abc import Iterator, Sequence
from dataclasses import astuple, dataclass, fields, replace

from benchmaker.arenas.agentic.running.scripted.script import Tokens, Turn
from benchmaker.errors import BenchmakerError
from drift.reading import Read, read
from drift.running import Ran
from drift.script import PROMPT, WORK
from drift.tool import Form, Tool

_ROUNDED = 0.03
"""The relative error allowed for rounded token counts."""


@dataclass(frozen=True, slots=True)
class Line:
    """A row of the table: figures as ``read / sent``.

    ``faults`` is what was lost, ``notes`` what the form does not contain; ``not_run`` is the reason
    why there was no run, if so.
    """

    tool: str
    version: str = ""
    form: str = ""
    reader: str = ""
    prompts: str = ""
    answers: str = ""
    calls: str = ""
    tokens: str = ""
    notes: tuple[str, ...] = ()
    faults: tuple[str, ...] = ()
    not_run: str = ""

    @property
    def is_green(self) -> bool:
        """Whether it ran and nothing was lost."""
        return not (self.faults or self.not_run)


def lines_of(tool: Tool, version: str, ran: Ran) -> Iterator[Line]:
    """A line for each form, and one for all forms together where there are several."""
    for form in tool.forms:
        yield _line(tool, version, form, [form], ran)
    if len(tool.forms) > 1 and tool.has_one_id:
        lacks = frozenset.intersection(*(form.lacks for form in tool.forms))
        yield _line(tool, version, Form("all together", lacks=lacks), tool.forms, ran)


def _line(tool: Tool, version: str, form: Form, forms: Sequence[Form], ran: Ran) -> Line:
    head = Line(tool.name, version, form.name)
    try:
        found = read(forms, ran)
    except BenchmakerError as exc:
        return replace(head, faults=(f"not read: {exc.message}",))
    if not found.traces:
        return replace(head, faults=("no session found",))
    sent = Expected(tool, form, ran)
    told = (tokens_in_all(found.tokens), tokens_in_all(sent.tokens(found)))
    return replace(
        head,
        reader=found.traces[0].submission.importer,
        prompts=f"{found.sum_of('iterations')} / {sent.prompts}",
        answers=f"{found.sum_of('llm_calls')} / {sent.answers}",
        calls=f"{found.sum_of('tool_calls')} / {sent.calls}",
        tokens=f"{told[0]:,} / {told[1]:,}",
        notes=tuple(sent.notes(found)),
        faults=tuple(sent.faults(found)),
    )


def tokens_in_all(tokens: Tokens) -> int:
    """The sum of the kinds that don't overlap."""
    return tokens.uncached + tokens.cached + tokens.written + tokens.output


@dataclass(frozen=True, slots=True)
class Expected:
    """What one form of the log of a run should contain."""

    tool: Tool
    form: Form
    ran: Ran

    @property
    def turns(self) -> list[Turn]:
        """The scripted answers that were sent, in order."""
        numbers = [it.turn for it in self.ran.sent if it.turn is not None]
        return [self.tool.turns[number] for number in numbers]

    @property
    def prompts(self) -> int:
        """One, where the form contains prompts."""
        return 0 if "prompts" in self.form.lacks else 1

    @property
    def answers(self) -> int:
        """The number of answers, where the form contains them."""
        return 0 if "answers" in self.form.lacks else len(self.turns)

    @property
    def calls(self) -> int:
        """The number of calls, where the form contains them."""
        return 0 if "calls" in self.form.lacks else sum(bool(it.call) for it in self.ran.sent)

    def tokens(self, found: Read) -> Tokens:
        """The tokens of the conversation, plus those of further requests if the log counts them."""
        main = [it.tokens for it in self.ran.sent if it.turn is not None]
        every = self._counted(sum((it.tokens for it in self.ran.sent), Tokens()))
        return every if found.tokens == every else self._counted(sum(main, Tokens()))

    def _counted(self, tokens: Tokens) -> Tokens:
        """The same tokens in the kinds that the form distinguishes."""
        lacks = self.form.lacks
        if "written tokens" in lacks:
            tokens = replace(tokens, uncached=tokens.uncached + tokens.written, written=0)
        if "cached tokens" in lacks:
            tokens = replace(tokens, uncached=tokens.uncached + tokens.cached, cached=0)
        return replace(tokens, reasoning=0) if "reasoning tokens" in lacks else tokens

    def notes(self, found: Read) -> Iterator[str]:
        """What the form leaves out, and further requests beside the conversation."""
        if self.form.lacks:
            yield f"has no {', '.join(sorted(self.form.lacks))}"
        asides = sum(it.turn is None for it in self.ran.sent)
        if asides:
            main = sum((it.tokens for it in self.ran.sent if it.turn is not None), Tokens())
            is_in = found.tokens != self._counted(main)
            requests = "further request" if asides == 1 else "further requests"
            yield f"{asides} {requests} {'counted' if is_in else 'not counted'}"
        if self.form.about:
            yield self.form.about

    def faults(self, found: Read) -> Iterator[str]:
        """What the reader lost or invented."""
        if len(found.traces) != 1:
            yield f"{len(found.traces)} sessions"
        reader = found.traces[0].submission.importer
        if reader != self.tool.importer:
            yield f"taken for {reader}"
        yield from self._prompts(found)
        yield from self._answers(found)
        yield from self._calls(found)
        yield from self._tokens(found)
        if found.skipped:
            yield f"{found.skipped} lines not read"

    def _prompts(self, found: Read) -> Iterator[str]:
        if found.sum_of("iterations") != self.prompts:
            yield f"{found.sum_of('iterations')} prompts"
        has_text = self.prompts and "prompt text" not in self.form.lacks
        if has_text and not any(PROMPT in text for text in found.prompts):
            yield "without the text of the prompt"

    def _answers(self, found: Read) -> Iterator[str]:
        if found.sum_of("llm_calls") != self.answers:
            yield f"{found.sum_of('llm_calls')} answers"
        said, thought = "\n".join(found.answers), "\n".join(found.thoughts)
        for turn in dict.fromkeys(self.turns):
            if turn.text not in said and not self._is_nowhere(turn.text, found):
                yield f"without “{turn.text}”"
            if turn.thought and turn.thought not in thought and found.holds(turn.thought):
                yield f"without the reasoning “{turn.thought}”"

    def _is_nowhere(self, text: str, found: Read) -> bool:
        return "answer text" in self.form.lacks and not found.holds(text)

    def _calls(self, found: Read) -> Iterator[str]:
        if found.sum_of("tool_calls") != self.calls:
            yield f"{found.sum_of('tool_calls')} calls"
        if not self.calls:
            return
        given = "\n".join(call.arguments or "" for call in found.calls)
        for turn in dict.fromkeys(self.turns):
            if turn.command and turn.command not in given:
                yield f"without the call “{turn.command}”"
        if not any(WORK.output in (call.output or "") for call in found.calls):
            yield "without the result of a call"
        failed = 0 if "errors" in self.form.lacks else 1
        if found.sum_of("tool_errors") != failed:
            yield f"{found.sum_of('tool_errors')} failed calls"

    def _tokens(self, found: Read) -> Iterator[str]:
        sent = self.tokens(found)
        pairs = zip(fields(Tokens), astuple(found.tokens), astuple(sent), strict=True)
        for kind, ours, theirs in pairs:
            if abs(ours - theirs) > (theirs * _ROUNDED if self.form.is_rounded else 0):
                yield f"{kind.name} {ours:,} for {theirs:,}"
