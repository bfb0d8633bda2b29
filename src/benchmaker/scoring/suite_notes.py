"""Notes on a suite that are no faults."""

import re
from collections.abc import Iterator
from itertools import chain

from benchmaker.errors import Finding
from benchmaker.scoring.check import SuiteCheck, ValuePlace
from benchmaker.scoring.examination import case_notes, ineffective_parameters, may_note
from benchmaker.scoring.tool_check_faults import tool_check_notes
from benchmaker.spec import Family, Suite
from benchmaker.spec import profile as named_profile
from benchmaker.spec.documents.findings import Findings
from benchmaker.spec.suites.case_file import CaseFile
from benchmaker.spec.suites.located_cases import locate_cases

_SEPARATOR = "---"
_ONE_PROMPT_A_FILE = "If it separates prompts, as in promptfoo, move each to its own file."
_VARIABLE = re.compile(r"\{\{\s*\w+\s*\}\}")


def notes_on(suite: Suite) -> list[Finding]:
    """Return notes that are not faults.

    They name columns of other names, parameters without effect, separators in prompt files,
    variables that are not filled in, what scorers note on the cases, and checks of tool calls that
    every answer passes.
    """
    notes = (
        _notes_on_columns(suite),
        _notes_on_parameters(suite),
        _notes_on_separators(suite),
        _notes_on_braces(suite),
        _notes_of_scorers(suite),
        _notes_on_tool_checks(suite),
    )
    return sorted(chain.from_iterable(notes))


def _notes_on_separators(suite: Suite) -> Iterator[Finding]:
    """The lines of prompt files that separate prompts in files of promptfoo, and not here."""
    places = suite.places
    if places is None:
        return
    for index, prompt in enumerate(suite.prompts):
        file = places.locate(("prompts", index)).file
        if file == places.file or prompt.prompt is None:
            continue
        for number, line in enumerate(prompt.prompt.split("\n"), start=1):
            if line.strip() == _SEPARATOR:
                message = f"the line {_SEPARATOR!r} is part of the prompt."
                yield Finding(file, number, 1, message, _ONE_PROMPT_A_FILE)


def _notes_on_braces(suite: Suite) -> Iterator[Finding]:
    """The first prompt with a variable in a case without any, which is sent with its braces."""
    check = SuiteCheck(suite, Findings())
    for case, at in locate_cases(suite.cases, check.places):
        found = None if case.rendered else _VARIABLE.search(case.prompt or "")
        if found:
            message = f"{found[0]} is sent as it is, since case {case.id!r} has no vars."
            hint = "Add vars to the case or to the suite."
            check.add(at.locate(("prompt",)), message, hint)
            yield from check.findings.items
            return


def _notes_on_columns(suite: Suite) -> Iterator[Finding]:
    """The fields that columns of other names were read as."""
    if isinstance(suite.cases, CaseFile):
        renamed = suite.cases.mapper.renamed
        for column, name in renamed.items():
            message = f"column {column!r} is read as {name!r}."
            yield Finding(suite.cases.source.place, 0, 0, message)


def _notes_on_parameters(suite: Suite) -> list[Finding]:
    """The parameters that the classic family, or an earlier version of a profile, ignores."""
    check = SuiteCheck(suite, Findings())
    profile = check.profile()
    if profile.family is Family.CLASSIC:
        names, place = "robust_only", "except under profile robust"
    elif profile == named_profile(profile.family):
        return []
    else:
        names, place = "without_effect", f"under profile {profile.id}"
    for case, at in locate_cases(suite.cases, check.places):
        spec, spot = check.find_scorer(case, at)
        if spec is None:
            continue
        for path in ineffective_parameters(check.examine(spec), spec, names):
            location, inside = spot.resolve(path)
            check.add(location.locate(inside), f"{path[-1]} has no effect {place}.")
    return check.findings.items


def _notes_of_scorers(suite: Suite) -> list[Finding]:
    """What the scorers of the cases note on them."""
    check = SuiteCheck(suite, Findings())
    named = suite.named_scorers.values()
    if named and not any(may_note(spec, check.profile()) for spec in named):
        return []
    for case, at in locate_cases(suite.cases, check.places):
        spec, spot = check.find_scorer(case, at) if check.can_be_rendered(case) else (None, None)
        if spec is None or spot is None:
            continue
        for path, message in case_notes(check.examine(spec), case):
            expected = ValuePlace(at, ("expected",), case)
            named_at, inside = spot.resolve(path) if path else (expected, ())
            place = named_at.locate(inside)
            check.add(place, named_at.word_message(place, message))
    return check.findings.items


def _notes_on_tool_checks(suite: Suite) -> list[Finding]:
    """The checks of tool calls and steps that no answer can fail, or that few can pass."""
    check = SuiteCheck(suite, Findings())
    for case, at in locate_cases(suite.cases, check.places) if suite.tools else ():
        spec, spot = check.find_scorer(case, at) if check.can_be_rendered(case) else (None, None)
        if spec is None or spot is None:
            continue
        for note in tool_check_notes(check.examine(spec), suite, case):
            named, inside = spot.resolve(note.path)
            place = named.locate(inside)
            check.add(place, named.word_message(place, note.message), note.hint)
    return check.findings.items
