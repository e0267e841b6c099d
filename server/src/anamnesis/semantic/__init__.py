"""Search by meaning: texts as vectors, so that a note is found by words it does not contain.

    installed   which model this store uses, and the state of its vectors; read without numpy
    encoder     `encode(texts) -> vectors`, with a BERT-family model on this machine
    vectors     the vector file (derived, can be deleted), a note's windows, and which notes are near a query
    meaning     the model and the vectors of a store
    install     installs a model: from a folder, or the default one

Vectors are made by `anamnesis semantic` and after a sync, never in a hook or a search. Nothing here knows the
store or the index. All but `installed` need numpy, tokenizers and safetensors, from the extra
`semantic`.
"""

from anamnesis.config import set_default

# Must be set before numpy is imported. Its threads spin while they wait for each other: on a busy machine, a
# query with two threads took ten times as long as with one. One thread also leaves the other cores free while
# vectors are made.
for _variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"):
    set_default(_variable, "1")
