"""Sheets of paper: standings and score sheets in the reader's language, as HTML, PDF, CSV and workbooks.

What is on a sheet is said once (`layout.Paper`), made of the JSON that the interface answers with anyway.
Each form is only another way to write that down, so that no two of them can have different figures.
"""
