"""What a policy means: decisions, patterns, rules, matches, evaluation. Pure, standard library only."""
