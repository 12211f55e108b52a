// Pictures of reasons: bars, cells, cases.

import {html} from "/a/draw.js";

export function drawReason(picture, stage) {
  return PICTURES[picture.is]?.(picture, stage) ?? null;
}

const PICTURES = {};
