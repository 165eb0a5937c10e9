"""How hard deals are for the landlord: played out, sorted into classes, judged at sight, and made to order."""
