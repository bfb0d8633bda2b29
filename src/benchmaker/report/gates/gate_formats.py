"""A gate against a baseline as text, Markdown, JUnit XML and workflow commands."""

import re
from collections.abc import Mapping, Sequence

from benchmaker.analysis.gates.gate_results import (
    BaselineGate,
    CaseChange,
    GatedModel,
    UnscoredModel,
)
from benchmaker.analysis.summary.decisions import GateVerdict
from benchmaker.record.counts import count
from benchmaker.report.formats.xml_text import xml_attribute, xml_text
from benchmaker.report.gates.gate_sentences import (
    changed_sentence,
    facts,
    gate_headline,
    gate_sentences,
    model_sentence,
    unscored_sentence,
    what_decides,
)
from benchmaker.report.result_tables.gated_models import GATED_MODELS
from benchmaker.report.sentences.sentence import capitalise
from benchmaker.report.tables.declaration import Surface
from benchmaker.report.tables.markdown_escaping import escape_markdown
from benchmaker.report.tables.table import bullets, omission_note, wrap_paragraphs
from benchmaker.report.tables.width import WIDTH, wrap_whole
from benchmaker.spec.documents.source_map import SourceLocation

SHOWN = 10
"""Changed cases that text and Markdown list."""

ANNOTATED = 50
"""Dropped cases with an annotation."""

_TAGS = {GateVerdict.FAILED: "failure", GateVerdict.UNDECIDED: "error"}
_COMMANDS = {
    GateVerdict.PASSED: "notice",
    GateVerdict.FAILED: "error",
    GateVerdict.UNDECIDED: "warning",
}


def gate_text(made: BaselineGate, *, width: int = WIDTH, where: str = "") -> str:
    """The verdict, the models, the changed cases, and what would decide.

    ``where`` says after the number of changed cases that are not listed where they are.
    """
    return "\n".join(
        part
        for part in (
            wrap_paragraphs(_capitalise_sentences(made), width),
            _table_text(made, width),
            _changes(made, width, where),
            wrap_paragraphs([*what_decides(made), *made.notes, facts(made)], width),
        )
        if part
    )


def _capitalise_sentences(made: BaselineGate) -> list[str]:
    names = [one.model for one in made.models] + [one.model for one in made.unscored_models]
    return [capitalise(one, names) for one in gate_sentences(made)]


def _table_text(made: BaselineGate, width: int) -> str:
    """The table of models; nothing if none has a score."""
    if not made.models:
        return ""
    table = GATED_MODELS.table(made)
    return table.grid_text(width=width) + wrap_paragraphs([omission_note([table], width)], width)


def gate_markdown(made: BaselineGate) -> str:
    """The same for the comment of a pull request, which a hidden first line identifies."""
    listed = [changed_sentence(one, made) for one in made.changed[:SHOWN]]
    changes = ""
    if made.changed:
        title = f"{_number_changed(made)}, the worst drops first"
        changes = (
            f"<details><summary>{escape_markdown(title)}</summary>\n\n"
            f"{bullets([*listed, _not_listed(made)])}\n</details>\n"
        )
    first, *others = _capitalise_sentences(made)
    parts = (
        f"{comment_marker(made)}\n**{escape_markdown(first)}**\n",
        bullets(others),
        GATED_MODELS.table(made, Surface.MARKDOWN).markdown() if made.models else "",
        changes,
        bullets([*what_decides(made), *made.notes, facts(made)]),
    )
    return "\n".join(part for part in parts if part)


def comment_marker(made: BaselineGate) -> str:
    """The hidden line by which a later gate finds the comment of an earlier one."""
    shown = re.sub("-(?=-)", "- ", made.suite.replace(">", ""))
    return f"<!-- benchmaker gate: {shown} -->"


def _number_changed(made: BaselineGate) -> str:
    dropped = sum(one.diff < 0 for one in made.changed)
    changed = count(len(made.changed), "changed score")
    return f"{changed}: {dropped:,} dropped, {_count_gains(made):,} gained"


def _count_gains(made: BaselineGate) -> int:
    return sum(one.diff > 0 for one in made.changed)


def _changes(made: BaselineGate, width: int, where: str) -> str:
    if not made.changed:
        return ""
    listed = [changed_sentence(one, made) for one in made.changed[:SHOWN]]
    lines = [
        line
        for text in (*listed, _not_listed(made, where))
        if text
        for line in wrap_whole(f"- {text}", width, subsequent_indent="  ")
    ]
    return "\n".join([f"{_number_changed(made)}.", *lines, ""])


def _not_listed(made: BaselineGate, where: str = "") -> str:
    more = len(made.changed) - SHOWN
    return f"{more:,} more{where}" if more > 0 else ""


