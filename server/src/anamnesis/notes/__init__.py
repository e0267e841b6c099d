"""Notes as values: the record, its vocabulary, its markdown form."""
