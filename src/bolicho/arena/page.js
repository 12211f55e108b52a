// A click on a heading sorts its table.
for (const head of document.querySelectorAll("th")) head.addEventListener("click", () => {
  const body = head.closest("table").tBodies[0], column = head.cellIndex, up = head.dataset.up !== "1";
  const key = row => { const cell = row.cells[column], text = cell.dataset.order ?? cell.textContent;
    const number = parseFloat(text.replace("−", "-").replace(/,/g, "")); return Number.isNaN(number) ? text : number; };
  const compare = (a, b) => typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b));
  for (const other of head.parentElement.cells) delete other.dataset.up;
  head.dataset.up = up ? "1" : "0";
  body.append(...[...body.rows].sort((a, b) => (up ? 1 : -1) * compare(key(a), key(b))));
});
