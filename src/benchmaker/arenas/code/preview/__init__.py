"""Builds an offline page from an answer's code, and lists missing resources."""

from benchmaker.arenas.code.preview.assembling import VENDOR, assemble, page_files
from benchmaker.arenas.code.preview.bundle import BUNDLE_FLAGS, Bundle, Mapped, MissingAsset
from benchmaker.arenas.code.preview.policy import (
    HEADERS,
    SANDBOX,
    content_security_policy,
    preview_headers,
)
from benchmaker.arenas.code.preview.vendored import mapping_version, vendored_file

__all__ = [
    "BUNDLE_FLAGS",
    "HEADERS",
    "SANDBOX",
    "VENDOR",
    "Bundle",
    "Mapped",
    "MissingAsset",
    "assemble",
    "content_security_policy",
    "mapping_version",
    "page_files",
    "preview_headers",
    "vendored_file",
]
