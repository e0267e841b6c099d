"""The commands as one table: what each is for, its arguments, the shape of its JSON, an example.

Parsers, help, shell completion and docs/cli.md are made from it. To add a command: a block here, its module
in `anamnesis.cli.COMMANDS`, and in that module a function named after it ("-" as "_"):

    cmd_search(args) -> int    parses, calls one operation, answers through `args.out`; about 25 lines

A line at the margin is a command and what it is for; several share the lines below them. Of those, `@filters`
stands for the filters of notes, `>` is the shape of --json, `$` an example ({name}: the command), and any
other line an argument and its help. `X...` are one or more words, `[X]` may be left out, `a|b` are the
choices, `=8` is the default, and `+` marks an argument that can be repeated. Arguments after `|` exclude the
one before. A placeholder decides what is accepted (`ACCEPTED`); {note} stands for the fields of a note,
{types} and {scopes} for the values that it can have.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NoReturn

from anamnesis.cli.output import tell
from anamnesis.notes.vocabulary import FILTERS, SCOPES, TYPES
from anamnesis.text import since_moment

USAGE = 2  # the exit code for invalid arguments
EVERYDAY = tuple("search list show write edit delete sync resolve status doctor init dashboard".split())
NOTE = "id, type, title, project, machine_id, scope, tags, created_at, updated_at"
_GAP = "  "  # between an argument and its help

TABLE = """\
# Notes

search  find notes by their words, best first
  QUERY...            words to look for; put -- before a word that starts with -
  @filters
  -k --limit N=8      at most this many notes
  --words             by words alone, without the model of `semantic install`
  --explain           say why each note matched
  > [{note, body}], best first; with --explain also score, matched, snippet, meaning with a model, and weak
    if only common words match
  $ anamnesis search --project global "sqlite lock timeout"

list  list notes, newest first
  @filters
  --limit N           at most this many notes (default: 50 on a terminal, otherwise all)
  --all               all notes, even on a terminal
  > [{note, superseded_by: [id]}], newest first
  $ anamnesis list --since yesterday --machine laptop --tags deploy

show  print one note
  ID...               the note
  > {note, body, prov_source, prov_model, prov_session, confidence, supersedes, path, version,
    superseded_by: [id]}
  $ anamnesis show 01J9Z8YPM7Q3X2V4WT6B5N0KGD

write  write a new note and print its id
  [TEXT...]           the text of the note; without it and --body, standard input is read
  --type {types}=semantic  procedural: how to do something; semantic: a fact;
                      episodic: what happened
  --title TEXT        one line that says what it is about (default: the first words of the text)
  --body TEXT         the text of the note; - reads standard input
  --project KEY       a key such as github.com/you/app, or global (default: this project; global outside
                      of one)
  --tags A,B          tags, separated by commas
  --scope {scopes}=portable  portable notes sync, machine-local ones stay here
  --supersedes ID     the note that this one replaces; several in quotes, separated by spaces
  > {note, body}
  $ anamnesis write "Staging is read-only on Sundays: the backup locks it."

edit  open a note in your editor
  ID...               the note
  > the note as `list --json` shows it
  $ EDITOR=nano anamnesis edit 01J9Z8YPM7Q3X2V4WT6B5N0KGD

delete  delete a note (`undo` brings it back)
  ID...               the note
  --yes               do not ask; ID must then be the full id
  > {note}, the deleted note
  $ anamnesis delete 01J9Z8YPM7Q3X2V4WT6B5N0KGD --yes

undo  undo the last change to a note
  [ID...]             the note (default: the one that was changed last on this machine)
  > the note as `list --json` shows it
  $ anamnesis undo

supersede  write a newer note in place of an old one
  ID...               the note to replace, which `list` still shows and recall no longer does
  --title TEXT        title of the new note (default: that of the old one)
  --body TEXT         the text (default: read from standard input)
  > {note, body}
  $ anamnesis supersede 01J9Z8YPM7Q3 --title "Use spaces" --body "Four."

history  show, compare and restore a note's versions
  ID...               the note, which may be deleted
  --diff A B          show how version B differs from A
  | --restore [VERSION]  make a version the note's text again: 4 or more characters of its name; without one,
                      the newest readable text of a note that is deleted or broken
  > {id, uncommitted, versions: [{version, at, machine_id, action, message, path}]}, action one of added,
    edited, moved, deleted, replaced; with --diff {id, diff}, with --restore the note as `list --json`
    shows it
  $ anamnesis history 01J9Z8YPM7Q3X2V4WT6B5N0KGD --restore 3237e8f

