"""One module per subcommand; each has ``command`` (click), except the two on the cold path."""
