"""The command line: hands in files scored without a server."""
