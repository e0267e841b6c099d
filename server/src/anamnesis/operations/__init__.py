"""One act per verb, the same for the command line, the MCP server and the dashboard."""
