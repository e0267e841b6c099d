"""Record a reference implementation's vectors of twenty sentences in tests/reference_vectors.json.

Run once, in an environment of its own with torch, transformers, numpy and safetensors (nothing of this is
needed to run the tests), with the folder of all-MiniLM-L6-v2:

    python server/tools/record_vectors.py FOLDER
"""

from __future__ import annotations

import base64
import json
import sys
import tempfile
from importlib import import_module
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1] / "tests"
SENTENCES = (
    "The nightly build fails when the disk is full.",
    "Raise the lock timeout to thirty seconds before the sync starts.",
    "Where is the key of the staging server kept?",
    "Port 8443 is taken by the proxy; use 9443 for tests.",
    "A note",
    "x",
    "",
    "Never run the migration twice: the second run drops the new column.",
    "naïve café, Zürich, Ærøskøbing",
    "数据库连接超时",
    "`git rebase --onto main feature~3` moves the last three commits.",
    "ERROR: could not connect to server: Connection refused (ECONNREFUSED)",
    "parseTranscript() returns None for an empty file",
    "Who decided that the cache is cleared at midnight, and why?",
    "use_tabs = false; max_line_length = 110",
    "The same fact twice. The same fact twice. The same fact twice.",
    "!!! ??? ... ;;;",
    "Tests run in memory because the disk of the build machine is slow, and nobody minds when they are lost.",
    "word " * 300,
    "How do I find out which process holds the lock on a file?",
)


def main() -> None:
    """Write the vectors of the tests' tiny model, with both kinds of pooling, and of the given model."""
    sys.path.insert(0, str(TESTS))
    tiny_model = import_module("tiny_model")
    with tempfile.TemporaryDirectory() as scratch:
        tiny = tiny_model.make_tiny_model(Path(scratch) / "tiny")
        found = {
            "how": "tools/record_vectors.py: BertModel and BertTokenizerFast of transformers on torch,"
            " one text at a time, pooled, normalised; float16, base64",
            "versions": {name: import_module(name).__version__ for name in ("torch", "transformers")},
            "sentences": list(SENTENCES),
            "tiny_mean": _vectors(tiny, "mean", 64),
            "tiny_cls": _vectors(tiny, "cls", 64),
            "all_minilm_l6_v2": _vectors(Path(sys.argv[1]), "mean", 256),
        }
    (TESTS / "reference_vectors.json").write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n")


def _vectors(folder: Path, pooling: str, most: int) -> str:
    torch, transformers, numpy = map(import_module, ("torch", "transformers", "numpy"))
    model = transformers.BertModel.from_pretrained(folder, add_pooling_layer=False).eval()
    tokenizer = transformers.BertTokenizerFast.from_pretrained(folder)
    rows = []
    with torch.no_grad():
        for text in SENTENCES:
            tokens = tokenizer(text, truncation=True, max_length=most, return_tensors="pt")
            hidden = model(**tokens).last_hidden_state[0]
            row = hidden[0] if pooling == "cls" else hidden.mean(dim=0)
            rows.append((row / row.norm()).numpy())
    return base64.b64encode(numpy.stack(rows).astype("<f2").tobytes()).decode()


if __name__ == "__main__":
    main()
