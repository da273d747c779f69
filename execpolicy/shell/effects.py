"""The kinds of ``Effect``: stable words for what a script does beside running commands.

Every kind blocks a grant. Kinds that the reader itself reports:

======================  ================================================================================
``alias``               a name gets another meaning for the lines behind it
``arithmetic``          text is evaluated as arithmetic and is not proven to be harmless: arithmetic
                        evaluates names and subscripts again, and a subscript may hold ``$(…)``
``assign-default``      ``${x:=word}`` and ``${x=word}`` assign
``assignment``          a loop or ``{name}<file`` gives a value to a variable that may change what runs
``coproc``              a command runs beside the script with its own pipes
``dynamic-program``     the program is only known at run time
``dynamic-redirect``    the target of a redirection that reads is only known at run time (it could be
                        ``/dev/tcp/…``, a pipe or a terminal)
``indirect``            ``${!x}``: the value of ``x`` is evaluated as a name
``network-redirect``    ``/dev/tcp/…`` or ``/dev/udp/…`` opens a connection
``prompt-expansion``    ``${x@P}`` expands the value of ``x``, substitutions included
``recursion``           a function that calls itself (fork bombs)
``redefinition``        a function is defined; its name is the detail
``shell-option``        ``set`` or ``shopt`` changes how the rest of the script is read or run
======================  ================================================================================

Source: the bash 5.2 manual, each one tried with bash 5.2.15.
"""

from __future__ import annotations

ALIAS = "alias"
ARITHMETIC = "arithmetic"
ASSIGNMENT = "assignment"
ASSIGN_DEFAULT = "assign-default"
COPROC = "coproc"
DYNAMIC_PROGRAM = "dynamic-program"
DYNAMIC_REDIRECT = "dynamic-redirect"
INDIRECT = "indirect"
NETWORK_REDIRECT = "network-redirect"
PROMPT_EXPANSION = "prompt-expansion"
RECURSION = "recursion"
REDEFINITION = "redefinition"
SHELL_OPTION = "shell-option"
