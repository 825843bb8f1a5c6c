"use strict";
// Copies tables as LaTeX, saves them as CSV, shows in the contents where the reader is, and prints what is folded.
{
  const said = document.getElementById("said");

  function tell(text) {
    said.textContent = "";
    // A text that comes twice is read out twice only when it has been away.
    setTimeout(() => { said.textContent = text; }, 50);
  }

  function button(text, whole, act) {
    const made = document.createElement("button");
    made.type = "button";
    made.textContent = text;
    made.setAttribute("aria-label", whole);
    made.addEventListener("click", () => act(made));
    return made;
  }

  async function copy(text) {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      // Pages opened from a disk have no clipboard in some browsers.
      const field = document.createElement("textarea");
      field.className = "unseen";
      field.value = text;
      document.body.append(field);
      field.select();
      const done = document.execCommand("copy");
      field.remove();
      if (!done) throw new Error("no clipboard");
    }
  }

  function answer(made, text, whole) {
    const usual = made.dataset.usual ??= made.textContent;
    made.textContent = text;
    tell(whole);
    setTimeout(() => { made.textContent = usual; }, 2000);
  }

  const FORMULA_STARTS = /^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/;

  function quoted(text) {
    return `"${(FORMULA_STARTS.test(text) ? `'${text}` : text).replaceAll('"', '""')}"`;
  }

  function printed(cell) {
    const copied = (cell.querySelector(".title") ?? cell).cloneNode(true);
    for (const extra of copied.querySelectorAll("sup, .unseen, .beneath")) extra.remove();
    return copied.textContent;
  }

  // As in the data file: heads behind the heads they share, titles of rows first, second lines behind the first.
  function csv(table) {
    const heads = headed(table);
    const shown = heads.filter((head) => !head.cell.classList.contains("drawn"));
    const grouped = table.querySelector("tr.group") !== null;
    const first = grouped ? ["group"] : [];
    const line = (texts) => `${texts.map(quoted).join(",")}\n`;
    const rows = [line([...first, ...shown.flatMap((head) => [head.text, ...(head.beneath ? [head.beneath] : [])])])];
    for (const body of table.tBodies) {
      const title = grouped ? [body.querySelector("tr.group")?.textContent ?? ""] : [];
      for (const row of body.querySelectorAll("tr:not(.group)")) {
        rows.push(line([...title, ...shown.flatMap((head) => texts(row.cells[head.i], head.beneath))]));
      }
    }
    return rows.join("");
  }

  function headed(table) {
    const lines = [...table.tHead.rows];
    const groups = lines.length > 1 ? [...lines[0].cells].flatMap((cell) => Array(cell.colSpan).fill(cell.textContent)) : [];
    return [...lines.at(-1).cells].map((cell, i) => {
      const text = [groups[i], printed(cell)].filter(Boolean).join(": ");
      return { cell, i, text, beneath: cell.dataset.beneath };
    });
  }

  function texts(cell, beneath) {
    return [printed(cell), ...(beneath ? [cell.querySelector(".beneath")?.textContent ?? ""] : [])];
  }

  function save(name, text) {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([text], { type: "text/csv;charset=utf-8" }));
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  }

  for (const place of document.querySelectorAll("div.table")) {
    const name = place.id.replace("table-", "");
    const tex = place.querySelector("template.tex");
    const tools = document.createElement("p");
    tools.className = "table-tools";
    if (tex) {
      tools.append(button("Copy LaTeX", `Copy LaTeX of table ${name}`, (made) => {
        copy(tex.content.textContent).then(
          () => answer(made, "Copied", `LaTeX of table ${name} copied`),
          () => answer(made, "Not copied", `LaTeX of table ${name} could not be copied`),
        );
      }));
    }
    tools.append(button("Data (CSV)", `Data (CSV) of table ${name}`, (made) => {
      save(`${name}.csv`, csv(place.querySelector("table")));
      answer(made, "Saved", `CSV of table ${name} saved`);
    }));
    const folded = document.querySelector(`[data-tools="${CSS.escape(name)}"]`);
    if (folded) folded.append(tools);
    else place.querySelector(".scroll").after(tools);
  }

  const links = new Map([...document.querySelectorAll("nav a")].map((link) => [link.hash.slice(1), link]));
  const sections = [...document.querySelectorAll("main > section")];

  function follow() {
    const reached = sections.filter((section) => section.getBoundingClientRect().top < innerHeight / 3);
    const bottom = scrollY > 0 && scrollY + innerHeight >= document.documentElement.scrollHeight - 2;
    const here = bottom ? sections.at(-1) : (reached.at(-1) ?? sections[0]);
    for (const [id, link] of links) {
      if (id === here?.id) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
    }
  }

  // Only what scrolls sideways is a stop for the keyboard.
  function stops() {
    for (const each of document.querySelectorAll(".table .scroll")) {
      if (each.scrollWidth > each.clientWidth) each.tabIndex = 0;
      else each.removeAttribute("tabindex");
    }
  }

  addEventListener("scroll", follow, { passive: true });
  addEventListener("resize", () => { follow(); stops(); });
  follow();
  stops();

  // What is folded opens for a link into it.
  function unfold() {
    const id = decodeURIComponent(location.hash.slice(1));
    const target = id && document.getElementById(id);
    if (!target) return;
    const inner = target.querySelector(":scope > details.folded");
    if (inner) inner.open = true;
    for (let each = target.closest("details"); each; each = each.parentElement.closest("details")) each.open = true;
    target.scrollIntoView();
  }

  // What a term means, under the pointer, the finger or the focus; all terms together are one tab stop.
  const meaning = document.createElement("div");
  meaning.id = "meaning";
  meaning.popover = "manual";
  meaning.setAttribute("role", "tooltip");
  document.body.append(meaning);

  function explain(term) {
    const more = term.matches(":focus-visible") && terms.length > 1 ? " Arrow keys: other terms." : "";
    meaning.textContent = term.dataset.meaning + more;
    meaning.showPopover();
    term.setAttribute("aria-describedby", "meaning");
    const place = term.getBoundingClientRect();
    const left = Math.max(8, Math.min(place.left, innerWidth - meaning.offsetWidth - 8));
    const below = place.bottom + 6 + meaning.offsetHeight <= innerHeight;
    meaning.style.left = `${left}px`;
    meaning.style.top = `${below ? place.bottom + 6 : Math.max(8, place.top - 6 - meaning.offsetHeight)}px`;
  }

  function hush(term) {
    term.removeAttribute("aria-describedby");
    if (meaning.matches(":popover-open")) meaning.hidePopover();
  }

  function step(term, by) {
    const shown = terms.filter((each) => each.checkVisibility());
    const next = shown[shown.indexOf(term) + by];
    if (!next) return;
    next.tabIndex = 0;
    next.focus();
    term.removeAttribute("tabindex");
  }

  const terms = [...document.querySelectorAll("abbr.term")];
  const first = terms.find((each) => each.checkVisibility());
  if (first) first.tabIndex = 0;
  for (const term of terms) {
    // A title of its own would pop up over it.
    term.dataset.meaning = term.title;
    term.removeAttribute("title");
    for (const kind of ["pointerenter", "click"]) term.addEventListener(kind, () => explain(term));
    term.addEventListener("pointerleave", () => hush(term));
    term.addEventListener("focus", () => explain(term));
    term.addEventListener("blur", () => hush(term));
    term.addEventListener("keydown", (event) => {
      const by = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
      if (!by) return;
      event.preventDefault();
      step(term, by);
    });
  }
  addEventListener("keydown", (event) => {
    if (event.key === "Escape") document.querySelectorAll("[aria-describedby=meaning]").forEach(hush);
  });
  addEventListener("scroll", () => {
    if (!meaning.matches(":popover-open")) return;
    if (terms.includes(document.activeElement)) explain(document.activeElement);
    else meaning.hidePopover();
  }, { passive: true });

  // On a phone a table opens at a tap.
  if (matchMedia("(max-width: 40rem)").matches) {
    for (const each of document.querySelectorAll("details.tap")) each.open = false;
  }

  addEventListener("hashchange", unfold);
  unfold();

  let opened = [];
  addEventListener("beforeprint", () => {
    opened = [...document.querySelectorAll("details:not([open])")];
    for (const each of opened) each.open = true;
  });
  addEventListener("afterprint", () => {
    for (const each of opened) each.open = false;
  });
}
