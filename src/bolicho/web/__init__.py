"""The table in the browser: matches that people and agents play, watch and ask about, over HTTP and WebSockets."""
