"""Real shells judge the reader: random scripts are read and run, and what ran must have been reported."""
