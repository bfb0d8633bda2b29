"""The result of a shell command, as reported by the tool ``run_shell_command``.

The call's status is "success" whenever the command could be started. After the command's output the
tool writes its own lines: ``Exit Code``, which newer releases omit for 0, then signal, background
processes and process group. See ``packages/core/src/tools/shell.ts`` of google-gemini/gemini-cli.
"""

import re
from typing import Final

import msgspec

from benchmaker.arenas.agentic.importers.gemini_cli.records import Call
from benchmaker.arenas.agentic.logs.decoding import DecodingError
from benchmaker.arenas.agentic.logs.lenient_json import Loose

_TOOL: Final = "run_shell_command"
_EXIT_CODE: Final = re.compile(
    r"\nExit Code: (-?[0-9]+)"
    r"(?:\n(?:Signal|Background PIDs|Process Group PGID): [^\n]*)*"
    r"(?:\n</untrusted_context>)?\s*\Z"
)


class _Response(msgspec.Struct):
    output: str | None = None


class _FunctionResponse(msgspec.Struct):
    response: _Response | None = None


class _Part(msgspec.Struct, rename="camel"):
    function_response: _FunctionResponse | None = None


_RESULTS = Loose(list[_Part])


def exit_code_of(call: Call) -> int | None:
    """The exit code of a shell command; None of other tools, and where none is written."""
    if call.name != _TOOL:
        return None
    try:
        parts, _ = _RESULTS.decode(call.result)
    except DecodingError:
        return None
    found = _EXIT_CODE.search("".join(_outputs(parts)))
    return int(found[1]) if found else None


def _outputs(parts: list[_Part]) -> list[str]:
    responses = (part.function_response for part in parts)
    texts = (one.response for one in responses if one)
    return [one.output for one in texts if one and one.output]