# Sync

sync  exchange notes with your other machines
  --quiet             print nothing unless something needs attention
  --rejoin            accept a remote that was emptied, rewritten, or used for something else
  --yes               with --rejoin: do not ask
  --recover COMMIT    first write the notes again that a --rejoin removed
  --allow-secret ID+  sync a note with the credential that it has; also for one that another machine allowed
  --timeout N         how many seconds to wait for a silent remote (default: the setting sync_timeout)
  --background        wait minutes for a slow remote, as the hooks do
  --detach            as a hook: return at once and sync in a background process
  > {pushed, pulled, conflicted, head, detail, reached, held, changed, failure,
    left_out: [{path, reason}], waiting: [{path, line, kind, id, title}]}
  $ anamnesis sync

resolve  list held notes, or resolve one
  [ID...]             the held note to resolve (default: list all; on a terminal, ask for each)
  --mine              keep this machine's text
  | --theirs          take the other machine's text
  | --both            keep every line of both texts, even those that one side deleted or changed
  | --edit            open both in your editor and save the result
  > [{id, title, path, since, machine, moment, private, base, mine, theirs}]; after resolving one,
    {id, title, choice}
  $ anamnesis resolve 01J9Z8YPM7Q3X2V4WT6B5N0KGD --theirs

fleet  show which of your machines are in sync, behind or silent
  --forget NAME       remove a machine from the list; a later sync of its own adds it again
  > {machines: [{name, here, heard, tree, behind, version, ...}], agree, tree, as_of}; with --forget
    {forgotten}
  $ anamnesis fleet

news  list what other machines wrote and edited
  --since DATE        only what came since then (default: all that is recorded)
  > [{id, title, project, type, kind, machine, at, seen}]
  $ anamnesis news --since 7d

purge  erase notes or texts from every version, on every machine
  [ID]+               notes to remove with all their versions, deleted ones too: ids, or quoted titles
  --text TEXT+        remove this text from every version of every note; `-` reads it from standard input
  --secrets           remove every credential that was not allowed from all versions
  --yes               do not ask
  > {purge, ids, removed, changed, versions, left, detail, reached}
  $ anamnesis purge --text 'hunter2-hunter2'

# Setup and health

init  set this machine up: store, hooks, MCP server, sync
  --home DIR          where the store is (default: ~/.anamnesis)
  --machine-id NAME   this machine's name (default: the host name)
  --remote URL        git remote that your machines share
  | --local-only      no remote; run init again to add one
  --create            create the remote's repository if it is missing: over ssh, or in a folder
  --agent claude|codex|gemini|opencode|qwen|copilot|cursor|generic+  set this agent up (default: claude)
  --command CMD       the command that hooks and server run
  | --uv-project DIR  run through `uv run --project DIR`
  --no-mcp            do not register the MCP server in Claude Code
  --no-hooks          do not touch Claude Code's settings.json
  --no-sync           no first sync
  --capture-past      make notes of the sessions that are on disk already
  -y --yes            ask nothing, take the defaults
  --print             show what would be done and do nothing
  --uninstall         remove hooks, permissions and server again
  $ anamnesis init --remote you@host:anamnesis-memory.git

status  show counts, sync state and what needs attention
  > {root, db_path, total, by_type, by_project, by_scope, superseded,
    current: {total, by_type, by_project, by_scope}, sync: {initialized, remote, head, dirty, detail},
    ahead, behind, unpushed_since, uncommitted_since, failure, last_sync, held: [id],
    held_names: [title and id], waiting: [{path, line, kind, id, title}], left_out: [{path, reason}],
    problems: [{path, reason}], last_capture, last_inject, uncaptured, needs_attention, usage,
    semantic: {name, language, notes, pending, problem} or null}
  $ anamnesis status --json

doctor  check everything; --fix repairs what is safe to repair
  --fix               repair what can be repaired without losing anything
  > {healthy, fixed: [text], failed: [text],
    findings: [{name, state: ok|warn|bad, evidence, remedy, fixable}]}
  $ anamnesis doctor --fix

config  show, change and test the settings
  $ anamnesis config set remote you@host:anamnesis-memory.git
config list  every setting, its value and where it comes from
  > [{name, value, source, variable, about}]
