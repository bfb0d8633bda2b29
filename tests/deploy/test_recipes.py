"""The recipes agree with the code; no engine is needed to see that."""

import re
import subprocess
import sys
from importlib import import_module

import click
import pytest

from benchmaker.cli.main import main
from tests.deploy.recipes import (
    CONTAINERFILE,
    DEPLOY,
    FILES,
    MANIFESTS,
    OWN_IMAGE,
    ROOT,
    calls,
    checks,
    compose,
    containers,
    instructions,
    last,
    pods,
    read,
)
from tests.web.serving import serving

PORT = "8600"
SECRET = re.compile(
    r"(?i)\b(?:password|token|api[_-]?key|secret)\b\s*[:=]\s*[\"']?[A-Za-z0-9+/_-]{12,}"
)
ADDRESS = re.compile(r"https?://([^/\s\"'`]+)")
OURS = ("serve", "worker", "db")


@pytest.mark.parametrize("words", list(calls()), ids=" ".join)
def test_every_command_exists_with_its_options(words):
    group: click.Command = main
    context = click.Context(main)
    while isinstance(group, click.Group):
        found = group.get_command(context, words[0])
        assert found is not None, words
        group, words = found, words[1:]
    known = {name for one in group.params for name in one.opts}
    assert {word for word in words if word.startswith("--")} <= known


def test_the_image_starts_the_server():
    assert last("ENTRYPOINT") == '["start"]'
    assert {words[0] for words in calls()} >= set(OURS)


def test_one_port_is_named_everywhere():
    listening = [words[words.index("--port") + 1] for words in calls() if "--port" in words]
    asked = [re.findall(r"'127\.0\.0\.1', (\d+)", " ".join(check)) for check in checks()]

    assert set(listening) == {PORT}
    assert len(asked) == 5
    assert {port for found in asked for port in found} == {PORT}
    default = {one.name: one.default for one in command("serve").params}["port"]
    assert str(default) == PORT


def command(name):
    return import_module(f"benchmaker.cli.commands.{name}").command


@pytest.mark.parametrize("answers", [True, False])
def test_every_health_check_runs_and_tells_well_from_ill(tmp_path, answers):
    with serving(tmp_path, works=False) as address:
        port = address.rpartition(":")[2] if answers else "9"
        for check in checks():
            assert check[:2] == ["python", "-c"]
            code = check[2].replace(PORT, port)
            done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
            assert (done.returncode == 0) is answers, check


def test_no_recipe_serves_beyond_loopback():
    for words in calls():
        assert "--host" not in words
    for service in compose()["services"].values():
        assert all(port.startswith("127.0.0.1:") for port in service.get("ports", ()))
        is_ours = service["image"] == OWN_IMAGE
        assert (service.get("network_mode") == "host") is is_ours
    kinds = {one["kind"] for path in MANIFESTS for one in read(path)}
    assert not kinds & {"Service", "Ingress", "Gateway", "HTTPRoute"}


def test_nothing_runs_as_root_or_writes_its_own_root():
    assert last("USER") == "10001:10001"
    for service in compose()["services"].values():
        if service["image"] == OWN_IMAGE:
            assert service["read_only"] is True
            assert service["cap_drop"] == ["ALL"]
            assert service["security_opt"] == ["no-new-privileges:true"]
            assert service["tmpfs"] == ["/tmp"]  # noqa: S108  of the container
    for pod in pods():
        assert pod["spec"]["securityContext"]["runAsNonRoot"] is True
        assert pod["spec"]["securityContext"]["runAsUser"] == 10001
        assert pod["spec"]["automountServiceAccountToken"] is False
    for one in containers():
        assert one["securityContext"]["readOnlyRootFilesystem"] is True
        assert one["securityContext"]["allowPrivilegeEscalation"] is False
        assert one["securityContext"]["capabilities"] == {"drop": ["ALL"]}
        assert {mount["mountPath"] for mount in one["volumeMounts"]} == {"/data", "/tmp"}  # noqa: S108


def test_there_is_time_to_stop():
    for service in compose()["services"].values():
        assert int(service["stop_grace_period"].removesuffix("s")) >= 30
    for pod in pods():
        if pod["spec"].get("restartPolicy") != "Never":
            assert pod["spec"]["terminationGracePeriodSeconds"] >= 30


