"""The studies of Pinto 2018: dominoes, everything open and as it is played."""
