"""What the user wanted: a session's asks, without courtesies and pasted output, and its title. Pure.

Pasted output is logs, stack traces, code and shell output; only its line with the error is kept. The title is
the first sentence of the first ask that names a subject.
"""

from __future__ import annotations

import re

from anamnesis.session import cue_phrases
from anamnesis.session.cue_phrases import content_words
from anamnesis.session.rating import is_courtesy, is_plain, matter_of, names_in, without_fillers, without_nods
from anamnesis.session.sentences import ABBREVIATED, Unit, joint, units_of, width
from anamnesis.session.talk import Turn
from anamnesis.session.transcript import ParsedSession

_OPEN_MARK = re.compile(r"\[redacted:[^\]]{0,40}\Z")
_OPTIONS = "option|variante?|opción|opção|opzione|optie|вариант"
_PICKED = re.compile(
    rf"(?:(?:{_OPTIONS}|let's|do|take|go with|nimm|ok|yes|ja|sí|oui)[ ,]+){{0,3}}(?P<label>[a-h]|[1-9])"
    r"(?=[.,)]?(?:\Z|[.,)]\s|\s[–—-]\s|\s(?:is|sounds|looks|please|pls|then|and|or|it|but"
    r"|ist|klingt|bitte|dann|und|aber|est|et|mais|es|y|pero|é|è|e|mas|ma|suona|klinkt|en|maar|to|i|ale|это|и|но)\b))",
    re.IGNORECASE,
)
# Where the text of an option ends: "Option A: one table / Option B: two."
_OPTION_END = re.compile(
    r"\s[|/]\s|(?<=\w)\. |[,;]?(?:\s(?:or|oder|ou|o|of|lub|или))?\s"
    rf"(?:(?:{_OPTIONS})\s[a-h1-9]\b|\([a-h1-9]\))",
    re.IGNORECASE,
)
_OPTION = 80  # characters
_MOST_PARTS = 60
_LONGEST = 300  # characters of one sentence
_FEW_WORDS = 4
_STATEMENT = 40  # characters
_MARKS = ".!?:;,…。！？：；"
_FENCE = re.compile(r"\s*(?:```|~~~)")
_LEVEL = "TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|FATAL|CRITICAL|SEVERE"
_TIME = r"\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d|\d\d:\d\d:\d\d\b|[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d "
# How pasted lines start.
_FORMS = (
    # logs
    rf"\s*[\[(<]?(?:{_TIME})",
    rf"\s*\[?(?:{_LEVEL}|(?i:error|warn|warning|info|debug))\][\s:]",
    rf"\s*(?:{_LEVEL})[:\s]",
    r"\s*(?:npm|pnpm|yarn) (?:ERR|error|warn)",
    r"(?:error|warning)(?:\[\w{1,12}\])?: |(?:fatal|panic): |E {2,}\S",
    r"##\[|::error|Process completed with",
    # stacks and crashes
    r"\s*Traceback \(most recent|\s*File \"[^\"]|Caused by: |\s+\.\.\. \d+ more",
    r"\s*at [\w$.<>/@:\\-]{1,200} ?(?:\(|:\d)",
    r"(?:Uncaught |Unhandled )?(?:\(in promise\) )?[\w.]{0,100}(?:Error|Exception|Fault)\b[: (]|Uncaught ",
    r"Thread \d+ |\s*#\d+ +(?:0x|\w{1,80} ?\()|goroutine \d+ |EXC_|\s*\d+: +0x",
    # tests, diffs, numbered lines, columns, reports
    r"\S{1,200}::\S{1,200} (?:FAILED|PASSED|ERROR)|--- FAIL|FAIL(?:ED)?[: ]",
    r"diff --git |[+-]{3} [ab]/|@@ -\d",
    r"\s*\d+:? \||\s*\d+:? +(?:0x|\S{1,80}\s{2,})",
    r"\S{1,80}(?:\s{2,}\S{1,80}){2,}|[A-Z][\w -]{0,24}:\s{2,}\S",
    # prompts of a shell
    r"[$%❯] \S|PS [A-Z]:\\|[A-Z]:\\[^>\n]{0,200}>|[\w.-]{1,40}@[\w.-]{1,60}[:~ ][^\n]{0,80}[$#] ",
    # code
    r"\s*(?:import [\w.]{1,80}(?:;|,| as |$)|import [{*\"']|from \S{1,80} import |#include)",
    r"\s*(?:def \w{1,80}\(|class \w{1,80}[:({]|(?:const|let) \w{1,80} =)",
    r"\s*(?:public|private|protected|static) \w",
    r"\s*[{}\])]{1,3}[,;]?\s*$|\s{2,}\S[^\n]{0,300}[;{]\s*$|\S{1,200}[;{]\s*$",
    r"\s*\"[\w-]{1,60}\": |\s*<\w[^>]{0,200}>\s*$",
)
_OUTPUT = re.compile("|".join(_FORMS))
_ERROR = re.compile(
    r"[\w.]{0,100}(?:Error|Exception|Failure|Operation|Fault)\b|(?i:\b(?:error|fatal|panic|failed|denied)\b)"
)
_HEAD = re.compile(
    rf"(?:[\[(<]?(?:{_TIME})[\d.,Z+: ]*[\])>]?\s*(?:[A-Z]{{2,4}} )?(?:\[\d+\]:? )?|\[?(?:{_LEVEL})\]?:?\s+"
    r"|E {2,}|[$❯] |Uncaught |\(in promise\) )+"
)
_ITEM = re.compile(r"\s*(?:[-*•]|\d{1,3}[.)])\s")
_TYPED = re.compile(r"[^\W\d_][^\s]*(?:\s+\S*[^\W\d_]\S*){2,}")
_INTRODUCES = (":", "：")
_BLOCK = 3  # lines
_MANY = 12  # words
# The title.
MAX_TITLE = 80
_REVERTED = "Reverted: "
_REQUEST = re.compile(
    r"(?:(?:please|pls|can you|could you|would you|i want you to|i need you to|bitte|kannst du|könntest du"
    r"|mir|por favor|puedes|podrías|s'il te plaît|peux-tu|pourrais-tu|tu peux|você pode|puoi|potresti|kun je"
    r"|можешь)\b[\s,]*)+",
    re.IGNORECASE,
)
# The role that a script gives the model before the task.
_ROLE = re.compile(
    r"(?:you are|you're|act|du bist|sie sind|tu es|vous êtes|eres|você é|sei|je bent|jesteś)"
    r" (?:a|an|the|my|our|as|now|running|acting|working|in|ein|eine|der|die|un|une|el|la|um|uma|uno|een)\b"
    r"[^.!?\n]{0,200}(?:[.!?]\s*|\Z)"
    r"|(?:(?:ты|вы) — |你是一|あなたは|당신은)[^。.！!\n]{0,100}(?:[。.！!]\s*|\Z)",
    re.IGNORECASE,
)
_CLAUSE = re.compile(r"(?<=[:;])\s+|\s+[–—-]\s+")
_PAUSE = re.compile(r"[,;:，、；：]|\s[–—(-]|[.!?。](?=\s)")
_MARK = "[redacted: "
_COLUMN = " | "  # between the columns of a table, whose rows are not titles
# Where a dictated sentence goes on with another clause.
_JOINTS = re.compile(
    r"(?i)\s+(?:and|but|because|so|that|which|when|und|aber|weil|dass|wenn|et|mais|parce que|que|quand|y|pero"
    r"|porque|cuando|e|mas|quando|ma|perché|che|en|maar|omdat|dat|i|ale|bo|że|и|но|что|когда)\s+"
)
_PARTS = re.compile(r"\s+(?:and|und|et|y|e|en|i|и)\s+|[,;]\s+")
# Articles and prepositions that a cut leaves at the end of a title.
_DANGLING = re.compile(
    r"(?:\s+(?:an?|the|of|to|in|on|at|by|for|from|with|into|and|or|as|der|die|das|den|dem|eine?n?|von|zu|mit"
    r"|für|und|les?|la|une?|de|des|du|el|los|las|una))+…\Z",
    re.IGNORECASE,
)
_FIRST_SENTENCES = 8
_MORE = 3  # a sentence with this many words that recur later names the subject, if the first does not
_SHORTEST = 30  # characters of a title that ends at a pause
_RAMBLE = 140  # characters without a pause; such a sentence is dictated, and its start says little
_VAGUE_ASK = 40
_WIDE = 8  # characters of a script without spaces, as much as two words


