"""Programs that run commands found elsewhere than in plain sight: in scripts, option values, their own languages."""
