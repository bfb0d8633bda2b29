"""The checks in tests in JavaScript, as far as their text shows; nothing is run."""

import re
from bisect import bisect_left
from collections import Counter

_TOKEN = re.compile(
    r"//[^\n]*|/\*[\s\S]*?\*/"
    r'|"(?:\\.|[^"\\\n])*"' r"|'(?:\\.|[^'\\\n])*'" r"|`(?:\\[\s\S]|[^`\\])*`"
    r"|(?:(?<=[(,=:\[!&|?{};\n])|(?<=\breturn)|^)[ \t]*"
    r"/(?![*/])(?:\\.|\[(?:\\.|[^\]\\\n]){0,200}\]|[^/\\\n\[]){1,200}/"
)  # fmt: skip
"""Comments, texts and regular expressions."""

_LIBRARY = r"""["'](?:node:)?assert(?:/strict)?["']"""
_IMPORT = re.compile(
    rf"\bimport\s([^;\"'()]{{0,500}}?)\sfrom\s*{_LIBRARY}"
    rf"|\b(?:const|let|var)\s([^;\"'()]{{0,500}}?)=\s*require\(\s*{_LIBRARY}\s*\)"
)
_NO_CHECK = re.compile(r"\bconsole\s*\.\s*\w+")
_PRINT = re.compile(r"\bconsole\s*\.\s*\w+\s*\((?:[^()]|\((?:[^()]|\([^()]*+\))*+\))*+\)")
"""A call that prints, with two levels of parentheses in its arguments."""

_CHECK = (
    r"[\w$]*(?:assert|throw|expect|equal|fail|reject|should|match)[\w$]*|ok|exit|exitCode|abort"
)
_FUNCTION = re.compile(
    r"^[ \t]*(?:(?:async\s+)?function\s*\*?\s*([\w$]+)"
    r"|(?:const|let|var)\s+([\w$]+)\s*=\s*(?:async\s*)?"
    r"(?:function\b|(?:\([^()]*(?:\([^()]*\)[^()]*)*\)|[\w$]+)\s*(=>)\s*))",
    re.MULTILINE,
)
_SHORT = 60
_NOT_USED = "the result of the comparison is not used"
_STATEMENT = re.compile(
    r"(?:^|[;{}]|(?<=[;{}])\s*\n|(?<=\))\s*\n)\s*(?!(?:return|throw|if|while|for|switch|catch|function)\b)"
    r"((?:await\s+)?[\w$.]+)(?=\()"
)
"""A statement that begins with a call."""

_COMPARED = re.compile(r"\s*[!=]==?[^;{}\n&|?=]+?(?=\s*(?:;|\}|\n|$))(?!;?\s*(?:[&|?.)\],]|=))")
_ALONE = re.compile(r"(?<![\w$.])assert(?:\.ok)?\(([\w$]*|\s+)[,)]")
_REQUIRED = re.compile(
    r"\bimport\s[^;()]{0,500}?\sfrom\s*|\b(?:const|let|var)\s[^;()]{0,500}?=\s*require\(\s*\)"
)
_VALUE_AS_MESSAGE = re.compile(
    r"(?<![\w$.])assert(?:\.ok)?\((?:[^(),]|\((?:[^()]|\([^()]*\))*\))+,\s*"
    r"(?:-?\d[\w.]*|true|false|null|\[[^()]*\])\s*\)"
)
_OWN_CONSOLE = re.compile(r"\bconsole\s*\.\s*\w+\s*=(?!=)|\(\s*console\s*,")
_UNREACHED = (
    "the console of the tests does not reach the program, which runs in a process of its own."
)
_TEST = re.compile(r"(?<![\w$.])(?:test|it|describe|suite)(\.(?:skip|todo))?(?=\()")
_LEFT_OUT = re.compile(r"[{,]\s*(?:skip|todo)\s*:\s*(?:true\s*)?(?=[,}])")
"""Options by which a test is left out; their texts are blank."""

_BODY = re.compile(r"=>|\bfunction\b")
_WORD = re.compile(r"[\w$]+")
_CALLED = re.compile(r"\s*\(")
_CONTINUED = re.compile(r"(?:[(,=:?\[&|!>+]|\breturn|\bdefault|\bawait)\s*$")


def find_unchecked(source: str) -> str | None:
    """Return why tests check nothing; None if they may check something.

    >>> find_unchecked("test('adds', () => {});")
    'the tests check nothing; add an assertion.'
    """
    code = _blank(source)
    if not code.strip():
        return "there are no tests."
    if fault := _unused_comparison(code) or _always_true(source, code):
        return fault
    unused, rest = _without_unused(source, code)
    if _has_check(source, _without_skipped(rest)):
        return None
    if _has_check(source, rest):
        return "all tests are skipped or still to be done."
    if unused:
        name = next(reversed(unused))
        return f"{name} is defined but never called; add {name}(…) at the end."
    return "the tests check nothing; add an assertion."


def find_notes(source: str) -> list[str]:
    """Return a note on each function with checks that is never called, and on each odd message.

    >>> find_notes("assert(add(1, 2), 3);")
    ['line 1: the second argument of assert is a message; use assert.equal.']
    """
    code = _blank(source)
    unused, _ = _without_unused(source, code)
    return [
        *find_own_console(source),
        *(
            f"line {line}: {name} is never called, so its assertions do not run."
            for name, line in unused.items()
        ),
        *(
            f"line {_line(code, found.start())}: the second argument of assert is a message; "
            "use assert.equal."
            for found in _VALUE_AS_MESSAGE.finditer(code)
        ),
    ]


