"""The first page: transferred bytes, and time until it is usable."""

from collections.abc import Iterator
from time import perf_counter

from bolicho.bench import Figure
from bolicho.machine import browser


def first_page(base: str) -> Iterator[Figure]:
    """Open the home page in a browser with an empty cache."""
    program = browser()
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        program = None
    if program is None:
        yield Figure(
            "first page", float("nan"), "kB", note="needs chromium and playwright: make test installs the latter"
        )
        return
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        try:
            page = chromium.new_page()
            devtools = page.context.new_cdp_session(page)
            devtools.send("Network.enable")
            sizes: list[float] = []
            devtools.on("Network.loadingFinished", lambda event: sizes.append(event["encodedDataLength"]))
            page.goto("about:blank")
            start = perf_counter()
            page.goto(base)
            page.locator("button:visible").first.wait_for()
            usable = perf_counter() - start
            page.wait_for_load_state("networkidle")
        finally:
            chromium.close()
    yield Figure(
        "first page over the wire", sum(sizes) / 1000, "kB", 150, at_least=False, note=f"{len(sizes)} requests"
    )
    yield Figure("first page usable after", 1000 * usable, "ms", 1000, at_least=False, note="Chromium, loopback")
