"""A table or data as a file."""

import io
from collections.abc import Callable
from typing import Any, TextIO

import msgspec
from fastapi import Response


def csv_answer(write: Callable[[TextIO], None], name: str) -> Response:
    """Return the output of ``write`` as a CSV download."""
    stream = io.StringIO(newline="")
    write(stream)
    headers = {"content-disposition": f'attachment; filename="{name}.csv"'}
    return Response(stream.getvalue(), media_type="text/csv; charset=utf-8", headers=headers)


def json_answer(data: Any) -> Response:  # noqa: ANN401  any plain data
    """Plain data."""
    return Response(msgspec.json.encode(data), media_type="application/json")
