"""Keys as people spell them."""

from __future__ import annotations

import pytest

from anamnesis.project import near, spelled, unknown

KNOWN = ("github.com/acme/shop", "github.com/acme/engine", "gitlab.com/other/engine", "café", "global")


@pytest.mark.parametrize(
    ("wanted", "key"),
    [
        (".", "here/now"),
        ("github.com/acme/shop", "github.com/acme/shop"),
        ("https://github.com/acme/shop.git", "github.com/acme/shop"),
        ("GitHub.com/Acme/Shop/", "github.com/acme/shop"),
        ("shop", "github.com/acme/shop"),
        ("acme/engine", "github.com/acme/engine"),
        ("cafe\u0301", "café"),
        ("global", "global"),
    ],
)
def test_a_known_key_is_found_in_any_spelling(wanted: str, key: str) -> None:
    assert spelled(wanted, known=KNOWN, here="here/now") == key


@pytest.mark.parametrize(
    "wanted",
    [
        "https://H.org/New/App.git", "git@h.org:new/app.git", "ssh://git@h.org:2222/new/app", "h.org:new/app",
        "https://ada:Tr0ub4dor-3@h.org/new/app/",
    ],
)  # fmt: skip
def test_a_new_key_that_is_an_address_is_the_key_of_its_repository(wanted: str) -> None:
    assert spelled(wanted, known=KNOWN, here="here/now") == "h.org/new/app"


def test_a_message_about_an_unknown_address_hides_its_password() -> None:
    assert "Tr0ub4dor" not in str(unknown("https://ada:Tr0ub4dor-3@h.org/new", KNOWN))


@pytest.mark.parametrize("wanted", ["engine", "something/new", "sho"])
def test_an_unknown_or_ambiguous_key_is_used_unchanged(wanted: str) -> None:
    assert spelled(wanted, known=KNOWN, here="here/now") == wanted


def test_an_unknown_key_suggests_similar_ones() -> None:
    assert near("github.com/acme/shpo", KNOWN)[0] == "github.com/acme/shop"
    assert set(near("engine", KNOWN)) >= {"github.com/acme/engine", "gitlab.com/other/engine"}
    assert near("zzzz", KNOWN) == []
    assert "did you mean github.com/acme/shop" in str(unknown("shopp", KNOWN))
