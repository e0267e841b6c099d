"""Notes as values: the record, its vocabulary, its markdown form. No files, no database.

    record        `Memory`, its ids and rules, and its markdown form
    vocabulary    types, scopes, sources, timestamps, the JSON form; cheap to import
    frontmatter   the YAML block: a fast reader for the usual forms
    yaml_block    the YAML block through PyYAML: the writer, and the reader of all other forms

The writer is strict, the reader lenient.
"""
