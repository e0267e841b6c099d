"""The dashboard: a small HTTP API over the operations, and the built front end beside it.

login       the token in the printed address, and the cookie that a browser gets for it
guard       who may ask at all: Host, Origin, the cookie, the headers on every answer
call        one request as checked values; errors as JSON
workspace   what the endpoints work on
memo        an answer that is kept until the store changes
watcher     a cheap answer to "has anything changed?"
fleet       the machines, for the Machines page
pages       the built front end, its Content-Security-Policy, and what is said when it is missing
api/        the endpoints, one module per noun: plain functions from a call to a JSON object
app         the routes, put together
listen      the loopback socket and the server's life
"""
