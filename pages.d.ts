// What the type check of the pages needs to know beside the browser's own types.

// Every element of the pages is of HTML or SVG, and so has `dataset` and `focus`.
interface Element extends HTMLOrSVGElement {}
