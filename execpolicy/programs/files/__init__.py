"""Files that a script writes, and what programs take from them."""