def ask_text(turn: Turn, room: int) -> str:
    """A turn's ask within `room` characters: its informative sentences, in order; "" for a courtesy."""
    said = _said(turn)[:_MOST_PARTS]
    units = [unit._replace(text=cut(unit.text, _LONGEST if len(said) > 1 else room)) for unit in said]
    used = sum(len(unit.text) + 2 for unit in units)
    for unit in sorted(units[1:], key=_weight):
        if used > room:
            units.remove(unit)
            used -= len(unit.text) + 2
    return cut(with_command(turn, _joined(units)), room)


def chosen_option(ask: str, texts: list[str]) -> str:
    """An ask that is an option's label ("b"), expanded with the option's text from the answers before it."""
    picked = _PICKED.match(ask)
    if picked is None:
        return ask
    label = re.escape(picked["label"])
    option = re.compile(
        rf"(?:^[\s>|*#-]{{0,8}}(?:[^\W\d_]{{3,10}} )?|\b(?:{_OPTIONS}) |(?<!\w)\(){label}"
        r"(?:[.):]\**|\**(?::|\s[–—-]))\s+(.{3,400})$",
        re.MULTILINE | re.IGNORECASE,
    )
    match = next(filter(None, (option.search(text) for text in reversed(texts))), None)
    if match is None:
        return ask
    words = _OPTION_END.split(match[1].replace("*", ""), maxsplit=1)[0].strip(" |.?")
    end = picked.end("label")
    return f"{ask[:end]} ({cut(words, _OPTION)}){ask[end:]}"


