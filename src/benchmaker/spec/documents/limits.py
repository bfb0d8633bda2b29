"""Limits on the size and complexity of input files."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Limits for untrusted files; sizes are in bytes.

    ``document_bytes`` bounds a whole YAML or JSON suite, ``array_bytes`` a JSON array of answers,
    ``data_bytes`` a decoded data file. A gzip file may expand by ``gzip_ratio`` at most, checked
    after ``gzip_grace_bytes``. ``aliases`` counts the uses of YAML anchors, ``values`` the values
    of a document with aliases expanded. ``findings`` is the number of faults listed; reading ends
    after ``faults`` of them. ``takes_datasets`` is False where no dataset may be downloaded.
    """

    document_bytes: int = 10 * 2**20
    array_bytes: int = 64 * 2**20
    data_bytes: int = 2**30
    line_bytes: int = 16 * 2**20
    gzip_ratio: int = 200
    gzip_grace_bytes: int = 10 * 2**20
    depth: int = 50
    aliases: int = 100
    values: int = 500_000
    lines: int = 20_000_000
    findings: int = 200
    faults: int = 10_000
    takes_datasets: bool = True
