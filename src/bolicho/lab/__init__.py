"""The studies: one module per document, each figure and table one function."""
