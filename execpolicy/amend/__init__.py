"""How a rule file grows: what may be saved, what to offer, and appending it so that nothing is ever lost or torn."""