def picks_option(turn: Turn, ask: str) -> bool:
    """Whether an ask was expanded with the option that it picks, which is a decision."""
    return _PICKED.match(turn.ask.strip()) is not None and ask.count("(") > turn.ask.count("(")


def is_telling_ask(turn: Turn) -> bool:
    """Whether a prompt corrects the assistant or states what the user wants in general."""
    text = _joined(_said(turn))
    said = cue_phrases.prepare(text)
    if (len(said.words) < 4 and width(text) < 16) or not _is_about_something(text):
        return False
    return (
        cue_phrases.CORRECTION.start(said)
        or cue_phrases.PREFERENCE.are_in(said)
        or _is_only_acknowledged(turn, text)
    )


def _is_only_acknowledged(turn: Turn, text: str) -> bool:
    """Whether the prompt says more than the answer: a statement, or what was done without a word."""
    answered = sum(map(len, turn.texts))
    is_question = text.endswith(("?", "？"))
    is_statement = width(text) >= _STATEMENT or bool(names_in(text))
    return is_statement and 0 < answered < max(len(text), _STATEMENT) and not is_question


def cut(text: str, room: int) -> str:
    """The start of a text, cut at a word and outside of code; "…" marks the cut."""
    if len(text) <= room:
        return text
    head = text[: room - 1]
    if text[room - 1].strip() and " " in head.strip():
        head = head.rsplit(None, 1)[0]
    if head.count("`") % 2 and head.rpartition("`")[0].strip():
        head = head.rpartition("`")[0]
    head = _OPEN_MARK.sub("", head)
    return head.rstrip(" ,;:.-–(") + "…"


def with_command(turn: Turn, text: str) -> str:
    """A command's arguments, after its name if they say little alone ("482")."""
    is_short = not text[:1].isalpha() or len(cue_phrases.words_of(text)) < _FEW_WORDS
    return f"{turn.command} {text}".strip() if turn.command and is_short else text


def _joined(units: list[Unit]) -> str:
    """Join parts, with a semicolon after one without punctuation."""
    text = ""
    for unit in units:
        between = joint(text) if text.endswith(tuple(_MARKS)) else "; "
        text += (between if text else "") + unit.text
    return text


def typed_units(turn: Turn) -> list[Unit]:
    """The parts of a prompt that a person typed, without courtesies and fillers."""
    parts = (unit for unit in units_of(typed_part(turn.ask)) if unit.kind != "code")
    units = [unit._replace(text=without_nods(unit.text)) for unit in parts]
    said = [unit for unit in units if not is_courtesy(unit.text)]
    return [unit._replace(text=without_fillers(unit.text)) for unit in said[:1]] + said[1:]


