"""Text without active Markdown."""

import re

_SIGNS = re.compile(r"[\\`*\[\]<>|~$#]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])|(?<=:)/|(?<=www)\.")


def escape_markdown(text: str) -> str:
    r"""Return text without active Markdown; mentions are broken by an invisible joiner.

    >>> escape_markdown("[x](y) <b> *a* my_name")
    '\\[x\\](y) \\<b\\> \\*a\\* my_name'
    """
    escaped = _SIGNS.sub(lambda sign: f"\\{sign[0]}", text.replace("&", "&amp;"))
    return escaped.replace("@", "&#64;&#8288;")
