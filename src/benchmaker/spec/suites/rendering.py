"""The conversation of a case with a prompt: one function for all that sends or shows it."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import dropwhile
from typing import Any

from benchmaker.spec.documents.source_map import Path
from benchmaker.spec.suites.case import Case, Message
from benchmaker.spec.suites.draft import refused_fields_of
from benchmaker.spec.suites.expansion import (
    render_inside,
    scoring_templates,
    texts_in,
    variables_of,
)
from benchmaker.spec.suites.prompts import Prompt
from benchmaker.spec.suites.suite import Suite
from benchmaker.spec.suites.templates import (
    TemplateFault,
    find_faults,
    render,
    render_value,
    with_remedy,
)
from benchmaker.spec.suites.tools import Tool


def conversation(suite: Suite, case: Case, prompt_id: str | None = None) -> tuple[Message, ...]:
    """Return the messages to send for a case, with the prompt of that id if there is one.

    The system message is the prompt's, else the suite's; the messages' own takes precedence over
    both. Examples stand before the question, and after the system message.

    Raises:
        SpecError: the suite has no such prompt.
        TemplateError: a variable is undefined; ``validate`` reports it before a run.

    >>> asked = Suite("s", [{"id": "a", "vars": {"x": 2}}], prompts=["{{ x }} + {{ x }}?"])
    >>> conversation(asked, asked.cases[0], "prompt-1")[0].content
    '2 + 2?'
    """
    if prompt_id is None:
        return case.conversation(_system_prompt(suite, case))
    variables = variables_of(case, suite.vars)
    prompt = suite.prompt(prompt_id)
    system, turns = _split_system(_turns(prompt, variables))
    text = suite.system_prompt if prompt.system_prompt is None else prompt.system_prompt
    if text and not system:
        system = (Message(role="system", content=render(text, variables)),)
    return (*system, *(prompt.few_shot.examples if prompt.few_shot else ()), *turns)


def case_with_prompt(
    suite: Suite, case: Case, prompt_id: str | None, rendered: tuple[Message, ...] | None = None
) -> Case:
    """Return the case with the messages of a prompt in place of its own.

    ``rendered`` is the :func:`conversation` where it is known already.
    """
    if prompt_id is None:
        return case
    messages = conversation(suite, case, prompt_id) if rendered is None else rendered
    return case.model_copy(update={"prompt": None, "messages": messages})


def _system_prompt(suite: Suite, case: Case) -> str | None:
    """The suite's system message; a template only where the suite has variables or prompts."""
    text = suite.system_prompt
    return render(text, variables_of(case, suite.vars)) if text and case.rendered else text


def _turns(prompt: Prompt, variables: Mapping[str, Any]) -> tuple[Message, ...]:
    if prompt.prompt is not None:
        return (Message(role="user", content=render(prompt.prompt, variables)),)
    return tuple(
        turn.model_copy(update={"content": render(turn.content, variables)})
        for turn in prompt.messages
    )


def _split_system(turns: Sequence[Message]) -> tuple[tuple[Message, ...], tuple[Message, ...]]:
    """The system messages at the beginning of a conversation, and the rest."""
    rest = tuple(dropwhile(lambda turn: turn.role == "system", turns))
    return tuple(turns[: len(turns) - len(rest)]), rest


def render_tools(suite: Suite, case: Case) -> tuple[Tool, ...]:
    """Return the tools of a case; the texts in fixed replies are rendered as those of checks are.

    Raises:
        SpecError: the suite has no tool of that name.
        TemplateError: a variable is undefined; ``validate`` reports it before a run.

    >>> tool = {"name": "now", "reply": "{{ time }}"}
    >>> asked = Suite("s", [{"id": "a", "prompt": "?", "tools": ["now"]}], tools=[tool],
    ...     vars={"time": "noon"})
    >>> render_tools(asked, asked.cases[0])[0].reply
    'noon'
    """
    tools = suite.tools_of(case)
    if not case.rendered:
        return tools
    variables = variables_of(case, suite.vars)

    def fill(_: Path, text: str) -> object:
        return render_value(text, variables)

    return tuple(
        tool.model_copy(update={"reply": render_inside((), tool.reply, fill)})
        if any(texts_in((), tool.reply))
        else tool
        for tool in tools
    )


def template_faults(suite: Suite) -> Iterator[tuple[Path, str, TemplateFault]]:
    """Yield each fault of the suite's templates: its path, the id of the case, and the fault.

    Each template is rendered with every case whose variables may not suffice. The same fault is
    reported for the first case only. Cases whose variables were refused are left out.
    """
    known: set[tuple[Path, str]] = set()
    templates = list(_templates_of(suite))
    has_any = bool(templates) or suite.has_scoring_templates or bool(suite.tools)
    for case in suite.cases if has_any else ():
        if "vars" in refused_fields_of(case):
            continue
        for path, fault in _all_faults(templates, suite, case):
            if (path, fault.message) not in known:
                known.add((path, fault.message))
                yield path, case.id, fault


def template_faults_of(suite: Suite, case: Case) -> Iterator[tuple[Path, TemplateFault]]:
    """Yield each fault of the suite's templates with one case: its path, and the fault."""
    yield from _all_faults(_templates_of(suite), suite, case)


def _all_faults(
    templates: Iterable[tuple[Path, str]], suite: Suite, case: Case
) -> Iterator[tuple[Path, TemplateFault]]:
    yield from _faults(templates, suite, case)
    yield from scoring_faults(suite, case)
    yield from _reply_faults(suite, case)


def scoring_faults(suite: Suite, case: Case) -> Iterator[tuple[Path, TemplateFault]]:
    """Yield the faults of the templates in the suite's scorer and checks that apply to a case."""
    if suite.has_scoring_templates and case.rendered and not case.checks_only:
        templates = scoring_templates(None if case.scorer else suite.scorer, suite.checks)
        for path, fault in _faults(templates, suite, case):
            yield path, with_remedy(fault)


def _reply_faults(suite: Suite, case: Case) -> Iterator[tuple[Path, TemplateFault]]:
    """Yield the faults of the templates in the replies of the tools that a case lists."""
    if case.tools and case.rendered:
        for index, tool in enumerate(suite.tools):
            if tool.name in case.tools:
                yield from _faults(texts_in(("tools", index, "reply"), tool.reply), suite, case)


def _faults(
    templates: Iterable[tuple[Path, str]], suite: Suite, case: Case
) -> Iterator[tuple[Path, TemplateFault]]:
    variables = variables_of(case, suite.vars)
    for path, text in templates:
        yield from ((path, fault) for fault in find_faults(text, variables))


def _templates_of(suite: Suite) -> Iterator[tuple[Path, str]]:
    if suite.system_prompt and (suite.prompts or suite.vars):
        yield ("system_prompt",), suite.system_prompt
    for index, prompt in enumerate(suite.prompts):
        for path, text in prompt.templates:
            yield ("prompts", index, *path), text
