"""The studies: one package per document, each figure and table one function."""