def gate_junit(made: BaselineGate) -> str:
    """A testsuite for each model: a testcase for its gate, and one for each dropped case.

    The gate alone fails, or is an error where it is undecided; dropped cases of a model that fails
    are failures, too, and skipped otherwise. A model without a score is an error. The output of a
    gate's testcase holds the notes, such as the numbers of missing cases.
    """
    suites = "".join(_junit_suite(one, made) for one in made.models)
    suites += "".join(_unscored_suite(one, made) for one in made.unscored_models)
    head = f"<testsuites name={xml_attribute(made.suite)}>"
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{head}\n{suites}</testsuites>\n'


def _unscored_suite(one: UnscoredModel, made: BaselineGate) -> str:
    classname = xml_attribute(f"{made.suite}.{one.model}")
    error = f'<error message={xml_attribute(unscored_sentence(one))} type="gate"/>'
    return (
        f'<testsuite name={xml_attribute(one.model)} tests="1" failures="0" errors="1" '
        f'skipped="0">\n<testcase name="gate" classname={classname}>{error}{_junit_notes(made)}'
        "</testcase>\n</testsuite>\n"
    )


def _junit_notes(made: BaselineGate) -> str:
    if not made.notes:
        return ""
    return f"<system-out>{xml_text(chr(10).join(made.notes))}</system-out>"


def _junit_suite(one: GatedModel, made: BaselineGate) -> str:
    dropped = [it for it in made.changed if it.model == one.model and it.diff < 0]
    fails = one.is_sure_drop
    tag = _TAGS.get(GateVerdict.FAILED if fails else _open_verdict(one))
    body = f'<{tag} message={xml_attribute(model_sentence(one, made))} type="gate"/>' if tag else ""
    classname = xml_attribute(f"{made.suite}.{one.model}")
    cases = [f'<testcase name="gate" classname={classname}>{body}{_junit_notes(made)}</testcase>\n']
    cases += [_junit_case(it, made, classname, fails=fails) for it in dropped]
    failures = (1 + len(dropped)) if fails else 0
    errors = int(tag == "error")
    skipped = 0 if fails else len(dropped)
    return (
        f'<testsuite name={xml_attribute(one.model)} tests="{len(cases)}" '
        f'failures="{failures}" errors="{errors}" skipped="{skipped}">\n'
        f"{''.join(cases)}</testsuite>\n"
    )


def _open_verdict(one: GatedModel) -> GateVerdict:
    """Undecided also for a model that fails only without adjustment."""
    return one.verdict if one.verdict is GateVerdict.PASSED else GateVerdict.UNDECIDED


def _junit_case(one: CaseChange, made: BaselineGate, classname: str, *, fails: bool) -> str:
    message = xml_attribute(changed_sentence(one, made))
    element = (
        f'<failure message={message} type="dropped"/>' if fails else f"<skipped message={message}/>"
    )
    return (
        f"<testcase name={xml_attribute(one.case_id)} classname={classname}>{element}</testcase>\n"
    )


def gate_annotations(
    made: BaselineGate, places: Mapping[str, SourceLocation], *, file: str = ""
) -> str:
    """Workflow commands of GitHub: the verdict, dropped cases at their lines, and the notes.

    Args:
        made: the gate.
        places: the lines of the cases, by id; cases without one have no line.
        file: the suite's file, relative to the root of the repository; empty if unknown.
    """
    verdict = made.verdict
    lines = [_command(_COMMANDS[verdict], gate_headline(made), file=file, title="Benchmaker gate")]
    kind = "error" if verdict is GateVerdict.FAILED else "warning"
    dropped = [one for one in made.changed if one.diff < 0]
    for one in dropped[:ANNOTATED]:
        place = places.get(one.case_id)
        lines.append(
            _command(
                kind,
                changed_sentence(one, made),
                file=place.file if place else file,
                line=place.line if place else 0,
                title=f"{one.case_id} dropped",
            )
        )
    lines += [_command("notice", note, file=file, title="Benchmaker gate") for note in made.notes]
    return "".join(f"{line}\n" for line in lines)


def _command(kind: str, message: str, *, file: str = "", line: int = 0, title: str = "") -> str:
    given: Sequence[tuple[str, str]] = (
        ("file", file),
        ("line", str(line) if line and file else ""),
        ("title", title),
    )
    properties = ",".join(f"{name}={_escape_property(value)}" for name, value in given if value)
    return f"::{kind} {properties}::{_escape(message)}"


def _escape(text: str) -> str:
    """Text as the data of a workflow command."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _escape_property(text: str) -> str:
    return _escape(text).replace(":", "%3A").replace(",", "%2C")