def _said(turn: Turn) -> list[Unit]:
    """What a person typed, followed by the error from pasted output."""
    error = pasted_error(turn.ask)
    return [*typed_units(turn), *([Unit(error)] if error else [])]


def _weight(unit: Unit) -> float:
    wanted = cue_phrases.PREFERENCE.are_in(cue_phrases.prepare(unit.text))
    return len(content_words(unit.text)) + len(names_in(unit.text)) + (4 if wanted else 0)


def typed_part(text: str) -> str:
    """A prompt without its pasted lines."""
    return _split(text)[0]


def pasted_error(text: str) -> str:
    """The line of pasted output that says most about the error; "" if there is none."""
    errors = [line for line in _split(text)[1] if _ERROR.search(line)]
    best = max(enumerate(errors), key=lambda pair: (_words_in(pair[1]), pair[0]), default=(0, ""))[1]
    return _HEAD.sub("", best.strip(), count=1).strip()


def _words_in(line: str) -> int:
    """The number of words in a line, up to a limit."""
    words = _HEAD.sub("", line.strip(), count=1).split()
    return min(sum(any(map(str.isalpha, word)) for word in words), _MANY)


def _split(text: str) -> tuple[str, list[str]]:
    typed: list[str] = []
    pasted: list[str] = []
    lead = ""  # the last typed line
    for paragraph in _paragraphs(text):
        kept = _typed_lines(paragraph, is_introduced=lead.rstrip().endswith(_INTRODUCES))
        typed += ["", *(line for line, is_typed in zip(paragraph, kept, strict=True) if is_typed)]
        pasted += [line for line, is_typed in zip(paragraph, kept, strict=True) if not is_typed]
        lead = next((line for line in reversed(typed) if line), lead)
    return "\n".join(typed).strip(), pasted


def _paragraphs(text: str) -> list[list[str]]:
    """Split at empty lines; a code block with its fences is one paragraph."""
    paragraphs: list[list[str]] = [[]]
    is_code = False
    for line in text.split("\n"):
        is_fence = _FENCE.match(line) is not None
        if is_fence and not is_code:
            paragraphs.append([])
        if line.strip() or is_code:
            paragraphs[-1].append(line)
        if (is_fence and is_code) or not (line.strip() or is_code):
            paragraphs.append([])
        is_code = is_code != is_fence
    return [lines for lines in paragraphs if lines]


def _typed_lines(lines: list[str], *, is_introduced: bool) -> list[bool]:
    """For each line of a paragraph, whether a person typed it."""
    if _FENCE.match(lines[0]):
        return [False] * len(lines)
    output = [number for number, line in enumerate(lines) if _OUTPUT.match(line)]
    is_indented = all(line[:1] in " \t" for line in lines)
    if is_introduced and (output or is_indented or _is_a_list_of_values(lines)):
        return [False] * len(lines)
    if not output:
        return [True] * len(lines)
    first, last = output[0], output[-1]
    is_mostly = 2 * len(output) >= len(lines) or last - first + 1 >= _BLOCK
    return [
        number < first or (number > last and (not is_mostly or _is_typed(line)))
        for number, line in enumerate(lines)
    ]


def _is_a_list_of_values(lines: list[str]) -> bool:
    """Whether no line of a block is a sentence."""
    return len(lines) >= _BLOCK and not any(_is_typed(line) for line in lines)


def _is_typed(line: str) -> bool:
    return _ITEM.match(line) is not None or (line[:1] not in " \t" and _TYPED.match(line) is not None)


def title_of(session: ParsedSession, findings: list[str]) -> str:
    """What the session was about, cut at a word.

    If no ask names a subject, a commit's subject or a finding is added to the first ask; if the ask is a
    ramble, a commit's subject, the clause of the ramble that came up again, or a finding replaces it.
    """
    about = content_words(" ".join([*findings, *session.files_touched, *session.commits]))
    title = next(filter(None, (_title_line(turn, about) for turn in session.turns)), "")
    if not title or _is_bare(title):
        asked = title or next(filter(None, (ask_text(turn, _VAGUE_ASK) for turn in session.turns)), "")
        title = " – ".join(filter(None, (asked, _subject(session, findings, ""))))
    elif width(title) > _RAMBLE and _PAUSE.search(title, 0, _RAMBLE) is None:
        clause = "" if session.commits else _main_clause(title, about)
        title = clause or _subject(session, findings, title) or title
    title = _without_marks(" ".join(title.replace("**", "").split())).rstrip(" :：。")
    if title and session.is_taken_back:
        return _REVERTED + _shortened(title, MAX_TITLE - len(_REVERTED))
    return _shortened(title, MAX_TITLE)


