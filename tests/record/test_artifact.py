import msgspec

from benchmaker.record import ARTIFACT_FLAGS, Artifact, ArtifactKind, CodeFile


def test_an_artifact_survives_the_wire():
    file = CodeFile(path="a/b.js", language="js", text="1;", spans=((3, 5),))
    artifact = Artifact(kind=ArtifactKind.PARTS, files=(file,), flags=("wrapped",), sha256="00")

    assert msgspec.json.decode(msgspec.json.encode(artifact), type=Artifact) == artifact


def test_a_file_is_found_by_its_path():
    file = CodeFile(path="a.js", language="js", text="")
    artifact = Artifact(kind=ArtifactKind.PARTS, files=(file,))

    assert artifact.file("a.js") is file
    assert artifact.file("b.js") is None


def test_every_flag_says_what_it_means_in_a_sentence():
    assert list(ARTIFACT_FLAGS) == sorted(ARTIFACT_FLAGS)
    assert all(told.endswith(".") for told in ARTIFACT_FLAGS.values())
