"""Every built-in entry, tried whole: what it accepts is run under strace, and must leave no trace."""
