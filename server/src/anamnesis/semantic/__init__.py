"""Meaning: texts as vectors, kept beside the index, so that a note is found by words it does not contain.

    windows     a long text in overlapping pieces that a model can take
    installed   which model this store uses, in a small file that is read without numpy
    weights     numbers of a model, as floats or as bytes with a scale for each row
    bert        the forward pass of a BERT-family encoder
    folder      a model folder in the usual layout: read, checked, kept in small form
    encoder     `encode(texts) -> vectors`, by a model on this machine or by a server
    vectors     the file of vectors: derived, deletable, appended to
    nearness    which notes are near to a query, by brute force
    fetch       fetching the default model with the installer that the user has

Nothing here knows the store or the index. `installed` and `vectors` need no extra; the others need numpy,
tokenizers and safetensors, which the extra `semantic` brings.
"""
