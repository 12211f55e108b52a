"""Games and players as WebAssembly modules, and the descriptions from which JavaScript reads their records."""
