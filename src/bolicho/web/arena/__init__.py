"""The arena on a page: tournaments started, watched, stopped and gone on with in the browser; reports of the lab."""
