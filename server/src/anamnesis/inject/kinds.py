"""What kind of note a text is: basic, a rule, or of passing interest. Pure.

Passing interest shows in words (past tense, days, the office), in the languages people write notes in; and in
any language in the absence of what lasting notes have: a name from the code, a tag, a later edit, a note that
refers to it. The SessionStart hook uses this module.
"""

from __future__ import annotations

import re

from anamnesis.layout import GLOBAL

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from anamnesis.notes.vocabulary import Note

READ = 420  # characters of a body that are read, because a note names its subject at the start
WORD = re.compile(r"[^\W_]+")
_WIDE = "\u2e80"  # scripts without spaces start here
_SESSION_BRANCH = "**Branch:** "  # a line in a session's note
_LONGEST_BRANCH = 300
# Characters that occur only in names from code and in commands; acronyms and numbers are in any text.
_CODE_NAME = re.compile(r"[`_/\\@=<{]|--|[a-z][A-Z]|[a-z]\.[a-z]|[a-z]\d|\d[a-z]")
_ONE_WORD = 0.5  # if only one word of the title says that a note is basic
_PER_PAST_WORD = 0.4  # for each past-tense word beyond the number of present-tense words
_EVENT = 300  # characters; a longer text has more past-tense words without being about an event
_ALONE = 0.5  # for an office word without any sign of an event
_MOST_PASSING = 4.0
_RELIEF = 0.5  # for each sign that the note is maintained
_LOOSE = 0.5  # for a text without any sign that it will last
_LASTED = 120  # days; after that, a note's form no longer counts against it
_PREFERENCE = 160  # characters; a shorter global note is probably a preference
_MANY = 20  # notes; fewer do not show the writer's habits


class Read:
    """A note with its words."""

    __slots__ = ("aside", "body", "branch", "is_loose", "is_wide", "note", "shared", "text", "title")

    def __init__(self, note: Note, wanted: Mapping[str, float]) -> None:
        self.note = note
        self.branch = session_branch(note)
        self.text = note.body[:READ].lower()
        # In a script without spaces, words are matched as substrings.
        self.is_wide = not self.text.isascii() and any(char >= _WIDE for char in self.text)
        self.title = set(words_of(note.title))
        self.body = set(WORD.findall(self.text))
        words = self.title | self.body
        self.shared = wanted.keys() & words  # words that it shares with the moment
        self.aside = words & _ASIDE
        if self.is_wide:
            self.aside |= {piece for piece in _ASIDE_PIECES if piece in note.title or piece in self.text}
        self.is_loose = _is_loose(note)


class Habits:
    """How the notes of a project are usually written."""

    __slots__ = ("common", "has_links", "has_loose", "texts", "today")

    def __init__(self, notes: Sequence[Read], *, today: int) -> None:
        self.today = today
        self.common = _common_words(notes) | _own_words(notes)
        loose = sum(each.is_loose for each in notes)
        # If most notes are plain prose, it says nothing about a note that it is plain prose.
        self.has_loose = len(notes) >= _MANY and loose * 2 <= len(notes)
        self.texts = "\n".join([each.note.body for each in notes])
        self.has_links = "[[" in self.texts


