"""Many processes save and undo rules in one file while they are killed, beside programs that only know its lock."""
