"""Sites without a server: the pages with rules and agents as WebAssembly, as a folder of static files."""

from bolicho.site.builder import Built, build, package

__all__ = ["Built", "build", "package"]
