"""Arena pages: tournaments started, watched, stopped and continued in the browser, and reports of the lab."""
