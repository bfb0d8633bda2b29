"""Texts for XML, without the characters that it forbids."""

import re
from typing import Final
from xml.sax.saxutils import escape, quoteattr

FORBIDDEN: Final = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML 1.0 forbids, escaped ones included (W3C recommendation, section 2.2)."""


def xml_attribute(text: str) -> str:
    r"""Return a text as a quoted attribute.

    >>> print(xml_attribute('a < "b"\x00'))
    'a &lt; "b"�'
    """
    return quoteattr(FORBIDDEN.sub("�", text))


def xml_text(text: str) -> str:
    r"""Return a text as the content of an element.

    >>> print(xml_text('a < "b"\x00'))
    a &lt; "b"�
    """
    return escape(FORBIDDEN.sub("�", text))
