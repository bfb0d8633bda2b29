import ssl
import subprocess
import sys
from pathlib import Path

import pytest

from benchmaker.errors import SpecError
from benchmaker.providers.network import certificates

OWN = Path(__file__).parents[1].joinpath("certificates") / "cert.pem"


def test_the_certificates_that_the_environment_names_are_trusted():
    trusted = certificates.trust_context({"SSL_CERT_FILE": str(OWN)})
    assert trusted.verify_mode is ssl.CERT_REQUIRED
    assert trusted.check_hostname


def test_certificates_that_cant_be_read_are_named(tmp_path):
    with pytest.raises(SpecError, match=r"none\.pem"):
        certificates.trust_context({"SSL_CERT_FILE": str(tmp_path / "none.pem")})


def test_unread_certificates_are_those_of_contexts_made_inside_alone():
    with certificates.skip_default_certificates():
        inside = ssl.create_default_context()
    assert inside.verify_mode is ssl.CERT_REQUIRED
    assert inside.cert_store_stats()["x509"] == 0
    assert "set_default_verify_paths" not in vars(ssl.SSLContext)


def test_what_was_changed_is_changed_back_when_something_fails():
    with pytest.raises(ValueError, match="x"), certificates.skip_default_certificates():
        raise ValueError("x")
    assert "set_default_verify_paths" not in vars(ssl.SSLContext)


def test_aiohttps_own_contexts_trust_nobody():
    program = (
        "import benchmaker.providers.network.http\n"
        "from aiohttp import connector\n"
        "assert connector._SSL_CONTEXT_VERIFIED.cert_store_stats()['x509'] == 0\n"
        "import ssl\n"
        "assert connector._SSL_CONTEXT_VERIFIED.verify_mode is ssl.CERT_REQUIRED\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
