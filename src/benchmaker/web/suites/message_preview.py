"""The messages of one case with one setup of a suite, as a run would send them."""

from dataclasses import dataclass

from benchmaker.engine.runs.setups import setups_of
from benchmaker.errors import SpecError
from benchmaker.record import Setup
from benchmaker.report.sentences.sent_parameters import sent_words
from benchmaker.spec import Case, Message, Parameters, Suite
from benchmaker.spec.suites.prompts import ModelSpec
from benchmaker.spec.suites.rendering import conversation
from benchmaker.spec.suites.templates import TemplateError
from benchmaker.store import Store

_ANY = ModelSpec(model="model", label="any model")
"""In place of the models of a suite that names none."""

_OFFERED = 200
"""Maximum number of setups to choose from."""


@dataclass(frozen=True, slots=True)
class MessagePreview:
    """The messages with the parameters of the setup; ``fault`` explains missing messages.

    ``number`` counts the cases of the suite from 1.
    """

    case_id: str
    number: int
    setup: str
    setups: tuple[str, ...]
    messages: tuple[Message, ...]
    parameters: tuple[str, ...]
    fault: str = ""


def preview_messages(store: Store, suite: Suite, number: str, name: str) -> MessagePreview | None:
    """Return the messages of a case, by default the first, with a setup, by default the first.

    None for a suite without prompts.

    Raises:
        SpecError: an unknown case or setup.
    """
    if not suite.prompts:
        return None
    setups = setups_of(suite, suite.models or (_ANY,))
    chosen = _setup(setups, name) if name else setups[0]
    position = _position(suite, number) if number else 0
    case = store.case(suite.content_hash, position)
    messages, fault = _messages(suite, case, chosen)
    return MessagePreview(
        case_id=case.id,
        number=position + 1,
        setup=chosen.name,
        setups=tuple(one.name for one in setups[:_OFFERED]),
        messages=messages,
        parameters=tuple(sent_words(Parameters.of_record(chosen.parameters), None, {})),
        fault=fault,
    )


def _messages(suite: Suite, case: Case, setup: Setup) -> tuple[tuple[Message, ...], str]:
    try:
        return conversation(suite, case, setup.prompt_id), ""
    except TemplateError as exc:
        return (), str(exc)


def _setup(setups: tuple[Setup, ...], name: str) -> Setup:
    found = next((one for one in setups if one.name == name), None)
    if found is None:
        raise SpecError(f"unknown setup {name[:80]!r}.", hint="Choose one in the list.")
    return found


def _position(suite: Suite, number: str) -> int:
    cases = sum(1 for _ in suite.cases)
    if not (number.isascii() and number.isdigit() and 0 < int(number[:9]) <= cases):
        hint = f"Case numbers go from 1 to {cases:,}."
        raise SpecError(f"{number[:40]!r} is not a case number.", hint=hint)
    return int(number) - 1