def test_volumes_and_secrets_that_are_used_are_declared():
    it = compose()
    for service in it["services"].values():
        for volume in service.get("volumes", ()):
            assert volume.partition(":")[0] in it["volumes"]
        assert set(service.get("secrets", ())) <= set(it["secrets"])
        for value in service.get("environment", {}).values():
            if value.startswith("/run/secrets/"):
                assert value.rpartition("/")[2] in service["secrets"]
    ignored = (DEPLOY / ".gitignore").read_text(encoding="utf-8").split()
    assert ignored == ["secrets/"]
    assert {one["file"].partition("/")[0] for one in it["secrets"].values()} == {"secrets"}
    for pod in pods():
        declared = {one["name"] for one in pod["spec"]["volumes"]}
        used = {m["name"] for one in pod["spec"]["containers"] for m in one["volumeMounts"]}
        assert used == declared


def test_the_server_waits_for_its_database():
    services = compose()["services"]
    for service in services.values():
        if service["image"] == OWN_IMAGE:
            assert service["depends_on"] == {"database": {"condition": "service_healthy"}}
    assert services["database"]["healthcheck"]["test"][1] == "pg_isready"


def test_selectors_find_their_pods():
    for path in MANIFESTS:
        for one in read(path):
            if one["kind"] == "Deployment":
                wanted = one["spec"]["selector"]["matchLabels"]
                assert wanted.items() <= one["spec"]["template"]["metadata"]["labels"].items()


def test_there_is_one_place_for_the_server_s_data():
    (server,) = [one for path in MANIFESTS for one in read(path) if one["kind"] == "Deployment"
                 and one["metadata"]["name"] == "benchmaker-server"]  # fmt: skip
    assert (server["spec"]["replicas"], server["spec"]["strategy"]) == (1, {"type": "Recreate"})


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_no_file_holds_a_secret_or_an_address_of_somebody_else(path):
    text = path.read_text(encoding="utf-8")

    assert not SECRET.search(text)
    assert {found.partition(":")[0] for found in ADDRESS.findall(text)} <= {"127.0.0.1"}
    assert not re.search(r"index-url|find-links|trusted-host|--proxy", text)


def test_what_the_image_copies_is_there_and_not_left_out():
    kept = (ROOT / ".dockerignore").read_text(encoding="utf-8").split()
    assert kept[0] == "*"
    for name, words in instructions():
        if name != "COPY" or "--from" in words:
            continue
        sources = [word for word in words.split()[:-1] if not word.startswith("--")]
        for source in sources:
            assert (ROOT / source).exists(), source
            assert f"!{source}" in kept, source


def test_packages_are_installed_by_their_hashes_alone():
    text = " ".join(words for name, words in instructions() if name == "RUN")
    for call in re.findall(r"pip install ([^&]+)", text):
        assert "--require-hashes" in call or "--no-index" in call
    assert "curl" not in text
    assert "wget" not in text
    assert "ADD" not in {name for name, _ in instructions()}
    assert CONTAINERFILE.read_text(encoding="utf-8").isascii()


def start(tmp_path, *words, **variables):
    (tmp_path / "bin").mkdir(exist_ok=True)
    told = tmp_path / "bin" / "benchmaker"
    told.write_text(
        '#!/bin/sh\necho "$*|$BENCHMAKER_STORE|${OPENAI_API_KEY-unset}|${SSL_CERT-unset}"\n'
        'echo "$BENCHMAKER_OIDC_CLIENT_SECRET" >&2\n'
    )
    told.chmod(0o755)
    path = {"PATH": f"{tmp_path / 'bin'}:/usr/bin:/bin"}
    command = ["sh", str(DEPLOY / "start.sh"), *words]
    return subprocess.run(
        command, env=path | variables, capture_output=True, text=True, check=False
    )


def test_secrets_in_files_become_variables_as_they_are(tmp_path):
    (tmp_path / "url").write_text("postgresql://a:$(id)`id`;x@h/d\n")
    (tmp_path / "key").write_text("k\"e'y")
    done = start(
        tmp_path,
        *("serve", "--port", "1 2"),
        BENCHMAKER_STORE_FILE=str(tmp_path / "url"),
        OPENAI_API_KEY_FILE=str(tmp_path / "key"),
        BENCHMAKER_OIDC_CLIENT_SECRET_FILE=str(tmp_path / "key"),
        SSL_CERT_FILE=str(tmp_path / "key"),
    )

    assert done.stderr == "k\"e'y\n"
    assert done.stdout == "serve --port 1 2|postgresql://a:$(id)`id`;x@h/d|k\"e'y|unset\n"


def test_a_secret_that_is_missing_is_named(tmp_path):
    done = start(tmp_path, "serve", BENCHMAKER_STORE_FILE=str(tmp_path / "nothing"))

    assert done.returncode == 3
    assert "BENCHMAKER_STORE_FILE names a file" in done.stderr
