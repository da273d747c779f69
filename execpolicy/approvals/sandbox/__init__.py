"""The sandbox of a command: the policy, the implementation and its requirements on the machine."""
