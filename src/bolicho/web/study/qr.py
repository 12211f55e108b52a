"""QR codes of links, as SVG."""

LONGEST = 1000  # characters; a code for more is too fine for the camera of a phone


def qr_svg(text: str) -> str:
    """Return the QR code of a text, with a quarter of redundancy and the quiet zone that readers need."""
    import segno

    return str(segno.make(text, error="q", micro=False).svg_inline(scale=8, border=4))
