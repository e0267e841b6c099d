"""The dashboard: a small HTTP API over the operations, and the built front end.

    guard       access control: login, cookie, Host, Origin; security headers
    call        a request as checked values; errors as JSON
    workspace   the open store, its backend, and whether it has changed
    live        server-sent events: changes of the store, progress of a sync
    pages       the built front end and its Content-Security-Policy
    api/        the endpoints, one module per noun, and the JSON forms they share
    routes      the table of the API: what each route accepts, answers and calls
    app         the application, the loopback sockets, and running the server

It reads and writes notes only through `anamnesis.operations` and the modules below it.
"""
