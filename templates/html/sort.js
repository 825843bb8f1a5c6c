"use strict";
// Click a column head to sort its table, group by group; undefined values stay at the end whichever way.
for (const table of document.querySelectorAll("table")) {
  const heads = [...[...table.tHead.rows].at(-1).cells];
  heads.forEach((head, column) => {
    if (head.tagName !== "TH" || head.classList.contains("drawn") || head.querySelector(".title.unseen")) return;
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.querySelector(".title").childNodes);
    head.querySelector(".title").append(button);
    button.addEventListener("click", () => {
      const descending = head.getAttribute("aria-sort") === "ascending";
      heads.forEach((other) => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", descending ? "descending" : "ascending");
      for (const body of table.tBodies) {
        body.append(...sorted([...body.querySelectorAll("tr:not(.group)")], column, descending ? -1 : 1));
      }
    });
  });
}

function sorted(rows, column, sign) {
  const keyed = rows.map((row) => ({ row, cell: row.cells[column] }));
  const defined = keyed.filter(({ cell }) => !cell.classList.contains("undefined"));
  const rest = keyed.filter(({ cell }) => cell.classList.contains("undefined"));
  defined.sort((a, b) => sign * compared(a.cell, b.cell));
  return [...defined, ...rest].map(({ row }) => row);
}

function compared(a, b) {
  if (a.dataset.order !== undefined && b.dataset.order !== undefined) {
    return Math.sign(order(a) - order(b)) || 0;
  }
  return a.textContent.localeCompare(b.textContent, undefined, { numeric: true });
}

function order(cell) {
  return cell.dataset.order.endsWith("inf") ? Number(cell.dataset.order.replace("inf", "Infinity")) : Number(cell.dataset.order);
}
