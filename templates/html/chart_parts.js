// What the charts are made of, without a state.
const chartParts = (() => {
  "use strict";
  const LEAST_SIDE = 240;
  const MARGIN = 72;
  const SMALL = 400;

  // Coordinates come as whole steps from one to the next.
  function unpacked(data) {
    for (const block of [...Object.values(data.data).flat(), ...data.probes]) {
      for (const [name, [low, step]] of Object.entries(data.grid)) {
        let at = 0;
        block[name] = block[name]?.map((far) => low + step * (at += far));
      }
    }
    return data;
  }

  // The picture to draw: with its rows, through a window, no wider than there is room.
  function prepared(data, range, room) {
    const spec = sized(structuredClone(data.vega), room);
    if (data.windows) look(spec, data.windows[range]);
    for (const table of spec.data) {
      if (Object.hasOwn(data.data, table.name)) table.values = data.data[table.name].flatMap(rows);
    }
    const names = data.names?.[range][spec.width < SMALL ? 1 : 0] ?? {};
    for (const table of spec.data) {
      if (Object.hasOwn(names, table.name)) table.values = names[table.name];
    }
    return spec;
  }

  // On a narrow screen a smaller square with letters of the same size.
  function sized(spec, room) {
    const side = Math.max(LEAST_SIDE, Math.min(spec.width, Math.floor(room - MARGIN)));
    // What is drawn in rows keeps their height.
    const height = spec.height < spec.width ? spec.height : Math.round((spec.height * side) / spec.width);
    return { ...spec, width: side, height };
  }

  function look(spec, window) {
    for (const name of ["x", "y"]) {
      spec.scales.find((scale) => scale.name === name).domain = window[name].domain;
    }
    for (const axis of spec.axes) {
      const { ticks, texts } = window[axis.scale];
      axis.values = ticks;
      if (axis.encode?.labels) {
        axis.encode.labels.update.text.signal = `${JSON.stringify(texts)}[round(datum.index * ${texts.length - 1})]`;
      }
    }
  }

  function rows(block) {
    if (block.rows) return block.rows;
    return block.x.map((x, n) => {
      const row = { model: block.model, part: block.part, n, x, y: block.y[n] };
      if (block.y2) row.y2 = block.y2[n];
      return row;
    });
  }

  function sample(model) {
    const element = (name, attributes) => {
      const one = document.createElementNS("http://www.w3.org/2000/svg", name);
      for (const [key, value] of Object.entries(attributes)) one.setAttribute(key, value);
      return one;
    };
    const svg = element("svg", { width: 24, height: 10, viewBox: "0 0 24 10", "aria-hidden": "true" });
    const dash = model.dash[1] ? { "stroke-dasharray": model.dash.join(" ") } : {};
    svg.append(element("line", { x1: 0, x2: 24, y1: 5, y2: 5, "stroke-width": 2.5, ...dash }));
    return svg;
  }

  function act(text, what) {
    const button = element("button", "", text);
    button.type = "button";
    button.addEventListener("click", what);
    return button;
  }

  function element(name, kind = "", text = "") {
    const one = document.createElement(name);
    if (kind) one.className = kind;
    if (text) one.textContent = text;
    return one;
  }

  function short(value) {
    return String(Number(value.toPrecision(4))).replace("-", "−");
  }

  // Quoted, and no formula to a spreadsheet.
  function line(cells) {
    const safe = cells.map(String).map((text) => (/^[=+\-@\t\r\n＝＋－＠]/.test(text) && !Number.isFinite(Number(text)) ? `'${text}` : text));
    return `${safe.map((text) => `"${text.replaceAll('"', '""')}"`).join(",")}\n`;
  }

  function csv(table) {
    return table.map(line).join("");
  }

  return { act, csv, element, prepared, sample, short, unpacked };
})();
