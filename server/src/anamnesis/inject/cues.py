"""Words that show what kind of note a text is. Data only; in the languages that people write notes in.

Compared with whole words in lower case. A word belongs here when it shows the *kind* of a note in any
project, never because of the subject of one project.
"""

from __future__ import annotations

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
    " unit preference prefer tone language commit review branching"
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
BASICS = frozenset((*_SINGULAR, *(f"{word}s" for word in _SINGULAR)))

# Pieces of a title in scripts without spaces.
BASIC_PIECES = (
    "テスト", "実行", "ビルド", "デプロイ", "リリース", "環境", "規約", "ルール", "方針", "設計",
    "構成", "理由", "手順", "测试", "运行", "构建", "部署", "发布", "环境", "规范", "约定", "规则",
    "架构", "决定", "为什么", "步骤", "테스트", "실행", "빌드", "배포", "환경", "규칙", "구조", "결정",
)  # fmt: skip

# A body with these states a rule.
RULES = frozenset(
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

# The same in scripts without spaces, as pieces of a text.
RULE_PIECES = (
    "必ず", "絶対", "禁止", "のみ", "だけ", "しない", "ない。", "使わない", "避け", "以内", "必要", "理由",
    "ため", "必须", "不要", "只能", "不能", "总是", "绝不", "禁用", "因为", "반드시", "금지", "절대", "항상",
    "하지 않", "때문",
)  # fmt: skip

# One-off events are written in the past tense, lasting facts in the present.
PAST = frozenset(
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
PAST_ENDS = (
    "した。", "ました", "った。", "だった", "でした", "直った", "来た", "れた。", "いた。", "过了", "完了。",
    "了。", "했다", "했습니다", "었다", "였다",
)  # fmt: skip
PRESENT = frozenset(
    "is are has have must can may needs runs uses lives holds takes means belongs goes stays comes reads"
    " ist sind hat haben muss müssen läuft nutzt est sont ont doit doivent utilise es son está están tiene"
    " tienen debe usa è sono ha hanno usa é são tem têm deve is zijn heeft hebben moet".split()
)

# About a certain day, about people, or about something other than the work.
PASSING = frozenset(
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

PASSING_PIECES = (
    "昨日", "今日", "明日", "今週", "来週", "先週", "一度だけ", "誕生日", "飲み会", "忘年会", "会議室",
    "昨天", "今天", "明天", "这周", "下周", "上周", "生日", "聚餐", "어제", "오늘", "내일", "이번 주",
    "다음 주", "생일", "회식",
)  # fmt: skip

# About the office rather than the work, unless many notes of a project have the word.
BESIDE = frozenset(
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
BESIDE_PIECES = (
    "プリンタ", "トナー", "エアコン", "コーヒー", "駐車場", "名札", "写真", "見学", "会費", "弁当", "休暇",
    "引っ越し", "打印机", "空调", "咖啡", "停车", "照片", "请假", "零食", "프린터", "에어컨", "커피", "주차",
    "사진", "휴가",
)  # fmt: skip

# Long-lived branches: a note about one of them is about the project.
TRUNKS = frozenset(("main", "master", "develop", "dev", "trunk", "head", "default", ""))

# How the names of short-lived branches start.
BRANCH_KINDS = frozenset(
    "feat feature fix bugfix hotfix chore docs doc refactor release perf test tests ci build wip spike exp"
    " experiment dependabot renovate task story issue style revert topic users user support".split()
)

# Of those, what a session on such a branch is about; the others show no subject.
MEANT_BY_KIND = {
    "perf": ("perf", "performance", "speed"),
    "docs": ("docs", "documentation"),
    "doc": ("docs", "documentation"),
    "ci": ("ci", "pipeline"),
    "test": ("tests", "testing"),
    "tests": ("tests", "testing"),
    "release": ("release", "releasing"),
    "build": ("build", "building"),
}

# Words that say nothing about the subject of a session.
COMMON = frozenset(
    "the and for with from that this not are was has have had but you your its into out one two all any can"
    " ask branch file touched outcome session main master src lib app test tests index readme docs"
    " und der die das mit für von ist nicht ein eine les des une pour avec est pas los las una para con"
    " que".split()
)
