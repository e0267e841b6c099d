"""Notes as values: the record, its vocabulary, its markdown form. No files, no database.

    record        `Memory`, its ids and rules, and its markdown form
    vocabulary    types, scopes, sources, filters, limits, tags with a meaning
    frontmatter   the YAML block: a fast reader and writer for the usual forms
    yaml_block    the same through PyYAML, for everything else

The writer is strict, the reader lenient.
"""
