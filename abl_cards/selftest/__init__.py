"""A folder tests itself: its cases, what its rules never do, and the edits that no case notices."""
