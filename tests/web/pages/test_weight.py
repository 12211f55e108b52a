"""Size of the home page, at the first and second visit."""

from time import perf_counter

MOST = 150_000  # bytes over the wire


def test_home_page_is_small(come):
    ana = come()
    wire = ana.context.new_cdp_session(ana.page)
    wire.send("Network.enable")
    sizes = []
    wire.on("Network.loadingFinished", lambda event: sizes.append(event["encodedDataLength"]))
    start = perf_counter()
    ana.go("/")
    ana.page.locator("[data-play=truco]").wait_for()
    usable = perf_counter() - start
    ana.page.locator(".agents .agent").first.wait_for()
    ana.page.wait_for_load_state("networkidle")
    print(f"the first page: {sum(sizes):,.0f} bytes in {len(sizes)} answers, usable after {1000 * usable:.0f} ms")
    assert len(sizes) > 5 and sum(sizes) <= MOST


def test_second_visit_is_served_from_the_cache(come):
    ana = come()
    ana.go("/")
    ana.page.locator(".agents .agent").first.wait_for()
    wire = ana.context.new_cdp_session(ana.page)
    wire.send("Network.enable")
    sizes = []
    wire.on("Network.loadingFinished", lambda event: sizes.append(event["encodedDataLength"]))
    ana.page.reload()
    ana.page.locator(".agents .agent").first.wait_for()
    ana.page.wait_for_load_state("networkidle")
    print(f"the first page again: {sum(sizes):,.0f} bytes")
    assert sum(sizes) < MOST / 5
