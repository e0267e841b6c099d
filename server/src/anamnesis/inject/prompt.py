"""Recall at a prompt: the notes that it is clearly about, or nothing. For the UserPromptSubmit hook.

Determines which words show the prompt's subject, whether it is a question, and whether it asks to release
something; `anamnesis.inject.subject` decides which notes to print. If the index is out of date, nothing is
printed, because a person is waiting.
"""

from __future__ import annotations

import re

from anamnesis.config import environment, read_config
from anamnesis.index.reader import read_matches
from anamnesis.inject.briefing import REMINDER, write_reminder
from anamnesis.inject.kinds import words_of
from anamnesis.inject.start import contested_ids, rank_notes
from anamnesis.inject.subject import OF_BRANCH, OF_SHIPPING, Asked, choose
from anamnesis.inject.worth import TRUNKS, forms_of
from anamnesis.project import current_branch, keys_of
from anamnesis.recall import query_terms, quote
from anamnesis.session.receipts import add_entry, ids_in, read_entries, waiting_ids

TYPE_CHECKING = False
if TYPE_CHECKING:
    from anamnesis.inject.start import Start

SETTING, _VARIABLE = "recall_on_prompt", "ANAMNESIS_RECALL_ON_PROMPT"
_OFF = ("0", "false", "no", "off")
_BUDGET = 1_500  # characters
_LONG = 2_000  # characters; only the start of a longer prompt is read, because the rest was pasted
_MOST_TERMS = 24
_FEW_WORDS = 4  # a shorter prompt is about a note only if they share two words
_SHORT = 4  # letters; shorter words get no plural forms
_ENDINGS = ("n", "en", "e", "er")  # plural endings that the index's stemmer does not remove
_VERSION = r"(?<![\d.])v?\d+\.\d+\.\d+(?![\d.])"
_HIRAGANA = range(0x3040, 0x30A0)  # particles and endings; the subject of a text is in the other scripts


def remind(start: Start, prompt: str) -> str:
    """The notes for a session's next prompt as text; "" unless a note scores clearly higher than others."""
    terms, asks_to_ship = _terms(prompt), _asks_to_ship(prompt)
    if not (terms or asks_to_ship) or is_switched_off(start.home):
        return ""
    branch = current_branch(start.folder)
    phrases = _phrases(branch, asks_to_ship=asks_to_ship)
    found = read_matches(start.home, keys_of(start.project), terms, phrases)
    if found is None or not (found.notes or asks_to_ship):
        return ""
    entries = read_entries(start.home, start.session)
    seen = {*ids_in(entries, "told", "full", "cut"), *ids_in(entries, "searched", "ids")}
    is_short = len(words_of(prompt[:_LONG])) < _FEW_WORDS
    asked = Asked(found, branch, is_question=_is_question(prompt), is_short=is_short)
    chosen = choose(
        found, asked, seen=seen | waiting_ids(start.home), everything=lambda: rank_notes(start)[0]
    )
    briefing = write_reminder(
        REMINDER,
        chosen,
        contested=contested_ids(start.home),
        budget=_BUDGET,
        measure=start.measure,
    )
    if briefing.text and start.session:
        versions = {each.note.id: each.note.updated_at for each in chosen}
        add_entry(
            start.home,
            start.session,
            "told",
            source="prompt",
            project=start.project,
            full=[[each, versions[each]] for each in briefing.full],
            cut=[[each, versions[each]] for each in briefing.cut],
            characters=len(briefing.text),
        )
    return briefing.text


def is_switched_off(home: str) -> bool:
    """Whether the user turned this off; without the setting the hook is not installed, but it works."""
    said = environment(_VARIABLE) or read_config(home).get(SETTING, "")
    return str(said).strip().lower() in _OFF


def _phrases(branch: str, *, asks_to_ship: bool) -> dict[str, str]:
    """Expressions for the notes of the branch and, if the prompt asks to ship, those about releasing."""
    words = words_of(branch) if branch.lower() not in TRUNKS else []
    phrases = {OF_BRANCH: quote(" ".join(words))} if words else {}
    if asks_to_ship:
        phrases[OF_SHIPPING] = f"{{title tags}} : ({' OR '.join(map(quote, _SHIPPED))})"
    return phrases


