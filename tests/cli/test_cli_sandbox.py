"""``benchmaker sandbox``."""


class TestBehindTheWalls:
    def test_a_command_runs_on_a_copy_and_its_status_is_passed_on(self, cli, tmp_path):
        (tmp_path / "a").write_text("1")
        code = "cat a; echo 2 > a; exit 5"
        said = cli("sandbox", "exec", "--work", tmp_path, "--", "sh", "-c", code, code=5)
        assert said.stdout == "1"
        assert (tmp_path / "a").read_text() == "1"

    def test_a_limit_is_named(self, cli):
        said = cli("sandbox", "exec", "--timeout", "0.3", "--", "sleep", "9", code=124)
        assert "timeout" in said.stderr

    def test_json_says_all_of_it(self, cli):
        data = cli("sandbox", "exec", "--json", "--", "echo", "hello").data
        assert data["stdout"] == "hello\n"
        assert (data["reason"], data["isolation"]) == ("exited", "namespace")

    def test_a_program_that_is_not_there_is_a_prerequisite(self, cli):
        assert "not_started" in cli("sandbox", "exec", "--", "no-such-program", code=3).stderr

    def test_every_wall_holds(self, cli):
        assert "all checks passed" in cli("sandbox", "check").stdout


def test_without_bubblewrap_nothing_runs(cli, monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    said = cli("sandbox", "exec", "--", "/bin/echo", "hello", code=3)
    assert "hello" not in said.stdout
    assert "apt-get install bubblewrap" in said.stderr


def test_a_process_needs_the_risk_said(cli):
    said = cli("sandbox", "exec", "--isolation", "process", "--", "/bin/echo", "x", code=2)
    assert "--unsafe-local" in said.stderr


def test_the_risk_is_named(cli, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", "/tmp")  # noqa: S108  others reach it
    words = ("--unsafe-local", "--isolation", "process", "--", "/bin/echo", "x")
    said = cli("sandbox", "exec", *words)
    assert said.stdout == "x\n"
    assert "can read your files" in said.stderr


def test_no_command_is_refused(cli):
    assert "no command" in cli("sandbox", "exec", code=2).stderr
