"""What makes a sentence worth keeping, in many languages, and what does not."""

from __future__ import annotations

import pytest

from anamnesis.session import cue_phrases, rating
from anamnesis.session.cue_phrases import content_words
from anamnesis.session.rating import is_courtesy, names_in, weigh, without_nods
from anamnesis.session.sentences import Unit

TELLING = 0.7  # the least points of a sentence in an ordinary note


@pytest.mark.parametrize(
    "text",
    [
        *("hi", "Hello there :)", "thanks!", "nice, thx", "ok", "lgtm", "perfect", "👍", "You're welcome!"),
        *("Glad to hear it.", "Have a good evening!", "Hello! How can I help you today?", "continue"),
        *("moin", "Guten Morgen!", "Super, danke dir!", "Gern geschehen!", "Alles klar, bis später!"),
        *("Bonjour", "parfait merci", "Avec plaisir, bonne journée !", "De rien"),
        *(
            "¡Gracias!",
            "vale, perfecto",
            "¡De nada!",
            "obrigado",
            "valeu!",
            "tudo bem?",
            "grazie mille",
            "prego",
        ),
        *("top, bedankt", "Graag gedaan!", "dzięki!", "Nie ma za co!", "спасибо", "Пожалуйста!"),
        *(
            "你好",
            "好的，谢谢",
            "不客气",
            "お疲れ様です。",
            "ありがとうございます",
            "감사합니다",
            "천만에요!",
        ),
        *("thanks again for yesterday, all good now", "Moin! Womit kann ich dir helfen?", "can you help me?"),
        *(
            "Many thanks in advance!",
            "You've been terribly helpful, thank you so much.",
            "I hope you're well.",
        ),
    ],
)
def test_pleasantries_are_recognised_in_many_languages(text: str) -> None:
    assert is_courtesy(text)


@pytest.mark.parametrize(
    "text",
    [
        *("A question", "An answer.", "Fix the parser", "great, push that please", "no", "1", "v2", ""),
        *("It works on both machines.", "hi-res pictures are broken", "ok in summer, broken in winter"),
        *("danke, jetzt noch die Tests", "nein", "不对", "テストは成功しました", "спасибо, теперь тесты"),
        "Thanks to the oil it takes 12 minutes",
    ],
)
def test_a_statement_is_not_a_pleasantry(text: str) -> None:
    assert not is_courtesy(text)


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("Great question! The order is fixed.", "The order is fixed."),
        ("ok next. the lamp is too dark", "the lamp is too dark"),
        ("你好，磨坊一小时后停机", "磨坊一小时后停机"),
        ("no. always oil the axle", "no. always oil the axle"),
        ("`.env` is ignored", "`.env` is ignored"),
        ("Thanks!", "Thanks!"),
    ],
)
def test_leading_pleasantries_are_removed(text: str, rest: str) -> None:
    assert without_nods(text) == rest


@pytest.mark.parametrize(
    ("sentence", "reason"),
    [
        ("It stops because the counter is too small.", "cause"),
        ("Die Ursache ist ein Riss im Zahnrad.", "cause"),
        ("La meule est lente parce que la courroie glisse.", "cause"),
        ("El problema es que la rueda roza.", "cause"),
        ("A correia está gasta, por isso a roda para.", "cause"),
        ("La ruota è ferma a causa del gelo.", "cause"),
        ("De oorzaak is dat er twee riemen slippen.", "cause"),
        ("Przyczyną jest pęknięte koło.", "cause"),
        ("Жернов стоит, потому что ремень порвался.", "cause"),
        ("找到原因了：计数器溢出。", "cause"),
        ("数が小さすぎるため止まります。", "cause"),
        ("계수기가 너무 작기 때문입니다.", "cause"),
        ("The lamp can be ruled out as well.", "ruled out"),
        ("We considered steam and rejected it.", "ruled out"),
        ("La vapeur est écartée, donc écarté.", "ruled out"),
        ("My recommendation is the smaller wheel.", "decided"),
        ("Wir haben uns für Eiche entschieden.", "decided"),
        ("Still open: the belts of the second mill.", "open"),
        ("Offen ist noch die Dokumentation.", "open"),
        ("残りの課題は灯りです。", "open"),
        ("One sack takes 12 min now.", "figure"),
        ("Two of the belts fail in winter.", "result"),
        ("Still the second mill to oil.", "left"),
        ("The second mill doesn't check it yet.", "open"),
        ("The doors are not oiled yet.", "left"),
        ("Die Türen sind noch nicht geölt.", "left"),
        ("田中さんの返事待ちです。", "open"),
        ("⚠️ Oil the wheel first.", "warning"),
        ("The second wheel needs a longer belt.", "needed"),
        ("La rueda necesita otra correa.", "needed"),
        ("Das Tor bleibt bis Juli zu.", "needed"),
        ("先に軸の交換が必要です。", "needed"),
    ],
)
def test_a_sentence_scores_for_named_reasons(sentence: str, reason: str) -> None:
    assert reason in weigh(Unit(sentence)).reasons


