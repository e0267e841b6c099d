"""A credential may start anywhere in a text except inside a word."""

from __future__ import annotations

from base64 import b64encode

import pytest

from anamnesis.redact import redact
from secret_samples import SAMPLES

KEY, SECRET = SAMPLES["aws key"]


@pytest.mark.parametrize("before", ["", "%3D", "to%3D", "x%2f", "\\n", "a\\t", "(", "ключ"])
def test_a_credential_starts_a_text_or_follows_an_escape_or_a_non_word_character(before: str) -> None:
    hidden = redact(f"{before}{KEY}")
    assert SECRET not in hidden
    assert hidden.startswith(before)


@pytest.mark.parametrize("before", ["de", "3D", "%xD", "%3DA", "nn"])
def test_what_looks_like_a_credential_inside_a_word_is_left_alone(before: str) -> None:
    assert redact(f"{before}{KEY}") == f"{before}{KEY}"


@pytest.mark.parametrize("text", ["İİİ password: {}", "İ: the pw is {}, İ", "İİ login ada\npassword {}\n"])
def test_letters_that_lengthen_in_lower_case_do_not_shift_matches(text: str) -> None:
    hidden = redact(text.format("Kettle_Moor_73"))
    assert "Kettle" not in hidden
    assert "_73" not in hidden
    assert hidden.startswith(text.partition("{}")[0])


def test_the_login_in_a_docker_configuration_is_redacted_but_a_method_name_is_not() -> None:
    login = b64encode(b"ada:Kettle_Moor_73").decode()
    assert login not in redact(f'{{"auths": {{"registry.example": {{"auth": "{login}"}}}}}}')
    for method in ("basic", "oauth2", "required", "./auth/index.ts"):
        assert redact(f'"auth": "{method}"') == f'"auth": "{method}"'
