"""``--fields``: the mapping of foreign answer files."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmaker.errors import SpecError

if TYPE_CHECKING:
    from benchmaker.spec import AnswerFields

_WIDE = "models"
_HINT = "Use NAME=PATH, such as output=answer.text or id={task}-{i}."


def answer_fields(pairs: Sequence[str], file: Path | None) -> "AnswerFields | None":
    """Return the mapping from a file and ``NAME=PATH`` pairs, which take precedence; or None.

    ``models.NAME=PATH`` is the path of model NAME's answer in a wide line.

    Raises:
        SpecError: an invalid pair or file, or an unknown field.
    """
    if not pairs and file is None:
        return None
    given = _read(file) if file else {}
    for pair in pairs:
        _add(given, pair)
    return _check(given, where=str(file) if file and not pairs else "--fields")


def _add(given: dict[str, Any], pair: str) -> None:
    name, equals, path = pair.partition("=")
    if not (name and equals and path):
        raise SpecError(f"{pair!r} is not a mapping.", where="--fields", hint=_HINT)
    if name.startswith(f"{_WIDE}."):
        models = given.get(_WIDE)
        given[_WIDE] = {**(models if isinstance(models, dict) else {}), name[7:]: path}
    else:
        given[name] = path


def _check(given: dict[str, Any], *, where: str) -> "AnswerFields":
    from pydantic import ValidationError

    from benchmaker.spec import AnswerFields
    from benchmaker.spec.documents.suggestions import did_you_mean

    known = list(AnswerFields.model_fields)
    for name in given:
        if name not in known:
            guess = did_you_mean(name, known) or f"Known: {', '.join(known)}."
            raise SpecError(f"unknown answer field {name!r}.", where=where, hint=guess)
    try:
        return AnswerFields.model_validate(given)
    except ValidationError as exc:
        first = exc.errors()[0]
        place = ".".join(map(str, first["loc"]))
        raise SpecError(f"{place}: {first['msg']}.", where=where, hint=_HINT) from exc


def _read(file: Path) -> dict[str, Any]:
    """The file's mapping, bounded like every file a person writes."""
    from benchmaker.spec.documents.files import open_regular
    from benchmaker.spec.documents.findings import Findings
    from benchmaker.spec.documents.limits import Limits
    from benchmaker.spec.documents.yaml import read_yaml

    limits, findings = Limits(), Findings()
    with open_regular(file, limits=limits, cap=limits.document_bytes) as stream:
        text = stream.read().decode("utf-8", "replace")
    found = read_yaml(text, str(file), limits=limits, findings=findings).data
    findings.raise_if_any()
    if not isinstance(found, dict):
        raise SpecError(
            "no mapping in the file.", where=str(file), hint="Use lines such as output: answer.text"
        )
    return dict(found)
