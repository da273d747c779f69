"""One place for the questions of all agents: who asks waits, a person answers, each question once.

``waiting`` keeps the questions, ``inbox_server`` listens for them on a socket of the user's, ``inbox_call`` puts one
there. What becomes of an answer is done in ``answering``. See ``docs/decisions/inbox.md``.
"""
