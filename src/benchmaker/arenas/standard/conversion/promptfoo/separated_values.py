"""Lists of texts in one text, separated by commas, as promptfoo reads them."""

import re

from benchmaker.arenas.standard.conversion.draft_suite import NotTranslated

_FIELD = re.compile(r'[\s,]*(?:"((?:\\["\\]|""|[^"])*)"\s*(?=,|$)|([^,"][^,]*))')


def split_values(text: str) -> list[str]:
    r"""Return the texts between commas; a text in quotes may hold commas.

    Source: parseCommaSeparatedValues in src/assertions/contains.ts of promptfoo 0.121.20.

    Raises:
        NotTranslated: a quotation mark is not closed.

    >>> split_values('a, "b, c" , "d""e"')
    ['a', 'b, c', 'd"e']
    """
    found: list[str] = []
    place = 0
    while text[place:].strip(" \t\r\n,"):
        one = _FIELD.match(text, place)
        if one is None:
            raise NotTranslated("a quotation mark of the list is not closed")
        quoted, plain = one.groups()
        found.append(
            plain.strip() if quoted is None else re.sub(r'\\(["\\])|"(")', r"\1\2", quoted)
        )
        place = one.end()
    return found
