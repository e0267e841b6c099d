"""The server's two prompts."""

# No postponed annotations here: FastMCP treats a parameter as text only if its annotation is `str` itself;
# otherwise it tells the user to encode the value as JSON.

from fastmcp import FastMCP


def add_prompts(mcp: FastMCP) -> None:
    """Add `recall` and `remember`."""

    @mcp.prompt
    def recall(topic: str) -> str:
        """Look something up in memory and say what is known.

        Args:
            topic: What to look for, in a few words.
        """
        return (
            f"Search memory with memory_search for: {topic}\n"
            "Try two or three wordings. Then say what is known, naming for each point the note's title, date "
            "and machine, and point out what contradicts or may be out of date. If nothing is found, say so."
        )

    @mcp.prompt
    def remember(what: str = "") -> str:
        """Keep something in memory as a well-formed note; without an argument, what this session taught.

        Args:
            what: What to keep; default: what this session taught.
        """
        return (
            f"Store this with memory_write: {what or 'what this session taught that will matter later'}\n"
            "Search first. If a note already says it, do nothing; if one is out of date, supersede it. "
            "One fact per note, with its reason; choose type and project with care; leave secrets out."
        )
