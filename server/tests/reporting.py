"""A machine that writes heartbeats, for the tests of the fleet."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta

from anamnesis.fleet import Fleet, read_fleet
from anamnesis.sync import GitSyncBackend
from anamnesis.sync.heartbeat import heartbeat_path
from machines import Machine

NOW = datetime.now(UTC)


class ReportingMachine(Machine):
    """A machine with a heartbeat, as every command has it."""

    @property
    def backend(self) -> GitSyncBackend:
        """A backend with a heartbeat."""
        remote = str(self.remote) if self.remote else None
        name = self.root.name
        return GitSyncBackend(self.memory, remote=remote, machine_id=name, timeout=600, heartbeat=True)

    def fleet(self, now: datetime = NOW) -> Fleet:
        """This machine's fleet report."""
        backend = self.backend
        return read_fleet(backend.machines(), state=backend.state(), now=now)

    def commits(self) -> int:
        """How many commits the history has."""
        return int(self.git("rev-list", "--count", "main"))

    def age(self, hours: float) -> None:
        """Make this machine's last heartbeat older."""
        path = self.memory / heartbeat_path(self.root.name)
        said = json.loads(path.read_text())
        said["at"] = (NOW - timedelta(hours=hours)).isoformat(timespec="seconds")
        path.write_text(json.dumps(said))
        self.backend.commit()
        # The commit wrote a heartbeat; only its clock should be behind.
        path.write_text(json.dumps(said))
        self.git("commit", "-q", "-a", "--amend", "-m", "as it was")
