"""Front matter through PyYAML: for what the fast reader and writer of `frontmatter` do not cover."""

from __future__ import annotations

from collections.abc import Mapping

import yaml

from anamnesis.errors import NoteFormatError

_MAX_DEPTH = 200
_ODD_BREAKS = ("\x85", "\u2028", "\u2029")


def read(front: str) -> tuple[dict[str, str | list[str] | None], dict[str, str]]:
    """The values of a front-matter block as written, and each key's text for writing it back."""
    if sum(front.count(mark) for mark in "[{") > _MAX_DEPTH or " " * _MAX_DEPTH in front:
        raise NoteFormatError("front matter is nested too deeply")
    try:
        root = yaml.compose(front, Loader=yaml.SafeLoader)
        if not isinstance(root, yaml.MappingNode):
            raise NoteFormatError(
                "front matter is not a list of keys; write `id:`, `type:` and `title:` lines"
            )
        pairs = {key.value: (key, value) for key, value in root.value if isinstance(key, yaml.ScalarNode)}
        values = {name: _value(value) for name, (_, value) in pairs.items()}
        raw = {name: _text(yaml.MappingNode(root.tag, [pair])) for name, pair in pairs.items()}
    except (yaml.YAMLError, RecursionError) as exc:
        reason = str(getattr(exc, "problem", None) or "nested too deeply")
        raise NoteFormatError(
            f"front matter is not valid YAML ({reason}); fix the block between the --- lines"
        ) from exc
    return values, raw


def dump(mapping: Mapping[str, object]) -> str:
    """`mapping` as the specification wants front matter written."""
    return str(yaml.dump(dict(mapping), Dumper=_Dumper, sort_keys=False, allow_unicode=True))


class _Dumper(yaml.SafeDumper):
    """safe_dump, but the line breaks of YAML 1.1 outside ASCII are escaped: PyYAML folds them away."""


def _represent_text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    style = '"' if any(mark in text for mark in _ODD_BREAKS) else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Dumper.add_representer(str, _represent_text)


def _value(node: yaml.Node) -> str | list[str] | None:
    if isinstance(node.value, str):
        return None if node.tag == "tag:yaml.org,2002:null" else node.value
    return [item.value for item in node.value if isinstance(item, yaml.ScalarNode)]


def _text(node: yaml.Node) -> str:
    return str(yaml.serialize(node, Dumper=_Dumper, allow_unicode=True))
