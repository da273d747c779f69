"""One module per subcommand; each defines ``command`` (click), except the two on the cold path."""
