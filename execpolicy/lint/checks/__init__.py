"""One module per check; its docstring is what ``docs/codes.md`` says of it."""