config get  print one setting's value
  SETTING             the setting; `config list` names them all
  > {name, value, source, variable, about}
config set  store a setting in config.json
  SETTING             the setting; `config list` names them all
  VALUE               the value; "-" reads it from standard input
config unset  remove a setting from config.json
  SETTING             the setting; `config list` names them all
config test  check the settings, the remote and the model
  > [{name, state: ok|warn|bad, evidence, remedy, fixable}]

project  show, set or trust the project of a folder
  $ anamnesis project show
project show  show which project a folder belongs to
project trust  let the marker of a cloned repository choose which project's notes are loaded
  [FOLDER]=.          the folder, by default this one
  > {folder, project, remote, refused}
project set  write a marker with this folder's key, to be committed with the repository
  KEY                 the key, such as github.com/you/app
  [FOLDER]=.          the folder, by default this one
  > {folder, project, remote, refused}

dashboard  serve the dashboard to a browser on this machine
  --port PORT=3000    port on localhost; 0: any free one
  --open              open the page in the browser
  --origin ORIGIN+    also accept pages from this address, and point there; for the front end's dev server
  $ anamnesis dashboard --open

reindex  bring the index up to date with the files
  --full              rebuild the index instead of scanning for changes
  > {indexed, problems: [{path, reason}]}
  $ anamnesis reindex --full

semantic  install a model that finds notes by their meaning
  $ anamnesis semantic install
semantic install  fetch the default model or use your own, and compute all vectors
  --from FOLDER       a folder with a BERT model: config.json, model.safetensors, tokenizer.json or vocab.txt
  --yes               do not ask before anything is fetched
  > {installed, name, language, notes, pending, problem}
semantic update  make the vectors of new and changed notes, as each sync does in the background
semantic status  which model is in use, and how many notes have vectors
semantic remove  delete the model and all vectors; search uses words alone again
  > {installed, name, language, notes, pending, problem}; without a model {installed: false}

# Sessions

why  show what a session was told, searched for and used
  [SESSION]           its id, or the start of it (default: the last one here)
  --unused            list the notes that 10 or more sessions were shown in full and none used
  --rules             list the rules that sessions in this project are told, and their origin
  --drop WORDS...     drop the one rule with these words, or from this note
  --project KEY       with --rules and --drop: rules of this project (default: this one)
  > [{kind, at, ...}]: told, searched and used, in order; with --unused [{id, title, project, told}];
    with --rules and --drop (then those told again) [{id, line, at, project, source, title, stated}]
  $ anamnesis why

# Curation

tidy  collapse identical notes, merge those that say the same
merge  merge notes that say the same
dedup  collapse notes with identical bodies
  --project KEY       only this project
  --apply             make the changes; without it they are only shown
  > {command, applied, steps: [{action, id, title, project, why, ...}], left: [ids]}
  $ anamnesis {name} --project my-shop --apply

reflect  distil session notes into durable ones with a model
  --project KEY       only this project (default: all that are due)
  --apply             write the notes, tag their sources, commit; without it they are only shown
  > {applied, projects: [{project, sources, notes, applied, problem}], usage}
  $ anamnesis reflect --project my-shop --apply

migrate  move notes from one project key to another
  OLD                 the key that notes have now
  NEW                 the key that they should have
  --apply             make the changes; without it they are only shown
  > {command, applied, steps: [{action, id, title, project, why, ...}], left: [ids]}
  $ anamnesis migrate old-name github.com/me/new-name --apply

backfill-provenance  fill in where notes came from
  --apply             make the changes; without it they are only shown
  > {command, applied, steps: [{action, id, title, project, why, ...}], left: [ids]}
  $ anamnesis backfill-provenance

# Moving