def _asks_to_ship(prompt: str) -> bool:
    """Whether a prompt asks to release something: "release it", "cut 4.2.0", "get it live"."""
    words = set(words_of(prompt[:_LONG]))
    if _is_question(prompt) or len(words) > _MOST_TERMS or any(map(_names_an_error, words)):
        return False
    has_place = not (words.isdisjoint(_PLACES) or words.isdisjoint(_MOTION))
    if has_place or not words.isdisjoint(_SHIPPING):
        return True
    # Compiling the pattern costs more than the other checks, so only if it may match.
    return prompt.count(".") > 1 and re.search(_VERSION, prompt) is not None


def _names_an_error(word: str) -> bool:
    """Whether a word is the name of an error (`KeyError`): who pastes one reports a failure."""
    return word.endswith(("error", "exception")) and len(word) > 6 and word != "exception"


def _terms(prompt: str) -> dict[str, str]:
    """The words that show a prompt's subject, with the expressions that find them."""
    text = prompt if len(prompt) <= _LONG else prompt[: _LONG // 4]
    words = [word for word in query_terms(text) if len(word) > 1 and not _is_grammar(word)]
    return {word: _expression(word) for word in words[:_MOST_TERMS]}


def _expression(word: str) -> str:
    """An expression that finds a word in singular and plural."""
    if len(word) < _SHORT or not word.isalpha():
        return quote(word)
    return f"({' OR '.join(map(quote, forms_of(word, _ENDINGS)))})"


def _is_question(prompt: str) -> bool:
    """Whether a prompt starts like a question, not like a task."""
    words = words_of(prompt[:_LONG])
    return bool(words) and words[0] in _QUESTIONS


def _is_grammar(word: str) -> bool:
    """Whether a word says nothing about the subject: a request, grammar, everyday words, a particle."""
    return (
        word in _ASKING
        or word in FUNCTION_WORDS
        or word in EVERYDAY
        or any(ord(char) in _HIRAGANA for char in word)
    )


# Words of a request: they say what to do, not what it is about.
_ASKING = frozenset(
    "write fix repair make get look continue finish rest do still please want know add change update create"
    " give show explain tell find help need properly again new go bring put let way thing things bit like"
    " mean means difference general good first last next one two three into code file files try see check"
    " start stop keep turn set say think happen happens prepare bitte mach zeig schreib erkläre prüf schau"
    " weiter montre explique fais escribe muestra explica haz faz escreve mostra continua".split()
)

# How a general knowledge question starts, even as a request. "Why" is missing: it mostly asks about the work.
_QUESTIONS = frozenset(
    "what whats who whom which when where how explain define translate convert tell give compare"
    " proofread rephrase reword shorten summarise summarize was wer wen wie wo wann welche"
    " welcher welches erkläre erklär qui que quoi quel quelle comment où quand"
    " explique traduis qué quién cuál cómo cuándo dónde cual explica traduce che cosa chi quale come dove"
    " quando spiega quem qual quais como onde explique wat hoe waar welke что кто как где когда какой"
    " объясни co kto jak gdzie kiedy".split()
)

# Function words in German, French, Spanish, Portuguese, Italian, Dutch, Polish, Russian and the Scandinavian
# languages, except technical terms (ci, pod). English ones are stop words of every query.
FUNCTION_WORDS = frozenset(
    "der die das den dem des ein eine einen einem einer kein keine keinen und oder aber denn nicht noch"
    " nur auch so zu zum zur von vom mit ohne für auf in im am an bei aus um über unter nach vor seit bis"
    " ist sind wird werden wurde hat haben hatte kann können muss müssen soll sollte darf will ich du er"
    " wir ihr sie es mir mich dir dich uns euch ihm ihn sich mein dein sein unser jetzt mal dann dass"
    " doch schon warum wie was wann wo wer welche welcher wenn weil als ob hier da dort wieder immer heute"
    " gerade eigentlich"
    " le la les un une des du de et ou mais donc pas ne plus que qui quoi dont où pour avec sans sur sous"
    " dans en au aux par chez entre ce cet cette ces ça est sont était être a ont avoir fait faire faut"
    " peut il elle on nous vous ils elles je tu me te se lui leur mon ma mes ton ta tes son sa ses notre"
    " nos votre quand comment pourquoi quel quelle encore toujours aussi si comme alors ici là maintenant"
    " el la los las un una unos unas del al de y o pero no ni si con sin por para en sobre entre desde"
    " hasta que qué quién como cómo cuando cuándo donde dónde cual cuál este esta esto estos estas ese esa"
    " eso es son era fue ser está están hay han haber hace hacer puede puedes tiene yo tú él ella"
    " nosotros ellos lo le les se su sus mi mis me te nos ya más muy todavía también quiero necesito ahora"
    " aquí porque"
    " o a os as um uma uns umas de do da dos das no na nos nas em ao aos à às e ou mas nem não com sem por"
    " para pelo pela entre sobre desde até que quem qual quais quando onde como é são era foi ser está"
    " estão tem têm há ter faz fazer pode eu ele ela nós você vocês eles lhe se seu sua seus suas meu"
    " minha me te isso isto este esta esse essa já mais muito ainda também quero preciso agora aqui hoje"
    " porque gente"
    " il lo la i gli le un uno una di a da in con su per tra fra del dello della dei degli delle al allo"
    " alla agli alle dal dalla dai nel nella nei nelle sul sulla sui e ed o ma non né se che chi cui"
    " cosa quale quali quando dove come perché è sono era erano essere hanno ho avere fa fare può tu"
    " lui lei noi voi loro mi ti vi si suo sua suoi mio mia questo questa questi quello quella già più"
    " molto ancora anche voglio adesso ora qui stesso"
    " de het een en of maar niet geen met zonder voor op in aan van bij uit over onder naar tot dat"
    " die dit deze wat wie hoe waar wanneer waarom welke als dan is zijn was waren wordt worden heeft"
    " hebben had kan kunnen moet moeten mag wil ik je jij hij zij we wij jullie ze mij me hem haar ons"
    " mijn jouw nog ook al nu hier daar weer er"
    " i w we z ze na do od po za dla o u przez przy nad nie tak to ta te tym tego się jest są był"
    " była być ma mają co kto jak kiedy gdzie dlaczego który która które czy ale albo oraz a ja ty on ona"
    " my wy oni mnie mi go jej jeszcze już też teraz tu"
    " и в во с со на к ко от по за из у о об для при над под не ни да это этот эта эти тот та те что кто"
    " как когда где почему какой который или но а же ли бы если то я ты он она мы вы они мне тебе его её"
    " их есть был была было были быть ещё уже тоже сейчас тут здесь"
    " och att det som på är av för med till har inte om ett men var jag sig från så när över vid också"
    " efter upp ut än mot vara bara ska skulle här där hur vad varför många mycket två tre sitt sina mig"
    " dig oss hon få får göra gör ger lägg visa ner og ikke jeg til blir ved etter noe være hva når hvor"
    " hvordan hvorfor min din deg meg seg dere mange af hvad må blive nej igen igjen".split()
)

# Everyday words, which do not show what a prompt is about. Without those that name a part of a program or a
# quantity in some project.
EVERYDAY = frozenset(
    "got gets getting gotten take takes took taken taking comes came coming went gone goes going gives"
    " gave given puts makes made making sees saw seen looks looked found says said saying told knows knew"
    " thought wants wanted needs needed tries tried trying seem seems seemed feel feels keeps kept lets"
    " leave left shows showed shown meant ask asks asked likes liked happened become turns turned starts"
    " started stops stopped pick move moves moved already yet always never ever often sometimes usually"
    " maybe perhaps probably really actually even quite rather almost enough instead soon later ago today"
    " tomorrow yesterday tonight morning evening afternoon week weeks month months year years day days"
    " time times moment bad better best worse worst right wrong correct okay ok fine nice great cool big"
    " small little large long short old older newer young high low early late fast slow quick quickly easy"
    " hard simple whole different another every either neither several many much lot lots less least third"
    " four five six seven eight nine ten twice half something anything nothing everything someone somebody"
    " anyone anybody everyone everybody nobody people person guy guys man men woman ways kind kinds word"
    " words reason problem problems answer idea stuff thanks thank sorry yes yeah nope not hey hello hi"
    " bye well oh ah hm hmm wait whose whether since without within against towards toward upon onto across"
    " along around among back behind beside besides beyond despite except inside outside near though although"
    " unless via else shall may might must gonna wanna worked working uses using helps helped done able"
    " sure certain possible claim claims matter care crazy weird strange funny rid deal ones away checked"
    " fixes fixed changes changed adds added remove writes wrote written read run ran running sets"
    " steht stehen liegt liegen gibt geht ging kommt kommen kam macht machen gemacht braucht brauchen"
    " brauchst weiß wissen sagt sagen sehen sieht guck krieg kriegt kriegen holen hol nehmen nimm stellen"
    " stell lassen lass bleibt bleiben passiert einfach schnell langsam richtig falsch gut gute gutes"
    " schlecht besser alt alte alten alter altes neu neue neuen neuer neues groß große klein kleine lang"
    " lange kurz kurze viel viele wenig mehr weniger ganz ganze halb halbe halbes jahr jahre jahren monat"
    " monate monaten woche wochen tag tage tagen gestern morgen nacht nachts jemand niemand etwas nichts"
    " alles leute sache sachen ding dinge ende anfang erste ersten letzte letzten nächste nächsten beide"
    " jeder jede jedes jeden sehr bisschen vielleicht bestimmt genau sofort gleich später früher bereits"
    " trotzdem deshalb außerdem sonst rein raus hoch runter weg zurück beim danke hallo nein gern drei"
    " vier fünf zehn zwei eins geändert ändern ändere sollen sollst gehen sagte brauche möchte"
    " veux veut vouloir voir vois dire mettre mets prendre prend donner donne aller va vas venir vient"
    " savoir sait trouver trouve laisser besoin juste trop très bien bon bonne mauvais vieux vieille"
    " nouveau nouvelle grand grande petit petite autre autres même tout tous toute toutes rien chose"
    " choses quelque quelques chaque beaucoup peu après avant depuis déjà jamais demain jour jours mois"
    " année fois merci oui quiere querer ver veo decir dice poner pone pon tomar dar dame ir voy viene"
    " saber sabe encontrar dejar deja necesita solo bueno buena malo viejo vieja nuevo nueva pequeño otro"
    " otra otros mismo misma todo toda todos todas nada algo cosas cada mucho mucha poco después antes día"
    " días año vez veces gracias sí vuole vedere mettere metti prendere dare dammi andare sapere trovare"
    " lasciare bisogno bene male buono cattivo vecchio nuovo nuova piccolo altro altra tutto tutti niente"
    " qualcosa cose ogni dopo prima giorno giorni mese anno volta volte grazie quer dizer diz pôr põe vai"
    " vou vir vem achar deixar deixa precisa só bem bom boa velho novo nova outro outra mesmo mesma tudo"
    " coisa coisas pouco depois dia dias mês ano vezes obrigado sim willen zien zeggen zegt zetten zet"
    " nemen geven geef gaan gaat komen komt weten weet vinden laten laat nodig alleen goed slecht oud oude"
    " nieuw nieuwe groot klein ander andere zelfde alles niets iets ding dingen elke elk veel weinig"
    " daarna eerst dag dagen maand jaar keer dank nee".split()
)

# A prompt with one of these asks to release something; so does a version number in three parts.
_SHIPPING = frozenset(
    "release ship deploy publish rollout veröffentlichen veröffentliche herausgeben ausliefern ausrollen"
    " deployen freigeben publier publie déployer déploie livrer livre publicar publica desplegar despliega"
    " lanzar pubblicare pubblica rilasciare rilascia implantar publique uitrollen uitbrengen driftsätt"
    " driftsätta wydać wdrożyć опубликовать выпустить выкатить задеплоить".split()
)
# So does one of these with a verb of motion: "get it live", "bring it to prod".
_PLACES = frozenset("live prod production produktion producción produção produzione online".split())
_MOTION = frozenset(
    "get go bring put take push stellen stell bringen bring geh mets mettre pon poner".split()
)
# Words in the title or a tag of a note about releasing.
_SHIPPED = (
    "release", "deploy", "publish", "ship", "rollout", "rolling", "auslieferung", "ausliefern", "freigabe",
    "veröffentlichung", "livraison", "déploiement", "publication", "despliegue", "publicación", "rilascio",
    "implantação", "publicação", "uitrol", "uitrollen", "driftsättning", "driftsätta", "wydanie", "wdrożenie",
    "релиз", "выпуск", "деплой",
)  # fmt: skip
