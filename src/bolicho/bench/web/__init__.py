"""The web table under load: moves that are stored beside a bare echo of the same server, memory, the first page."""
