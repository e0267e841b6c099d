"""A purge removes queries from receipts, and later ones are not recorded."""

from __future__ import annotations

from anamnesis.purge import without_purged
from anamnesis.session.receipts import add_entry, read_entries
from machines import DAWN, Machine

SECRET = "Zx8-kestrel-4471"


def test_a_query_that_found_a_purged_note_is_removed_from_its_receipt_and_others_stay(desk: Machine) -> None:
    add_entry(str(desk.root), "s1", "told", ids=[["N1", DAWN]])
    add_entry(str(desk.root), "s1", "searched", query="marlin contract", ids=[["N1", DAWN], ["N2", DAWN]])
    add_entry(str(desk.root), "s1", "searched", query="harbour", ids=[["N2", DAWN]])
    desk.write("N1", "the marlin contract")
    desk.write("N2", "the harbour")
    desk.sync()
    desk.purge("N1")
    entries = read_entries(str(desk.root), "s1")
    assert [entry.get("query") for entry in entries] == [None, "[removed]", "harbour"]
    assert entries[1]["ids"] == [["N1", DAWN], ["N2", DAWN]]
    assert b"marlin" not in (desk.root / "machine.db").read_bytes()


def test_a_later_search_for_a_purged_text_is_not_recorded(desk: Machine) -> None:
    desk.write("N1", f"uses {SECRET} here")
    desk.sync()
    desk.purge(texts=[SECRET])
    assert without_purged(desk.memory, f"is {SECRET} gone?") == "is [removed] gone?"
    assert without_purged(desk.root / "elsewhere", SECRET) == SECRET
