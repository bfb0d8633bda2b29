"""The pages of a run as files in a zip: each opens offline."""

import re
import zipfile
from collections.abc import Iterable
from pathlib import PurePosixPath
from typing import BinaryIO

from benchmaker.arenas.code.generated_pages import GatheredPage, bundle_beside
from benchmaker.arenas.code.preview import Bundle, vendored_file
from benchmaker.arenas.code.preview.vendored import address
from benchmaker.report.formats.zip_members import undated_member

_STEP = "../../../v/"
_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")
_LONGEST = 60
_README = """\
Pages written by models, one folder for each prompt and model.

answer.txt is the answer as it came; page/index.html is its page with the files beside it; v/ holds
the libraries that pages ask for. Pages are untrusted: open them in a browser profile that holds
nothing of yours, or look at them in the workbench, which keeps them apart.
"""


def write_pages_zip(pages: Iterable[GatheredPage], stream: BinaryIO) -> int:
    """Write every answer and its page; return the number of pages.

    Names of folders consist of letters, digits, dots and hyphens, and begin with numbers.

    Args:
        pages: the pages, read once.
        stream: bytes; it must be seekable.
    """
    count, shipped = 0, set[str]()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr(undated_member(packed, "README.txt"), _README)
        for page in pages:
            folder = _folder(page)
            packed.writestr(
                undated_member(packed, f"{folder}/answer.txt"), page.text.encode("utf-8", "replace")
            )
            found = bundle_beside(page, _STEP)
            if found is not None:
                count += 1
                shipped.update(found.vendored)
                _write_page(packed, f"{folder}/page", found)
        for name in sorted(shipped):
            packed.writestr(undated_member(packed, address(name, "v/")), vendored_file(name)[1])
    return count


def _write_page(packed: zipfile.ZipFile, folder: str, found: Bundle) -> None:
    packed.writestr(
        undated_member(packed, f"{folder}/index.html"), found.document.encode("utf-8", "replace")
    )
    for path, (_, body) in found.files.items():
        if _stays_inside(path):
            packed.writestr(undated_member(packed, f"{folder}/{path}"), body)


def _folder(page: GatheredPage) -> str:
    prompt = f"{page.number:03}-{_safe_name(page.case.id)}"
    return f"{prompt}/{page.rank + 1:02}-{_safe_name(page.model)}"


def _safe_name(name: str) -> str:
    return _UNSAFE.sub("-", name).strip(".-")[:_LONGEST] or "unnamed"


def _stays_inside(path: str) -> bool:
    parts = PurePosixPath(path).parts
    return bool(parts) and not path.startswith("/") and ".." not in parts and "\\" not in path
