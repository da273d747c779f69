"""Browser output: the page of ``execpolicy ui``, and reports as separate files.

``markup`` makes every element, and thereby escapes everything. ``page_app`` is the only module that imports
Starlette, ``page_server`` the only one that imports uvicorn. ``page_guard`` controls access.
"""
