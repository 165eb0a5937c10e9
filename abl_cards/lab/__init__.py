"""What rule files say, looked at as text and as games: for editors, the rules lab of the page, and the command line."""
