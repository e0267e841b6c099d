"""The dashboard: a small HTTP API over the operations, and the built front end.

    guard       access control: login, cookie, Host, Origin; security headers
    call        a request as checked values; errors as JSON
    workspace   the open store, its backend, and cached answers
    watcher     whether the store has changed; a cached answer
    live        server-sent events: changes of the store, progress of a sync
    pages       the built front end and its Content-Security-Policy
    answers     JSON forms that several endpoints share
    api/        the endpoints, one module per noun
    app         the routes, the loopback sockets, and running the server

It reads and writes notes only through `anamnesis.operations` and the modules below it.
"""
