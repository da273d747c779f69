"""The network of a command in the sandbox: a proxy that asks the rules, and a person, about each host."""
