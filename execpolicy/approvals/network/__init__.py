"""The network of a sandboxed command: a proxy that applies network rules and asks a person about each host."""
