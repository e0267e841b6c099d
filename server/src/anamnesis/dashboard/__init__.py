"""The dashboard: a small HTTP API over the operations, and the built front end beside it.

login       the token in the printed address, and the cookie that a browser gets for it
guard       which requests are let in: Host, Origin, the cookie; the headers on every answer
call        one request as checked values; errors as JSON
workspace   the open store, its backend and cached answers
memo        a cache for one answer until the store changes
watcher     a cheap answer to "has anything changed?"
fleet       the machines, for the Machines page
pages       the built front end, its Content-Security-Policy, and the plain page when it is missing
api/        the endpoints, one module per noun: plain functions from a call to a JSON object
app         the routes
listen      the loopback socket, and running the server
"""
