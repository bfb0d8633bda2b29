"""Runs the cells of a notebook as Jupyter does: in one event loop, showing the last expression."""

import ast
import asyncio
import contextlib
import inspect
import io
import json
import re
from pathlib import Path
from typing import Any

CHANGING = re.compile(r"\bs?-?\d{8}-[0-9a-z]{6,}\b|(?<=package_version=')[^']+")
"""Ids of runs, and the version of the package."""


def read(path: Path) -> dict[str, Any]:
    return json.loads(path.read_text(encoding="utf-8"))


def run_cells(notebook: dict[str, Any]) -> list[list[dict[str, Any]]]:
    """Return the outputs of each code cell, run in order in the working directory."""
    return asyncio.run(_run_cells(notebook))


async def _run_cells(notebook: dict[str, Any]) -> list[list[dict[str, Any]]]:
    names: dict[str, Any] = {"__name__": "__main__"}
    cells = [it for it in notebook["cells"] if it["cell_type"] == "code"]
    return [await _run(cell, number, names) for number, cell in enumerate(cells, start=1)]


async def _run(cell: dict[str, Any], number: int, names: dict[str, Any]) -> list[dict[str, Any]]:
    tree = ast.parse("".join(cell["source"]))
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    printed = io.StringIO()
    value = None
    with contextlib.redirect_stdout(printed):
        await _evaluate(tree, names)
        if last is not None:
            value = await _evaluate(ast.Expression(last.value), names)
    outputs = []
    if printed.getvalue():
        outputs.append(
            {"name": "stdout", "output_type": "stream", "text": lines(printed.getvalue())}
        )
    if value is not None:
        outputs.append(_shown(value, number))
    return outputs


async def _evaluate(tree: Any, names: dict[str, Any]) -> Any:
    """Run code in which ``await`` may stand outside functions."""
    mode = "eval" if isinstance(tree, ast.Expression) else "exec"
    code = compile(tree, "<cell>", mode, flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    value = eval(code, names)  # noqa: S307  the project's own notebook
    return await value if inspect.iscoroutine(value) else value


def _shown(value: Any, number: int) -> dict[str, Any]:
    data = {"text/plain": lines(repr(value))}
    if (draw := getattr(value, "_repr_html_", None)) is not None:
        data["text/html"] = lines(draw())
    return {
        "data": data, "execution_count": number, "metadata": {}, "output_type": "execute_result",
    }  # fmt: skip


def lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)


def masked(value: Any) -> Any:
    """The same with what differs from run to run replaced."""
    return json.loads(CHANGING.sub("…", json.dumps(value, ensure_ascii=False)))


def with_outputs(notebook: dict[str, Any], outputs: list[list[dict[str, Any]]]) -> str:
    """The notebook's file with these outputs."""
    left = iter(enumerate(outputs, start=1))
    cells = []
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            number, made = next(left)
            cells.append({**cell, "execution_count": number, "outputs": made})
        else:
            cells.append(cell)
    return json.dumps({**notebook, "cells": cells}, indent=1, ensure_ascii=False) + "\n"
