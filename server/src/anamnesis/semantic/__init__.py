"""Meaning: texts as vectors, kept beside the index, so that a note is found by words it does not contain.

    installed   which model this store uses, in a small file that is read without numpy
    bert        the numbers of a BERT-family encoder, and its forward pass
    encoder     `encode(texts) -> vectors`, by a model folder on this machine or by a server
    vectors     the file of vectors: derived, deletable, appended to; how many notes have them, what is wrong
    nearness    the windows of a note, and which notes are near to a query, by brute force
    meaning     the model, the vectors, and bringing these up to date with the notes
    install     installing a model: from a folder, at a server, or the default one

Nothing here knows the store or the index. `installed` and `vectors` need no extra; the others need numpy,
tokenizers and safetensors, which the extra `semantic` brings.
"""

from anamnesis.config import set_default

# Before numpy is imported: its threads wait for each other by spinning, so on a machine with other work a
# query by two of them took ten times as long as by one. Building vectors then leaves the other cores alone.
for _variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"):
    set_default(_variable, "1")
