"""Server of the table in the browser: matches of people and agents, over HTTP and WebSockets."""
