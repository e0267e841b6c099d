"""Every error that Anamnesis raises on purpose.

AnamnesisError              one line for the user: which thing, what is wrong, what to do
|-- NoteFormatError         a file cannot be read as a note (also a ValueError)
|-- InvalidNote             a note that breaks a rule and was not written (also a ValueError)
|   `-- SecretFound         it contains a credential
|-- NoteNotFound            no note has that id (also a LookupError)
|-- AmbiguousId             the start of an id, or words of a title, match several notes (also a LookupError)
|-- UnknownProject          no note has that project; the message suggests similar ones
|-- SessionNotFound         nothing is known about that session (also a LookupError)
|-- StaleNote               the note changed since the version an edit was based on
|-- StoreUnavailable        the store cannot be read or written
|-- ConfigError             a setting or settings file is not usable
|-- GitError                a git command failed
|   `-- GitTimeout          it did not answer in time
|-- SyncError               a sync could not be carried out
|   |-- NotHeld             the note to resolve is not held (also a LookupError)
|   `-- BadResolution       a held note cannot be resolved in the requested way (also a ValueError)
|-- ModelError              the configured model gave no usable answer
`-- SemanticError           the model that compares meanings cannot be used
"""


class AnamnesisError(Exception):
    """A known failure whose text can be shown to the user."""


class NoteFormatError(AnamnesisError, ValueError):
    """A file cannot be read as a note; the text says why, without the path."""


class InvalidNote(AnamnesisError, ValueError):
    """A note breaks a rule of the format and was not written."""


class SecretFound(InvalidNote):
    """A note contains a credential and was not written."""


class NoteNotFound(AnamnesisError, LookupError):
    """No note has this id."""

    def __init__(self, note_id: str, *, by_title: bool = False) -> None:
        words = ", and no current note has these words in its title" if by_title else ""
        search = "`anamnesis search` also finds other words and near spellings, " if by_title else ""
        super().__init__(f"no note has the id {note_id!r}{words}; {search}`anamnesis list` shows all notes")


class AmbiguousId(AnamnesisError, LookupError):
    """A text matches several notes; `notes` has the id and title of each."""

    def __init__(self, text: str, notes: list[tuple[str, str]], *, by_title: bool = False) -> None:
        named = [f"  {note_id}  {' '.join(title.split())}" for note_id, title in notes[:_MOST_NAMED]]
        more = ["  and others"] if len(notes) > _MOST_NAMED else []
        fits = "is in the titles of several notes" if by_title else "starts the ids of several notes"
        super().__init__("\n".join([f"{text!r} {fits}; give more of it, or the id:", *named, *more]))


_MOST_NAMED = 5


class UnknownProject(AnamnesisError, LookupError):
    """No note has this project."""


class SessionNotFound(AnamnesisError, LookupError):
    """No receipt and no note belongs to this session."""

    def __init__(self, session: str) -> None:
        super().__init__(f"no session {session!r} is known here; the Sessions page lists those that are")


class StaleNote(AnamnesisError):
    """The note changed since the version this edit was based on."""


class StoreUnavailable(AnamnesisError):
    """The store folder cannot be read or written."""


class ConfigError(AnamnesisError):
    """A setting, or the settings file, is not usable."""


class GitError(AnamnesisError):
    """A git command failed; the text contains git's message, with passwords masked."""


class GitTimeout(GitError):
    """A git command was stopped because it printed nothing for too long."""


class SyncError(AnamnesisError):
    """A sync could not be carried out; nothing was lost. `kind` is one of those in docs/sync.md."""

    def __init__(self, text: str = "", *, kind: str = "other") -> None:
        super().__init__(text)
        self.kind = kind


class NotHeld(SyncError, LookupError):
    """The note to resolve is not held."""


class BadResolution(SyncError, ValueError):
    """A held note cannot be resolved in the requested way; it stays held."""


class ModelError(AnamnesisError):
    """The configured model gave no usable answer."""


class SemanticError(AnamnesisError):
    """The model that compares meanings cannot be fetched, read or run."""
