"""Excel workbooks for tests, made without Excel."""

import io
import zipfile
from html import escape

_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_KIND = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"


def a_workbook(**sheets):
    """The bytes of a workbook with these sheets, each a list of rows."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in _parts(sheets):
            archive.writestr(name, text)
    return stream.getvalue()


def _parts(sheets):
    part = f'<Override PartName="/xl/workbook.xml" ContentType="{_KIND}"/>'
    yield "[Content_Types].xml", f'<Types xmlns="{_PACKAGE}/content-types">{part}</Types>'
    yield "_rels/.rels", _links([("r1", f"{_OFFICE}/officeDocument", "xl/workbook.xml")])
    listed = "".join(
        f'<sheet name="{escape(name)}" sheetId="{at}" r:id="r{at}"/>'
        for at, name in enumerate(sheets, 1)
    )
    book = f'<workbook xmlns="{_MAIN}" xmlns:r="{_OFFICE}"><sheets>{listed}</sheets></workbook>'
    yield "xl/workbook.xml", book
    links = [(f"r{at}", f"{_OFFICE}/worksheet", f"worksheets/{at}.xml") for at in _counts(sheets)]
    yield "xl/_rels/workbook.xml.rels", _links(links)
    for at, rows in enumerate(sheets.values(), 1):
        body = "".join(f"<row>{''.join(map(_cell, row))}</row>" for row in rows)
        sheet = f'<worksheet xmlns="{_MAIN}"><sheetData>{body}</sheetData></worksheet>'
        yield f"xl/worksheets/{at}.xml", sheet


def _counts(sheets):
    return range(1, len(sheets) + 1)


def _links(links):
    listed = "".join(
        f'<Relationship Id="{name}" Type="{kind}" Target="{target}"/>'
        for name, kind, target in links
    )
    return f'<Relationships xmlns="{_PACKAGE}/relationships">{listed}</Relationships>'


def _cell(value):
    match value:
        case None:
            return "<c/>"
        case bool():
            return f'<c t="b"><v>{int(value)}</v></c>'
        case int() | float():
            return f"<c><v>{value!r}</v></c>"
        case _:
            return f'<c t="inlineStr"><is><t xml:space="preserve">{escape(value)}</t></is></c>'
