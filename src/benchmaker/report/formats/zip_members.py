"""Members of zip archives without the time of writing: equal content makes equal bytes."""

import zipfile

_OWNERS = 0o600 << 16
"""The permissions that ``zipfile`` gives a member: read and write for the owner."""


def undated_member(packed: zipfile.ZipFile, name: str) -> zipfile.ZipInfo:
    """Return a new member with the compression of its archive.

    Its date is the first one that the format has, 1980-01-01.
    """
    info = zipfile.ZipInfo(name)
    info.compress_type = packed.compression
    info.external_attr = _OWNERS
    return info
