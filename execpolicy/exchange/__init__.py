"""The permission formats of agents, converted to and from rules, with a report of the losses."""
