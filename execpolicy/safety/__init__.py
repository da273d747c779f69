"""What is known about programs: grammars of safe invocations, forms of dangerous ones, the opinion on a command."""
