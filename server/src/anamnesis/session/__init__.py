"""A session of an agent: read its transcript, judge it, summarise it, write its note, record it."""
