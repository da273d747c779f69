"""One module per check; its docstring is the check's page in ``docs/checks``."""