import  import markdown, an export, or Claude Code's own memory
  [PATH]              an export, or any markdown (default: Claude Code's own memory files)
  --project KEY       with PATH: tell the notes to the sessions of this project (default: only search
                      finds them)
  --tell              with PATH: tell the notes to the sessions of every project, with the rules in
                      an export
  --undo              take the last import of a PATH back
  --dry-run           with PATH: only say what would be done
  > {added: [id], updated: [id], unchanged: [id], kept: [id], redacted: [id],
    problems: [{path, reason}], dry_run}; with --undo {undone: [id], kept: [id]};
    without PATH {folders, files, added: [id], updated: [id], unchanged, kept, problems: [text]}
  $ anamnesis import ~/vault --dry-run

export  write all notes to a folder of markdown, or as JSON
  [PATH]              a new folder (default: print the notes as JSON)
  > {path, notes, unreadable: [{path, reason}]}; without PATH, the notes
  $ anamnesis export notes/

completion  print the completion script for your shell
  bash|zsh|fish       the shell to complete for
  $ eval "$(anamnesis completion bash)"

# Run by hooks and clients

inject  print the notes for this project (SessionStart hook)
  --project KEY       the project (default: that of the session's folder)
  --k NUMBER          at most this many notes in full (default: as many as fit the budget)
  --budget NUMBER=9500  at most this many characters
  --explain           print what each note is worth here and why, instead of the notes
  --format text|json=text  json: as a hook response, for agents that accept no plain text
  $ anamnesis inject --project github.com/you/app --k 12

capture  turn a transcript into one note (SessionEnd hook)
  --transcript FILE   the session's JSONL; default: that of the payload
  --source session-end|precompact=session-end  what the note is tagged with
  --no-sync           only write and commit the note
  --quiet             as a hook: print nothing about the note
  --past              capture all sessions on disk that have no note yet, newest first
  --since DATE        the same for those that ended on or after it
  --project KEY       the same for those of this project
  --background        wait minutes for a slow remote, as the hooks do
  $ anamnesis capture --past --since 30d

serve  run the MCP server on stdin and stdout (the default)
  $ claude mcp add --scope user anamnesis -- anamnesis serve
"""


class Argument:
    """One argument: its flags (none: positional), its placeholder, help, default, and how often it occurs."""

    def __init__(self, line: str) -> None:
        spec, _, text = line.strip().partition(_GAP)
        spec = spec.replace("{types}", "|".join(TYPES)).replace("{scopes}", "|".join(SCOPES))
        self.help = text.strip()
        self.excludes_last = spec.startswith("| ")
        words = spec.removeprefix("| ").split()
        self.flags = [word for word in words if word.startswith("-")]
        value, _, self.default = " ".join(words[len(self.flags) :]).partition("=")
        self.repeats = value.endswith("+")
        value = value.removesuffix("+")
        self.optional = value.startswith("[")
        value = value.removeprefix("[").removesuffix("]")
        self.is_text = value.endswith("...")
        self.value = value.removesuffix("...")
        self.choices = self.value.split("|") if "|" in self.value else []

    def declare(self, parser: argparse._ActionsContainer, completions: Mapping[str, object]) -> None:
        """Add this argument to a parser, with what a shell completes for its placeholder."""
        options: dict[str, Any] = {"help": self.help.replace("%", "%%")}
        if self.flags and not self.value:
            parser.add_argument(*self.flags, action="store_true", **options)
            return
        if self.choices:
            options["choices"] = self.choices
        else:
            options["metavar"] = self.value
        if self.value in ACCEPTED:
            options["type"] = ACCEPTED[self.value]
        if self.value == "ID" and self.is_text:
            options["help"] += ": its id, the start of the id, or words that only its title has"
        if self.default:
            options["default"] = options.get("type", str)(self.default)
            options["help"] += " (default %(default)s)" if self.flags else ""
        if self.is_text:
            options |= {"action": OneText, "nargs": "*" if self.optional else "+"}
        elif self.repeats:
            options |= {"action": "append", "default": []} if self.flags else {"nargs": "*"}
        elif " " in self.value:
            options |= {"metavar": tuple(self.value.split()), "nargs": 2}
        elif self.optional:
            options |= {"nargs": "?", "const": ""} if self.flags else {"nargs": "?"}
        names = self.flags or ["shell" if self.choices else self.value.lower()]
        action = parser.add_argument(*names, **options)
        if self.value in completions:
            vars(action)["complete"] = completions[self.value]


class Command:
    """A command, or a verb of one: `config set`."""

    def __init__(self, head: str, lines: Sequence[str], group: str) -> None:
        self.name, _, self.about = head.partition(_GAP)
        self.group, self.example, self.json = group, "", ""
        self.arguments: list[Argument] = []
        for line in lines:
            mark, _, rest = line.strip().partition(" ")
            if mark == "$":
                self.example = rest.replace("{name}", self.name)
            elif mark == ">":
                self.json = rest.replace("{note", f"{{{NOTE}")
            else:
                self.arguments.append(Argument(line))
        self.verbs: dict[str, Command] = {}

    def declare(self, parser: argparse.ArgumentParser, completions: Mapping[str, object]) -> None:
        """Add the arguments and the verbs of this command to its parser, with what a shell completes."""
        group: argparse._ActionsContainer = parser
        for number, argument in enumerate(self.arguments, 1):
            if not argument.excludes_last:
                starts_choice = any(each.excludes_last for each in self.arguments[number : number + 1])
                group = parser.add_mutually_exclusive_group() if starts_choice else parser
            argument.declare(group, completions)
        if self.json:
            parser.add_argument("--json", action="store_true", help=f"print the result as JSON: {self.json}")
        if self.verbs:
            verbs = parser.add_subparsers(dest="verb", metavar="|".join(self.verbs), required=True)
            for name, verb in self.verbs.items():
                inner = verbs.add_parser(name, help=verb.about, description=sentence(verb.about))
                verb.declare(inner, completions)


def _lines(block: str) -> list[str]:
    """The lines of a block, with continued ones joined, and the filters in place of `@filters`."""
    lines: list[str] = []
    for line in block.strip("\n").split("\n"):
        if line.startswith("    "):
            lines[-1] += f" {line.strip()}"
        elif line.strip() == "@filters":
            lines += [f"  --{name} {value}{_GAP}{about}" for name, (value, about) in FILTERS.items()]
        else:
            lines.append(line)
    return lines


def all_commands() -> dict[str, Command]:
    """Every command by name, in the order of the table, each with its verbs."""
    found: dict[str, Command] = {}
    group, heads = "", list[str]()
    for block in re.split(r"\n+(?=\S)", TABLE):
        head, *lines = _lines(block)
        if head.startswith("# "):
            group = head.removeprefix("# ")
            continue
        heads.append(head)
        for head in heads if lines else ():
            command = Command(head, lines, group)
            name, _, verb = command.name.partition(" ")
            if verb:
                found[name].verbs[verb] = command
            else:
                found[name] = command
        heads = [] if lines else heads
    return found


def parser_of(name: str) -> Parser:
    """The parser of one command."""
    command = all_commands()[name]
    parser = Parser(f"anamnesis {name}", sentence(command.about))
    command.declare(parser, {})
    parser.set_defaults(command_name=name)
    parser.epilog = f"Example:\n  {command.example}"
    return parser


def sentence(about: str) -> str:
    """What a command is for, as a sentence."""
    return f"{about[0].upper()}{about[1:]}."


def usage_error(command: str, text: str) -> int:
    """Print what is wrong with a command's arguments, as its parser would; returns the exit code."""
    tell(f"anamnesis {command}: {text}; see: anamnesis {command} --help")
    return USAGE


class Parser(argparse.ArgumentParser):
    """A parser for one command; it reports a usage error in one line that points to --help."""

    def __init__(self, prog: str, description: str | None = None) -> None:
        # Without a width, argparse loads shutil.
        layout = partial(argparse.RawDescriptionHelpFormatter, max_help_position=26, width=80)
        super().__init__(prog=prog, description=description, formatter_class=layout, allow_abbrev=False)

    def error(self, message: str) -> NoReturn:
        """Print what is wrong with the arguments and exit with 2."""
        sys.exit(usage_error(self.prog.removeprefix("anamnesis "), message))


class OneText(argparse.Action):
    """Joins the words of an argument into one string."""

    def __call__(self, parser: object, namespace: object, values: object, option: str | None = None) -> None:
        """Set the joined words."""
        setattr(namespace, self.dest, " ".join(map(str, values)) if isinstance(values, list) else values)


def _number(text: str) -> int:
    if not (text.isascii() and text.isdigit() and text.strip("0")):
        raise argparse.ArgumentTypeError(f"{text[:40]!r} is not a whole number above 0")
    return int(text.lstrip("0")[:9])  # more than any store has of anything


def _moment(text: str) -> str:
    if not (moment := since_moment(text)):
        raise argparse.ArgumentTypeError(f"{text!r} is not a date; use 2026-01-31, 7d, today or yesterday")
    return moment


def _path(text: str) -> Path:
    if not text.strip():  # an unset variable must not mean the current folder
        raise argparse.ArgumentTypeError("the path is empty; name a file or folder, `.` for this one")
    return Path(text)


# What a placeholder accepts.
ACCEPTED = {
    "N": _number,
    "NUMBER": int,
    "DATE": _moment,
    "FILE": _path,
    "FOLDER": _path,
    "PATH": _path,
    "PORT": int,
}
