"""Case-based players with clusters: the package tree is the CBR cycle."""
