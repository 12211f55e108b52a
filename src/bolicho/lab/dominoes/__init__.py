"""Studies of Pinto 2018: dominoes with open and with hidden hands."""