@pytest.mark.parametrize(
    "sentence",
    [
        *("Let me open the gear box first.", "I'll check the other axle before I go on."),
        *("Would you like me to oil it as well?", "Let me know what you think of it."),
        *(
            "All the other parts stay as they are.",
            "I went over it again and it all looks right to me now.",
        ),
        *("There is not much more to say about this one.", "Shall I open a pull request?"),
        *("Sleep well knowing that the grain is dry!", "Schönes Mühlenfest am Sonntag!"),
        *("Ich sehe mir zuerst das Getriebe an.", "Sag gern Bescheid, wenn ich noch etwas tun soll."),
        *("N'hésitez pas si vous avez d'autres questions !", "Voy a mirar la otra rueda."),
        *(
            "Проверю другой ремень.",
            "如果还有其他问题，随时告诉我。",
            "他に何かあればお知らせください。",
        ),
    ],
)
def test_narration_offers_and_filler_score_nothing(sentence: str) -> None:
    assert weigh(Unit(sentence), is_last=True).points < TELLING


@pytest.mark.parametrize(
    "sentence",
    [
        "The counter `turns` has 16 bits, so it overflows.",
        "Setting `governor.limit` slows it.",
        "62% of the time goes into `Sieve::shake`.",
        "The same noise with oil 0.9, so the oil is ruled out.",
        "I added `Hopper` and its three lids.",
        "Steam engines are out of scope for the first season.",
        "Commit 9f3c2ab changed the axle from pine to oak.",
    ],
)
def test_a_sentence_that_names_things_scores_even_in_mid_turn(sentence: str) -> None:
    assert weigh(Unit(sentence)).points >= TELLING


def test_a_line_that_introduces_a_list_counts_for_its_items() -> None:
    alone, announced = weigh(Unit("the belts")), weigh(Unit("the belts", "item", lead="Still open:"))
    assert "open" in announced.reasons - alone.reasons
    assert "offer" in weigh(Unit("oil the axle", "item", lead="Would you like me to:")).reasons
    assert "left" in weigh(Unit("Oil the axle.", lead="Next")).reasons


def test_a_guess_scores_only_if_it_is_the_last_text() -> None:
    guess = Unit("The lamp is probably what draws the power.")
    assert weigh(guess).points < 0 < weigh(guess, is_last=True).points
    assert weigh(Unit("My first guess was wrong: it is not the lamp.")).points > 0


def test_a_sentence_on_the_topic_of_the_asks_scores_more() -> None:
    unit = Unit("The hopper is back above the millstone.")
    topic = content_words("keep the hopper, and the old millstone")
    assert weigh(unit, topic=topic).points > weigh(unit).points


def test_every_phrase_in_the_lists_can_match() -> None:
    lists = [
        each
        for each in (*vars(cue_phrases).values(), *vars(rating).values())
        if isinstance(each, cue_phrases.Phrases)
    ]
    spaced = [phrase for each in lists for phrase in each.spaced if phrase not in each.unspaced]
    assert len(lists) > 10
    assert [phrase for phrase in spaced if not 1 <= len(cue_phrases.words_of(phrase)) <= 4] == []
    assert [phrase for phrase in spaced if " ".join(cue_phrases.words_of(phrase)) != phrase] == []


def test_code_paths_identifiers_and_figures_count_as_names() -> None:
    text = "Set `a b` in src/app.py or config.toml: maxSize, MAX_SIZE, GearBox, --fast, HTTP, 9f3c2ab, 4.2 s"
    assert names_in(text) == {
        *(
            "a b",
            "src/app.py",
            "config.toml",
            "maxsize",
            "max_size",
            "gearbox",
            "--fast",
            "http",
            "9f3c2ab",
            "4.2 s",
        ),
    }
