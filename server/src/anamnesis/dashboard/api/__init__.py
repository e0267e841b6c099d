"""The dashboard's endpoints, one module per noun: plain functions from a `Call` to a JSON object.

    overview    the first page, the status on every page, one project
    notes       list, search, read, write, edit, replace, delete, review
    history     a note's versions, deleted notes, the store's commits
    sessions    what each session was told, and what the next one would be told
    exchange    other machines, and held notes
    upkeep      doctor, index, settings, reflection

`app` has the route of each endpoint.
"""
