"""The suite and the setups of an imported evaluation."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from pydantic import ValidationError

from benchmaker.arenas.standard.importers.evaluation import ImportedCase, ImportedEvaluation
from benchmaker.arenas.standard.importers.row_blocks import LONGEST_ID, plain_question
from benchmaker.arenas.standard.importers.spool import SetupName, Spool, SpooledCase
from benchmaker.record import Setup, setup_name
from benchmaker.record.imports.imported import PROMPT_TEXTS
from benchmaker.spec import Case, Message, ScorerSpec, Suite
from benchmaker.spec.suites.prompts import Prompt
from benchmaker.store.suites.case_blocks import CaseBlock, case_blocks


@dataclass(frozen=True, slots=True)
class SpooledCases:
    """The cases of a spool, made again at each pass."""

    spool: Spool

    def __len__(self) -> int:
        return self.spool.n_cases

    def __iter__(self) -> Iterator[Case]:
        return (case_of(one) for one in self.spool.cases())


def suite_of(evaluation: ImportedEvaluation, spool: Spool) -> Suite:
    """Return the suite of an evaluation; it is the same for each evaluation of the same cases.

    Where a file has no texts of its prompts, as a CSV, each of them is empty.
    """
    labels = sorted(_labels(spool))
    return Suite(
        name=evaluation.suite_name,
        cases=SpooledCases(spool),
        profile="robust",
        scorer=ScorerSpec(id="choice" if spool.has_choices else "exact"),
        system_prompt=evaluation.system_prompt,
        vars={PROMPT_TEXTS: {}} if labels else {},
        prompts=tuple(Prompt(id=label, prompt=_template(label)) for label in labels),
    )


def _labels(spool: Spool) -> set[str]:
    return {name.prompt for name in spool.setups if name.prompt is not None}


def _template(label: str) -> str:
    """A template that inserts the text that the tool sent."""
    quoted = label.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'{{{{ {PROMPT_TEXTS}["{quoted}"] | default("") }}}}'


def setup_of(name: SetupName, parameters: Mapping[str, Any]) -> Setup:
    """Return the setup of a model and a prompt, with the parameters that the tool sent."""
    return Setup(
        name=setup_name(name.model, name.prompt),
        model=name.model,
        prompt_id=name.prompt,
        parameters={"temperature": None, "max_tokens": None, **parameters},
    )


def case_of(spooled: SpooledCase) -> Case:
    """Return a case of a suite; its texts are final, so that braces in them stay."""
    case = spooled.case
    expected: Any = list(case.expected) if case.expected else None
    variables = dict(case.vars)
    if spooled.texts:
        variables[PROMPT_TEXTS] = spooled.texts
    given = {
        "id": case_id(case),
        **_question(case, has_texts=bool(spooled.texts)),
        "expected": expected,
        "choices": case.choices,
        "vars": variables,
        "rendered": bool(variables),
        "category": case.category,
        "group": case.group,
        "metadata": case.metadata,
    }
    try:
        return Case.model_validate(given)
    except ValidationError:  # such as a variable whose name a suite can't have
        kept = {"vars": case.vars, "category": case.category, "group": case.group}
        question = _question(case, has_texts=False)
        return Case.model_validate({"id": case_id(case), **question, "metadata": kept})


def stored_cases(suite: Suite, spool: Spool) -> Iterator[CaseBlock]:
    """Yield the cases of a spool as the store keeps them.

    Raises:
        SpecError: a case holds values that no file can.
    """
    for part in spool.case_parts():
        if isinstance(part, CaseBlock):
            yield part
        else:
            yield from case_blocks(suite, map(plain_case_of, part))


def plain_case_of(spooled: SpooledCase) -> dict[str, Any]:
    """Return ``case_of(spooled).model_dump()``, in a tenth of its time for most cases."""
    case = spooled.case
    if spooled.texts or case.vars or case.category is not None or case.group is not None:
        return case_of(spooled).model_dump()
    if not case.choices and len(case.messages) == 1 and case.messages[0][0] == "user":
        return plain_question(case_id(case), case.messages[0][1], case.expected, case.metadata)
    is_question = len(case.messages) == 1 and case.messages[0][0] == "user"
    has_turns = bool(case.messages) and not is_question
    first, *others = case.expected or (None,)
    plain = {
        **(_PLAIN_CHOICE if case.choices else _PLAIN),
        "id": case_id(case),
        "prompt": None if has_turns else case.messages[0][1] if is_question else "",
        "expected": [first, *others] if others else first,
        "metadata": case.metadata,
    }
    if has_turns:
        plain["messages"] = [{"role": role, "content": text} for role, text in case.messages]
    if case.choices:
        plain["choices"] = case.choices
    return plain


_PLAIN: Final = Case(id="case", prompt="").model_dump()
_PLAIN_CHOICE: Final = Case(id="case", prompt="", choices=("A",)).model_dump()


def case_id(case: ImportedCase) -> str:
    """Return the id of a case, cut to the length that is allowed."""
    return case.id[:LONGEST_ID] or "case"


def _question(case: ImportedCase, *, has_texts: bool) -> dict[str, Any]:
    if has_texts:
        return {}
    if len(case.messages) == 1 and case.messages[0][0] == "user":
        return {"prompt": case.messages[0][1]}
    if not case.messages:
        return {"prompt": ""}
    return {
        "messages": [
            Message.model_validate({"role": role, "content": text}) for role, text in case.messages
        ]
    }


def imported_case_of(case: Case) -> tuple[ImportedCase, dict[str, str]]:
    """Return a stored case in the neutral form, and its texts by prompt; undoes :func:`case_of`."""
    variables = dict(case.vars)
    texts = variables.pop(PROMPT_TEXTS, {})
    messages: tuple[tuple[str, str], ...] = tuple(
        (turn.role, turn.content) for turn in case.messages
    )
    if not messages and case.prompt:
        messages = (("user", case.prompt),)
    name = re.sub(r"~[0-9a-f]{6}$", "", case.id)
    made = ImportedCase(
        id=name,
        messages=messages,
        expected=case.expectations,
        choices=case.choices,
        vars=variables,
        category=case.category,
        group=case.group,
        metadata=case.metadata,
    )
    return made, texts
