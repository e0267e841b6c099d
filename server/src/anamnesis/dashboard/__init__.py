"""The dashboard: a small HTTP API over the operations, and the built front end.

    guard       access control: login, cookie, Host, Origin; security headers
    pages       the built front end, its Content-Security-Policy, and plain pages without it
    call        a request as checked values; answers and errors as JSON
    routes      the table of the API: what each route accepts, answers and calls
    notes       endpoints: notes, tags, versions of a note
    inbox       endpoints: everything that waits for a person
    activity    endpoints: what happened, and one session
    upkeep      endpoints: overview, projects, machines, health, settings
    app         the application, its stream of changes, the loopback sockets

It reads and writes notes only through `anamnesis.operations` and the modules below it.
"""
