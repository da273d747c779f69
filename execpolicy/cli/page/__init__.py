"""What is shown in a browser: the page of ``execpolicy ui``, and reports as files of their own.

``markup`` makes every element, and thereby escapes everything. ``page_app`` is the only module that knows Starlette,
``page_server`` the only one that knows uvicorn, ``page_guard`` decides who is let in.
"""
