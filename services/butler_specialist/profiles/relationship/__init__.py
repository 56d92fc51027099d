"""People: birthdays, meetings, gifts, how to reach them."""