def _without_marks(title: str) -> str:
    """The longest part of a title without a redaction mark that has a subject."""
    if _MARK not in title:
        return title
    parts = [part.strip() for part in _PARTS.split(title) if _MARK not in part and _is_about_something(part)]
    return max(parts, key=len, default=title)


def _main_clause(ramble: str, about: frozenset[str]) -> str:
    """The first clause of a ramble that came up again, without plain words at its start; "" if none did."""
    clauses = (clause for clause in _JOINTS.split(ramble) if len(clause) >= _SHORTEST)
    found = next((clause for clause in clauses if matter_of(clause) & about), "")
    words = found.split(" ")
    start = next((at for at, word in enumerate(words) if not is_plain(word.lower())), 0)
    return without_fillers(" ".join(words[start:]))


def _subject(session: ParsedSession, findings: list[str], ask: str) -> str:
    """The subject of the commit most similar to the ask, else the first finding, if it is related."""
    subjects = [commit.partition(" ")[2] or commit for commit in session.commits]
    asked = matter_of(ask)
    first_finding = next((text for text in findings if _COLUMN not in text), "")
    finding = first_finding if not ask or matter_of(first_finding) & asked else ""
    return max(subjects, key=lambda each: len(matter_of(each) & asked), default=finding)


def _is_bare(title: str) -> bool:
    """Whether a title is one word ("tests"), or a command with at most one more, such as "/review 482"."""
    is_word = title.isascii() and not names_in(title)
    return len(title.split()) <= (2 if title.startswith("/") else 1 if is_word else 0)


def _title_line(turn: Turn, about: frozenset[str]) -> str:
    """The first sentence that names the subject; from pasted output only if nothing was typed."""
    typed = [unit.text for unit in typed_units(turn)] or [pasted_error(turn.ask)]
    tasks = (_ROLE.sub("", text, count=1) if _ROLE.match(text) else text for text in typed)
    candidates = [text for text in tasks if _is_about_something(text)][:_FIRST_SENTENCES]
    if not candidates:
        return ""
    best = candidates[0]
    if not names_in(best) and not matter_of(best) & about:
        needed = _MORE if len(matter_of(best)) > 1 else 1  # one word that never recurs says little
        best = next((text for text in candidates if len(matter_of(text) & about) >= needed), best)
    text = _REQUEST.sub("", best, count=1).removesuffix("?") if _REQUEST.match(best) else best
    return with_command(turn, _fitting(text.removesuffix("."), about))


def _fitting(text: str, about: frozenset[str]) -> str:
    """The text; if it is too long, without first clauses that are unrelated to what followed."""
    while len(text) > MAX_TITLE and (end := _CLAUSE.search(text)):
        clause = text[: end.start()]
        if names_in(clause) or matter_of(clause) & about or not _is_closed(clause):
            break
        text = text[end.end() :]
    return text


def _shortened(text: str, room: int) -> str:
    """The text cut to `room` characters, at its last pause if that leaves enough."""
    if len(text) <= room:
        return text
    ends = [
        found.start()
        for found in _PAUSE.finditer(text, 0, room)
        if found.start() >= _SHORTEST and not ABBREVIATED.search(text[: found.end()])
    ]
    head = text[: ends[-1]].rstrip() if ends else ""
    if head and _is_closed(head) and _is_about_something(head):
        return head
    return _DANGLING.sub("…", cut(text, room))


def _is_closed(clause: str) -> bool:
    """Whether a clause closes every bracket and code span that it opens."""
    pairs = (("(", ")"), ("[", "]"), ("{", "}"))
    is_balanced = all(clause.count(left) == clause.count(right) for left, right in pairs)
    return is_balanced and clause.count("`") % 2 == 0


def _is_about_something(text: str) -> bool:
    return bool(matter_of(text) or names_in(text)) or width(text) >= len(text) + _WIDE
