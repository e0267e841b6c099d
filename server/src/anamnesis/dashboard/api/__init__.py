"""The endpoints of the dashboard, one module per noun: plain functions from a Call to JSON."""
