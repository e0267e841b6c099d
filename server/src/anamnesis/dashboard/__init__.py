"""The dashboard: a small HTTP API over the operations, and the built front end beside it.

guard       who is let in: the login, Host, Origin, the cookie; the headers on every answer
call        one request as checked values; errors as JSON
workspace   the open store, its backend and cached answers
watcher     a cheap answer to "has anything changed?", and a cache for one answer until then
live        server-sent events: changes of the store, the progress of a sync
pages       the built front end, its Content-Security-Policy, and the plain page when it is missing
answers     the JSON forms that several endpoints share
api/        the endpoints, one module per noun: plain functions from a call to a JSON object
app         the routes, the loopback socket, and running the server
"""
