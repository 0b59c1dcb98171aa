"""Trull over HTTP: the Flask application and what starts it."""
