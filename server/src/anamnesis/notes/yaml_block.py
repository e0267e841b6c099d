"""Front matter through PyYAML, for what the fast reader and writer in `frontmatter` do not cover."""

from __future__ import annotations

from collections.abc import Mapping
from io import StringIO

import yaml

from anamnesis.errors import NoteFormatError

_ODD_BREAKS = ("\x85", "\u2028", "\u2029")


def read(front: str) -> tuple[dict[str, str | list[str] | None], dict[str, str]]:
    """The values of a front-matter block, and the raw text of each key."""
    try:
        root = yaml.compose(front, Loader=yaml.SafeLoader)
        if not isinstance(root, yaml.MappingNode):
            raise NoteFormatError(
                "front matter is not a list of keys; write `id:`, `type:` and `title:` lines"
            )
        pairs = {_name(root.tag, key): (key, value) for key, value in root.value}
        values = {name: _value(value) for name, (_, value) in pairs.items()}
        texts = {name: _text(root.tag, pair, n) for n, (name, pair) in enumerate(pairs.items())}
    except (yaml.YAMLError, RecursionError) as exc:
        raise NoteFormatError(_reason(exc)) from exc
    try:
        "".join(text for value in values.values() for text in value or ()).encode()
    except UnicodeEncodeError as exc:
        raise NoteFormatError(
            "front matter contains half a character (an escaped surrogate); remove it"
        ) from exc
    return values, texts


def dump(mapping: Mapping[str, object]) -> str:
    """`mapping` as front matter, in the form the specification requires."""
    return str(yaml.dump(dict(mapping), Dumper=_Dumper, sort_keys=False, allow_unicode=True))


class _Dumper(yaml.SafeDumper):
    """safe_dump, but with YAML 1.1's non-ASCII line breaks escaped, because PyYAML folds them away."""

    position = 0

    def generate_anchor(self, node: yaml.Node) -> str:
        """A unique anchor name: keys are written one by one but read together, so none may be used twice."""
        return f"k{self.position}_{super().generate_anchor(node)}"


def _represent_text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    style = '"' if any(mark in text for mark in _ODD_BREAKS) else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Dumper.add_representer(str, _represent_text)


def _reason(exc: yaml.YAMLError | RecursionError) -> str:
    if isinstance(exc, yaml.reader.ReaderError):
        return f"front matter contains the control character U+{exc.character:04X}; remove it"
    problem = getattr(exc, "problem", None) or "nested too deeply"
    return f"front matter is not valid YAML ({problem}); fix the block between the --- lines"


def _name(tag: str, key: yaml.Node) -> str:
    """A key's name; a list or mapping used as a key is named by its text, so that it is preserved too."""
    if isinstance(key, yaml.ScalarNode):
        return str(key.value)
    return _text(tag, (key, yaml.ScalarNode("tag:yaml.org,2002:str", "")), 0)


def _value(node: yaml.Node) -> str | list[str] | None:
    if isinstance(node.value, str):
        return None if node.tag == "tag:yaml.org,2002:null" else node.value
    return [item.value for item in node.value if isinstance(item, yaml.ScalarNode)]


def _text(tag: str, pair: tuple[yaml.Node, yaml.Node], position: int) -> str:
    stream = StringIO()
    dumper = _Dumper(stream, allow_unicode=True)
    dumper.position = position
    dumper.open()
    dumper.serialize(yaml.MappingNode(tag, [pair]))
    dumper.close()
    return stream.getvalue()
