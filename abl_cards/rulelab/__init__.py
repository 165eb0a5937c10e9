"""abl_cards.rulelab."""
