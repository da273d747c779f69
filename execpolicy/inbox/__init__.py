"""One place for the questions of all agents: the asker waits, a person answers, each question once.

``waiting`` keeps the questions, ``inbox_server`` listens for them on a socket of the user's, ``inbox_call`` sends one.
``answering`` executes the answers. See ``docs/decisions``.
"""

from execpolicy import public_names

__getattr__, __dir__ = public_names(__name__)
