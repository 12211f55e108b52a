"""Storage of artifacts, matches and studies."""
