"""Form bodies, limited in size before reading."""

from typing import Annotated

from fastapi import Depends, Request
from starlette.datastructures import UploadFile
from starlette.exceptions import HTTPException

from benchmaker.errors import SpecError

FORM_BYTES = 4_000_000
"""Maximum size of a form without files."""

UPLOAD_BYTES = 32_000_000
"""Maximum size of a form with a file."""

_FIELDS = 100
_REPEATED_FIELDS = 20_000


class Fields(dict[str, str]):
    """The texts of a form by field, with line feeds as line ends; missing ones are empty."""

    def __missing__(self, name: str) -> str:
        return ""


class FieldLists(dict[str, list[str]]):
    """The texts of a form with repeated fields, in their order; missing ones are empty."""

    def __missing__(self, name: str) -> list[str]:
        return []

    def first(self, name: str) -> str:
        """The first text of a field."""
        return next(iter(self[name]), "")


class Upload:
    """A form with one file: its texts, the file's name as the browser gave it, and its bytes."""

    def __init__(self, fields: Fields, name: str, body: bytes) -> None:
        self.fields = fields
        self.name = name
        self.body = body


async def _fields(request: Request) -> Fields:
    _refuse_above(request, FORM_BYTES)
    async with request.form(max_files=0, max_fields=_FIELDS) as form:
        return _texts(form.multi_items())


async def _field_lists(request: Request) -> FieldLists:
    _refuse_above(request, UPLOAD_BYTES)
    async with request.form(
        max_files=0, max_fields=_REPEATED_FIELDS, max_part_size=UPLOAD_BYTES
    ) as form:
        found = FieldLists()
        for name, value in form.multi_items():
            if isinstance(value, str):
                found.setdefault(name, []).append(as_sent(value))
        return found


async def _upload(request: Request) -> Upload:
    _refuse_above(request, UPLOAD_BYTES)
    async with request.form(max_files=1, max_fields=_FIELDS) as form:
        file = next((one for one in form.values() if isinstance(one, UploadFile)), None)
        if file is None or not file.filename:
            raise SpecError("no file was sent.", hint="Choose a file and submit the form again.")
        return Upload(_texts(form.multi_items()), file.filename, await file.read())


def _refuse_above(request: Request, most: int) -> None:
    """Refuse bodies that are too large, or without a declared length."""
    length = request.headers.get("content-length", "")
    if not length.isdecimal():
        raise HTTPException(411, "The request needs a Content-Length header.")
    if int(length) > most:
        raise HTTPException(413)


def as_sent(text: str) -> str:
    """Return a text with the line ends of forms."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def own_address(address: str) -> str:
    """An address of ours: a path, not another server's name; anything else leads home.

    >>> own_address("/runs?q=a"), own_address("//evil.example")
    ('/runs?q=a', '/')
    """
    is_path = address.startswith("/") and not address.startswith(("//", "/\\"))
    return address if is_path and address.isprintable() else "/"


def _texts(items: list[tuple[str, UploadFile | str]]) -> Fields:
    return Fields({name: as_sent(value) for name, value in items if isinstance(value, str)})


Posted = Annotated[Fields, Depends(_fields)]
"""The fields of a form, as an argument of a page."""

PostedLists = Annotated[FieldLists, Depends(_field_lists)]
"""The fields of a form with repeated fields, as an argument of a page."""

Uploaded = Annotated[Upload, Depends(_upload)]
"""A form with a file, as an argument of a page."""