def kind_of(read: Read, habits: Habits) -> dict[str, float]:
    """How basic a note is, how much how-to, rule and code it contains, and how short-lived its subject is."""
    note = read.note
    code = min(note.body.count("`") // 2, 3)
    passing = min(_events(read, habits.common), _MOST_PASSING) / (1 + code / 2)
    if habits.has_loose and read.is_loose:
        passing += _LOOSE * max(0.0, 1 - max(0, habits.today - day_number(note.created_at)) / _LASTED)
    return {
        "basic": _basic(read),
        "how-to": float(note.type == "procedural"),
        "rules": float(min(len(_RULES & read.body) + _pieces(read, _RULE_PIECES), 3)),
        "code": float(code),
        "passing": passing * _RELIEF ** _signs_of_care(note, habits) if passing else 0.0,
    }


def words_of(text: str) -> list[str]:
    """The words of a text, in lower case."""
    return WORD.findall(text.lower())


def day_number(moment: str) -> int:
    """A timestamp as a number of days, with months of 30 days: accurate enough for an age, and cheap."""
    year, month, day = moment[:4], moment[5:7], moment[8:10]
    is_date = year.isdecimal() and month.isdecimal() and day.isdecimal()
    return int(year) * 365 + int(month) * 30 + int(day) if is_date else 0


def session_branch(note: Note) -> str:
    """The branch in a session's note, wherever that line is; "" if there is none."""
    at = note.body.find(_SESSION_BRANCH) if note.type == "episodic" else -1
    if at < 0:
        return ""
    start = at + len(_SESSION_BRANCH)
    return note.body[start : start + _LONGEST_BRANCH].partition("\n")[0].strip(" `").lower()


def _basic(read: Read) -> float:
    """1 for a note clearly about working on the project; less if only one word of the title says so."""
    note = read.note
    titled = len(_BASICS & read.title)
    if not note.title.isascii():
        titled += sum(piece in note.title for piece in _BASIC_PIECES)
    if titled > 1 or (titled and note.type == "procedural"):
        return 1.0
    if note.tags and not _BASICS.isdisjoint(words_of(" ".join(note.tags))):
        return 1.0
    return _ONE_WORD if titled else 0.0


def _events(read: Read, common: frozenset[str]) -> float:
    """How much a text reads like a one-off event: past tense, a particular day, not about the work."""
    regular = len([word for word in read.body if word[-2:] == "ed" and len(word) > 4])
    past = len(_PAST & read.body) + regular + _pieces(read, _PAST_ENDS) - len(_PRESENT & read.body)
    event: float = max(0, past) * _PER_PAST_WORD * min(1.0, _EVENT / max(len(read.text), 1))
    words = read.aside - common
    aside = len(words) + len(words & read.title)
    return event + (float(aside) if event or aside > 1 else _ALONE * aside)


def _signs_of_care(note: Note, habits: Habits) -> int:
    """How many signs show that a note is maintained: it supersedes one, was edited, is referred to."""
    was_edited = "" < note.created_at[:10] < note.updated_at[:10]
    is_linked = note.id in habits.texts or (habits.has_links and f"[[{note.title}]]" in habits.texts)
    return bool(note.supersedes) + was_edited + is_linked


def _is_loose(note: Note) -> bool:
    """Whether a text has no sign, in any language, that it is about the work."""
    if note.tags or (note.project == GLOBAL and len(note.body) <= _PREFERENCE):
        return False
    return note.type != "episodic" and not _CODE_NAME.search(note.body, 0, READ)


def _pieces(read: Read, pieces: Iterable[str]) -> int:
    """How many of the substrings a text in a script without spaces contains."""
    return sum(piece in read.text for piece in pieces) if read.is_wide else 0


def _own_words(notes: Sequence[Read]) -> frozenset[str]:
    """The office words that this project is about, because a tag or branch contains them."""
    named = " ".join([" ".join((*note.note.tags, note.branch)) for note in notes])
    return frozenset(words_of(named)) & _OFFICE


def _common_words(notes: Sequence[Read]) -> frozenset[str]:
    """The words for passing matters that many notes contain, so that the project is about them."""
    counts: dict[str, int] = {}
    for note in notes:
        for word in note.aside:
            counts[word] = counts.get(word, 0) + 1
    return frozenset(word for word, count in counts.items() if count > max(2, len(notes) // 12))


# The words, compared with whole words in lower case. A word belongs here if it shows the *kind* of a note in
# any project, not because of one project's subject.

# A title or tag with one of these is about working on the project: build, run, test, ship, and rules.
_SINGULAR = (
    # how to work here
    "test testing run running start build building compile install installation setup environment env dev"
    " deploy deployment deploying release releasing publish publishing rollback migration migrate codegen"
    " generate generated lint linting linter formatting formatter ci workflow toolchain"
    " version dependency debug debugging bootstrap onboarding"
    # rules and reasons
    " convention style rule guideline policy naming standard practice principle never always must don"
    " architecture layer layering structure design boundary decision adr why invariant error handling"
    " unit preference prefer feedback tone language commit review branching"
    # German, French, Spanish, Italian, Portuguese, Dutch
    " testen starten bauen bau ausliefern ausrollen freigabe einrichten einrichtung umgebung regel regeln"
    " konvention konventionen stil architektur aufbau schichten entscheidung warum nie immer fehlerbehandlung"
    " tests lancer construire compiler installer déployer déploiement livraison environnement règle règles"
    " convention décision pourquoi jamais toujours pruebas probar ejecutar construir compilar instalar"
    " desplegar despliegue entorno regla convenciones arquitectura decisión siempre nunca eseguire costruire"
    " compilare installare rilascio ambiente regole convenzioni architettura decisione perché mai sempre"
    " testes executar implantar implantação ambiente regras convenções arquitetura decisão draaien bouwen"
    " uitrollen omgeving regels afspraken beslissing waarom nooit altijd"
    # Russian, Polish
    " тесты запуск сборка деплой релиз правила соглашения архитектура решение почему testy uruchomienie"
    " budowanie wdrożenie zasady architektura decyzja dlaczego".split()
)
_BASICS = frozenset((*_SINGULAR, *(f"{word}s" for word in _SINGULAR)))

# Substrings of a title in scripts without spaces.
_BASIC_PIECES = (
    "テスト", "実行", "ビルド", "デプロイ", "リリース", "環境", "規約", "ルール", "方針", "設計",
    "構成", "理由", "手順", "测试", "运行", "构建", "部署", "发布", "环境", "规范", "约定", "规则",
    "架构", "决定", "为什么", "步骤", "테스트", "실행", "빌드", "배포", "환경", "규칙", "구조", "결정",
)  # fmt: skip

# A body with these states a rule.
_RULES = frozenset(
    "never always must only every exactly forbidden required require instead avoid prefer refuse rejected"
    " reject decided decide because unless nowhere neither nor pinned mandatory shall don use"
    " nie immer muss müssen darf nur jede jeder genau verboten statt vermeiden weil entschieden"
    " jamais toujours doit doivent seulement chaque exactement interdit éviter parce décidé"
    " nunca siempre debe deben solo cada exactamente prohibido evitar porque decidido"
    " mai sempre deve devono ogni esattamente vietato evitare perché deciso devem apenas exatamente proibido"
    " nooit altijd moet moeten alleen elke precies verboden omdat besloten"
    " никогда всегда должен должны только каждый запрещено потому nigdy zawsze musi tylko każdy"
    " zabronione".split()
)

# The same in scripts without spaces, as substrings.
_RULE_PIECES = (
    "必ず", "絶対", "禁止", "のみ", "だけ", "しない", "ない。", "使わない", "避け", "以内", "必要", "理由",
    "ため", "必须", "不要", "只能", "不能", "总是", "绝不", "禁用", "因为", "반드시", "금지", "절대", "항상",
    "하지 않", "때문",
)  # fmt: skip

# One-off events are written in the past tense, lasting facts in the present.
_PAST = frozenset(
    "was were had got did went came took gave looked asked sat met showed shown told left made found lost"
    " war waren wurde wurden hatte hatten ging kam gab wollte wollten zeigte fehlte lag konnte musste fand"
    " brauchte dauerte gewesen worden danach seitdem était étaient avait avaient fut fallait voulait fallu"
    " suffi été demandé envoyé arrivé venu revenu disparu fue fueron era eran estaba estaban faltaba quiso"
    " hizo dijo puso tardó había hubo llegó volvió pidió envió mandó cambió pasó quedó ocurrió vino dio"
    " era erano aveva stato arrivato chiesto mandato tornato successo"
    " foi foram estava estavam tinha tinham ficou chegou voltou pediu mandou mandei mudou mudei passou"
    " aconteceu respondeu fez fizeram veio disse deu levou was waren werd had hadden kwam ging"
    " bekam rief fragte schickte blieb passierte"
    " был была было были był była było były".split()
)
_PAST_ENDS = (
    "した。", "ました", "った。", "だった", "でした", "直った", "来た", "れた。", "いた。", "过了", "完了。",
    "了。", "했다", "했습니다", "었다", "였다",
)  # fmt: skip
_PRESENT = frozenset(
    "is are has have must can may needs runs uses lives holds takes means belongs goes stays comes reads"
    " ist sind hat haben muss müssen läuft nutzt est sont ont doit doivent utilise es son está están tiene"
    " tienen debe usa è sono ha hanno usa é são tem têm deve is zijn heeft hebben moet".split()
)

# About a particular day, about people, or about something other than the work.
_PASSING = frozenset(
    "yesterday today tomorrow tonight weekend monday tuesday wednesday thursday friday saturday sunday week"
    " month booked meeting party lunch birthday vacation holiday travel hotel train flight invited visit"
    " survey poll chat emoji poster anecdote nobody somebody everybody temporarily temporary"
    " gestern heute morgen wochenende montag dienstag mittwoch donnerstag freitag samstag sonntag woche"
    " gebucht treffen feier geburtstag"
    " demain lundi mardi mercredi jeudi vendredi samedi dimanche semaine réunion fête anniversaire"
    " réservé ayer hoy mañana lunes martes miércoles jueves viernes sábado semana reunión fiesta cumpleaños"
    " reservado ieri oggi domani lunedì martedì mercoledì giovedì venerdì sabato domenica settimana"
    " riunione compleanno ontem hoje amanhã terça quinta sexta sábado semana reunião festa aniversário"
    " surpresa gisteren vandaag morgen maandag dinsdag woensdag donderdag vrijdag week vergadering"
    " verjaardag вчера сегодня завтра неделя встреча wczoraj dzisiaj jutro tydzień spotkanie".split()
) | frozenset(f"{day}{end}" for day in range(1, 32) for end in ("st", "nd", "rd", "th"))

_PASSING_PIECES = (
    "昨日", "今日", "明日", "今週", "来週", "先週", "一度だけ", "誕生日", "飲み会", "忘年会", "会議室",
    "昨天", "今天", "明天", "这周", "下周", "上周", "生日", "聚餐", "어제", "오늘", "내일", "이번 주",
    "다음 주", "생일", "회식",
)  # fmt: skip

# About the office rather than the work, unless many notes of a project contain the word.
_OFFICE = frozenset(
    "office kitchen coffee cake beer pizza barbecue party sofa desk chair guitar printer toner projector"
    " beamer parking badge sticker stickers mascot flyer brochure photo marketing sticky whiteboard raffle"
    " parcel courier headset meetup vote quiz dock charger drawer lunch snack plant fridge büro küche"
    " kaffee kaffeemaschine kuchen bier grillen sommerfest weihnachtsfeier drucker papierstau parkplatz"
    " ausweis aufkleber maskottchen foto urlaub vertretung keller regal stuhl bureau"
    " cuisine café gâteau galette bière imprimante imprimeur autocollant mascotte plaquette"
    " affiche affiches vacances couloir canapé tirage transporteur sondage carton oficina cocina pastel"
    " cerveza impresora aparcamiento pegatina vacaciones pasillo encuesta sorteo ufficio cucina caffè"
    " torta birra stampante parcheggio adesivo ferie sondaggio escritório cozinha bolo cerveja impressora"
    " estacionamento férias sorteio kantoor keuken koffie taart vakantie офис кухня кофе принтер отпуск"
    " парковка опрос biuro kuchnia kawa drukarka urlop ankieta"
    # food, furniture and events in all of these
    " recipe oven keyboard bike insurance interview radio tastatur rezept ofen fahrrad versicherung recette"
    " chaise clavier vélo silla teclado receta horno bicicleta entrevista sedia tastiera ricetta forno"
    " cadeira receita churrasco almoço copa armário stoel toetsenbord recept fiets krzesło"
    " klawiatura przepis".split()
)
_OFFICE_PIECES = (
    "プリンタ", "トナー", "エアコン", "コーヒー", "駐車場", "名札", "写真", "見学", "会費", "弁当", "休暇",
    "引っ越し", "打印机", "空调", "咖啡", "停车", "照片", "请假", "零食", "프린터", "에어컨", "커피", "주차",
    "사진", "휴가",
)  # fmt: skip

_ASIDE = _OFFICE | _PASSING
_ASIDE_PIECES = (*_OFFICE_PIECES, *_PASSING_PIECES)
