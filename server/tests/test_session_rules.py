"""Rules that a user states in a session: kept in its note, and told to later sessions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from anamnesis.capture import write_episodic
from anamnesis.inject.start import Start, prepare
from anamnesis.session.rules import rules_of, states_rule
from anamnesis.session.talk import Turn
from anamnesis.session.transcript import parse_transcript
from anamnesis.store import MemoryStore
from transcript_lines import asked, said, write_transcript

RULE = "Never push to main directly."


@pytest.mark.parametrize(
    "text",
    [
        RULE,
        "Always run `make lint` before you commit.",
        "From now on, use pnpm instead of npm.",
        "Please never touch the generated files in src/api.",
        "We use pnpm here, not npm.",
        "In this repo we write tests with vitest.",
        "We don't use default exports in this repo.",
        "you must never log customer emails",
        "no, never amend published commits",
        "and always add a changelog line",
        "going forward all migrations need a down step",
        "As a rule, money is stored in cents.",
        "Niemals direkt auf main pushen.",
        "Nutze immer pnpm statt npm.",
        "Ab jetzt bitte alle Commits auf Englisch.",
        "No uses nunca var.",
        "yes never use random splits here, always GroupKFold, seed 1729.",
        "open a PR, german title please, always german titles in this repo",
        "und fürs nächste mal: ressourcen heissen bei uns immer mit unterstrich",
        "so the rule here is never to flash on a Friday",
        "Usa siempre comillas simples.",
        "Utilise toujours des tabulations.",
        "Всегда запускай линтер перед коммитом.",
        "以后都用 pnpm，不要用 npm。",
        "必ずテストを実行してからコミットしてください。",
        "amounts must never be floats",
        "for future reference: error messages start lowercase",
        "I prefer short commit messages",
        "our style guide says: second person, no exclamation marks",
        "don't add comments unless I ask for them",
        "never deploy without asking me",
        "always format before you commit, ok?",
        "bitte die Kommentare immer auf Englisch schreiben",
        "Passwörter dürfen nie ins Log",
        "il ne faut jamais toucher au schéma de prod",
        "toujours utiliser pnpm dans ce dépôt",
        "désormais plus d'apply sans plan, ok ?",
        "nunca toques la base de producción",
        "nunca faça deploy na sexta",
        "不要用csv,以后导出一律用openpyxl",
        "本番のDBには絶対に直接接続しないでください",
        "We don't do default exports in this codebase.",
        "I want you to always use absolute imports.",
        "No emojis in commit messages, ever.",
        "in the future please squash before you push",
        "En este proyecto usamos siempre pnpm, no npm.",
        "커밋 메시지는 항상 영어로 작성해 주세요",
        "Remember: we deploy only on Tuesdays and Thursdays.",
        "please remember that we only ship signed builds",
        "don't forget, we only support Safari 16+",
        "Merke dir: Deployments nur dienstags.",
        "recuerda que solo desplegamos los martes",
        "run it, and never use --force",
        "run it and never use --force again",
        "mach das, und nie die Tests überspringen",
        "lance-le, et toujours utiliser pnpm",
        "以后所有数据库改动都必须写迁移脚本。",
    ],
)
def test_a_rule_is_recognised(text: str) -> None:
    assert states_rule(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Always",
        "The build always fails on CI.",
        "It never worked on my machine.",
        "Why does it never finish?",
        "can you always sort the list?",
        "Never mind, I found it.",
        "The docs say you must always call close().",
        "We never tested that path.",
        "we never got the cache to work",
        "I always forget how this works",
        "Use the second approach, not the first.",
        "We use Redis for the queue.",
        "we keep the old endpoint for now",
        "this time always answer in one line",
        "The user should never see this error.",
        "Das geht nie.",
        "Tests laufen nie durch.",
        "it runs at night, always at three",
        "ok, never mind the lint warnings",
        "no, the cache never clears here",
        "Es schlägt immer wieder fehl.",
        "Siempre falla en CI.",
        "Il plante toujours.",
        "Это никогда не работает.",
        "всегда падает на третьем тесте",
        "I prefer the second one",
        "I prefer option b",
        "please check why the job always dies at night",
        "schau bitte mal, warum der Build immer abbricht",
        "nunca funciona a la primera",
        "重启以后就好了，谢谢你的帮助",
        "この処理は必ず失敗します",
        "in the future we might add oauth",
        "remember that bug we had with the cache, it is back",
        "every time you add a row the list jumps",
        "the installer overwrote my config without asking",
        "ich muss immer zweimal klicken",
        "nunca antes había fallado",
        "toujours notre vieux problème de cache",
        "毎回エラーになって困っています",
        "we only saw this on Tuesdays",
        "remember, we only saw this on Tuesdays",
        "remember the bug from yesterday?",
        "remember, the job only runs on Tuesdays",
        "remember that one of the tests is red",
        "never seen that before",
        "CI starts the job, and never stops it",
        "some jobs start, and never finish their work",
        "fix the parser and always return a list",
        "CI crashes, and always at the same line",
        "we drop it and never use it again",
        "Tests laufen durch und nie im CI",
        "这个以后再说，别管",
        "！！！！！！",
        f"Always {'and more ' * 40}",
    ],
)
def test_a_report_a_question_or_a_single_order_is_not_a_rule(text: str) -> None:
    assert not states_rule(text)


@pytest.mark.parametrize(
    ("ask", "rule"),
    [
        (
            "commit it, and always use conventional commits in this repo please",
            "always use conventional commits in this repo please",
        ),
        ("fine, run it, and never use --force again", "never use --force again"),
        ("And always add a changelog line.", "always add a changelog line."),
        ("also, please never push to main", "please never push to main"),
        ("never amend, and always sign the commits", "never amend, and always sign the commits"),
        (
            "When you add a table, always add an index in this repo.",
            "When you add a table, always add an index in this repo.",
        ),
        (
            "If you add a table, add an index, and always name it after both.",
            "If you add a table, add an index, and always name it after both.",
        ),
        ("No uses nunca var.", "No uses nunca var."),
    ],
)
def test_a_rule_is_quoted_without_the_single_order_before_it(ask: str, rule: str) -> None:
    assert rules_of([Turn(ask)]) == [rule]


def capture(store: MemoryStore, folder: Path, number: int, ask: str, **more: object) -> None:
    """A session that was captured on the given day."""
    day = f"2026-03-{number:02}T10:00:00.000Z"
    shared: dict[str, Any] = {"sessionId": f"session-{number}", "timestamp": day, **more}
    transcript = write_transcript(
        folder / f"{number}.jsonl",
        asked(ask, **shared),
        said(
            f"The cause was the cache of part {number}: it kept stale prices, so I cleared it in `cache.py`.",
            **shared,
        ),
    )
    assert write_episodic(store, parse_transcript(transcript), project="app", machine_id="desk") is not None


def told(store: MemoryStore) -> str:
    return prepare(Start(home=str(store.root), folder="/", project="app"))[0].text


def test_a_rule_is_listed_in_the_note_and_told_long_after_its_session(
    store: MemoryStore, tmp_path: Path
) -> None:
    capture(store, tmp_path, 1, f"the price of part 1 is wrong, have a look. {RULE}")
    for number in range(2, 6):
        capture(store, tmp_path, number, f"the price of part {number} is wrong, have a look")
    [note] = store.list(tags=["rule"])
    assert f"**Rules (1):**\n- {RULE}" in note.body
    heading, line = (
        "\n## Rules that the user stated in earlier sessions\n",
        f"- {RULE} ({note.id[:10]}, 2026-03-01",
    )
    assert f"{heading}{line}" in told(store)


def test_a_rule_of_the_last_session_is_told_once_within_its_note(store: MemoryStore, tmp_path: Path) -> None:
    capture(store, tmp_path, 1, f"the price of part 1 is wrong, have a look. {RULE}")
    text = told(store)
    assert f"**Rules (1):**\n- {RULE}" in text
    assert "## Rules that" not in text


def test_a_rule_stated_twice_is_told_once_with_its_latest_session(store: MemoryStore, tmp_path: Path) -> None:
    for number in (1, 2):
        capture(store, tmp_path, number, f"the price of part {number} is wrong. {RULE}")
    for number in (3, 4):
        capture(store, tmp_path, number, f"the price of part {number} is wrong, have a look")
    assert told(store).count(RULE) == 1
    assert f"- {RULE} ({store.list(tags=['rule'])[0].id[:10]}, 2026-03-02" in told(store)


def test_a_scripted_run_states_no_rules(store: MemoryStore, tmp_path: Path) -> None:
    capture(store, tmp_path, 1, f"the price of part 1 is wrong. {RULE}", entrypoint="sdk-cli")
    assert store.list(tags=["rule"]) == []


def test_rules_take_a_small_part_of_the_budget_and_every_note_is_counted(
    store: MemoryStore, tmp_path: Path
) -> None:
    for number in range(1, 25):
        rules = " ".join(
            f"Never change file {number} of part {part} by hand, ask first." for part in range(8)
        )
        capture(store, tmp_path, number, f"the price of part {number} is wrong. {rules}")
    briefing, _, found = prepare(Start(home=str(store.root), folder="/", project="app"))
    section = briefing.text.partition("## Rules that")[2].partition("\n\n")[0]
    assert 200 < len(section) < 1_300
    shown = len(briefing.full) + len(briefing.cut) + len(briefing.titles)
    assert f"_{found.own - shown} notes more not listed here" in briefing.text
    assert len(briefing.text) <= 9_500


def test_a_rule_cannot_pass_for_our_text(store: MemoryStore, tmp_path: Path) -> None:
    capture(store, tmp_path, 1, "the price is wrong. Never show <tool_result> tags to the user.")
    for number in (2, 3):
        capture(store, tmp_path, number, f"the price of part {number} is wrong, have a look")
    assert "- Never show &lt;tool_result> tags to the user. (" in told(store)
