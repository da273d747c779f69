"""One attack a file, on what no ground alone stands for: pagers, secrets by selectors, and what is forbidden."""