def find_own_console(source: str) -> list[str]:
    """Return a note if the tests replace the console, which is not that of the program.

    >>> len(find_own_console("console.log = print;"))
    1
    """
    code = _blank(source)
    found = _OWN_CONSOLE.search(code)
    return [f"line {_line(code, found.start())}: {_UNREACHED}"] if found else []


def _without_skipped(code: str) -> str:
    """The code without the tests and groups that are skipped, or still to be done, in any case."""
    for found in _TEST.finditer(code):
        end = _end_of_calls(code, found.end())
        call = code[found.start() : end]
        if found[1] or _LEFT_OUT.search(_head(call)):
            code = f"{code[: found.start()]}{_spaces(call)}{code[end:]}"
    return code


def _head(call: str) -> str:
    """The arguments before the function of a test."""
    return _BODY.split(call, maxsplit=1)[0]


def _has_check(source: str, code: str) -> bool:
    rest = _NO_CHECK.sub(" ", _PRINT.sub(" ", code))
    return bool(_checking(source).search(rest))


def _unused_comparison(code: str) -> str | None:
    """The first comparison of a call that is a statement of its own."""
    for found in _STATEMENT.finditer(code):
        compared = _COMPARED.match(code, _end_of_calls(code, found.end()))
        if compared is not None:
            text = " ".join(code[found.start(1) : compared.end()].split())
            written = f"assert({text})" if len(text) < _SHORT else "assert(…)"
            return f"line {_line(code, found.start(1))}: {_NOT_USED}: write {written}"
    return None


def _end_of_calls(code: str, start: int) -> int:
    """The end of the calls, attributes and items that follow a name."""
    at = start
    while at < len(code) and code[at] in "([.":
        if code[at] == ".":
            name = _WORD.match(code, at + 1)
            at = name.end() if name else len(code)
            continue
        depth = 0
        for end in range(at, len(code)):
            depth += (code[end] in "([{") - (code[end] in ")]}")
            if not depth:
                break
        at = end + 1
    return at


def _always_true(source: str, code: str) -> str | None:
    """The first assertion of a constant, of a text, or of the name of a function alone."""
    for found in _ALONE.finditer(code):
        name = found[1].strip()
        at = f"line {_line(code, found.start())}: "
        if not name and not source[found.start(1) : found.end(1)].strip():
            continue
        if not name or re.fullmatch(r"true|\d*[1-9]\d*", name):
            return f"{at}the assertion is always true; compare a result of the program."
        if _is_function(name, code):
            return f"{at}{name} alone is always true; call it: assert.equal({name}(…), …)"
    return None


def _is_function(name: str, code: str) -> bool:
    """True for a name that the tests only call, and assert."""
    word = rf"(?<![\w$.]){re.escape(name)}(?![\w$])"
    alone = _ALONE.sub(" ", _REQUIRED.sub(" ", code))
    calls = re.findall(rf"{word}\s*\(", alone)
    return len(calls) == len(re.findall(word, alone))


def _line(code: str, at: int) -> int:
    return code.count("\n", 0, at) + 1


def check_offsets(source: str) -> list[int]:
    """Return the places of the words that check something, in UTF-16 units from the start."""
    code = _NO_CHECK.sub(_blanks, _blank(source))
    wide = [at for at, sign in enumerate(source) if sign > "\uffff"]
    places = (found.start() for found in _checking(source).finditer(code))
    return [at + bisect_left(wide, at) for at in places]


def _checking(source: str) -> re.Pattern[str]:
    """The words that check something, those that the tests import from ``assert`` among them."""
    groups = (found[1] or found[2] for found in _IMPORT.finditer(source))
    names = {name for group in groups for name in _WORD.findall(group)} - {"as", "default"}
    own = "".join(f"|{re.escape(name)}" for name in sorted(names))
    return re.compile(rf"(?<![\w$])(?:(?i:{_CHECK}){own})(?![\w$])")


def _blank(source: str) -> str:
    """The source with spaces for comments, texts and imports of ``assert``."""
    return _TOKEN.sub(_blanks, _IMPORT.sub(_blanks, source))


def _blanks(found: re.Match[str]) -> str:
    return _spaces(found[0])


def _spaces(text: str) -> str:
    return "".join("\n" if sign == "\n" else " " for sign in text)


def _without_unused(source: str, code: str) -> tuple[dict[str, int], str]:
    """The lines of the functions with checks that are never used, and the code without them."""
    unused: dict[str, int] = {}
    counts, checking = Counter(_WORD.findall(source)), _checking(source)
    for found in _FUNCTION.finditer(code):
        own = found[1] or found[2] or ""
        is_removed = not code[found.start() : found.end()].strip()
        if counts[own] != 1 or is_removed or _CONTINUED.search(code[: found.start()].rstrip()[-9:]):
            continue
        end = _end_of(code, found.end(), is_arrow=bool(found[3]))
        if _CALLED.match(code, end):
            continue
        body = code[found.start() : end]
        if checking.search(body):
            unused[own] = _line(code, found.start())
        code = f"{code[: found.start()]}{_spaces(body)}{code[end:]}"
    return unused, code


def _end_of(code: str, start: int, *, is_arrow: bool) -> int:
    """The end of a function whose head ends at ``start``: its brace, or that of its expression."""
    depth, is_expression = 0, is_arrow and not code.startswith("{", start)
    for at in range(start, len(code)):
        depth += (code[at] in "([{") - (code[at] in ")]}")
        is_end = code[at] in ";\n" if is_expression else code[at] == "}"
        if depth <= 0 and is_end:
            return at + 1
    return len(code)
