// What the charts are made of, without a state.
const chartParts = (() => {
  "use strict";
  const LEAST_SIDE = 160;
  const PADDING = 18;

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
    const spec = sized(structuredClone(data.vega), room - PADDING, data.room);
    if (data.windows) look(spec, data.windows[range]);
    for (const table of spec.data) {
      if (Object.hasOwn(data.data, table.name)) table.values = data.data[table.name].flatMap(rows);
    }
    const names = data.names?.[range][spec.width < data.vega.width ? 1 : 0] ?? {};
    for (const table of spec.data) {
      if (Object.hasOwn(names, table.name)) table.values = names[table.name];
    }
    return spec;
  }

  // On a narrow screen a smaller frame with letters of the same size, and no names at its side.
  function sized(spec, room, [left, right]) {
    const whole = left + spec.width + right <= room;
    const side = whole ? spec.width : Math.max(LEAST_SIDE, Math.min(spec.width, Math.floor(room - left - PADDING)));
    // Only a square stays one.
    return { ...spec, width: side, height: spec.height === spec.width ? side : spec.height };
  }

  const SVG = "http://www.w3.org/2000/svg";

  function drawn(name, attributes, text = "") {
    const one = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) one.setAttribute(key, value);
    if (text) one.textContent = text;
    return one;
  }

  // Text in as many lines as the width asks for.
  function folded(text, width, font) {
    const pen = document.createElement("canvas").getContext("2d");
    pen.font = font;
    const lines = [""];
    for (const word of text.split(/\s+/).filter(Boolean)) {
      const longer = `${lines.at(-1)} ${word}`.trim();
      if (pen.measureText(longer).width > width && lines.at(-1)) lines.push(word);
      else lines[lines.length - 1] = longer;
    }
    return lines;
  }

  // The drawing as a picture of its own: its title and subtitle above, a key of lines without a name, the source below.
  function shared(drawing, texts, unnamed) {
    const inner = drawing.cloneNode(true);
    const [wide, high] = ["width", "height"].map((side) => Number(drawing.getAttribute(side)));
    const family = "system-ui, -apple-system, 'Segoe UI', 'Helvetica Neue', Arial, sans-serif";
    const width = Math.max(wide, 360) + 32;
    const picture = drawn("svg", { xmlns: SVG, width, "font-family": family });
    picture.append(drawn("rect", { width: "100%", height: "100%", fill: "#ffffff" }));
    let y = 12;
    const write = (text, size, weight, fill) => {
      for (const line of text ? folded(text, width - 32, `${weight} ${size}px ${family}`) : []) {
        y += Math.round(size * 1.3);
        picture.append(drawn("text", { x: 16, y, "font-size": size, "font-weight": weight, fill }, line));
      }
    };
    write(texts.title, 16, 600, "#1b1e23");
    write(texts.subtitle, 13, 400, "#565d68");
    for (const model of unnamed) {
      y += 18;
      const dash = model.dash[1] ? { "stroke-dasharray": model.dash.join(" ") } : {};
      picture.append(drawn("line", { x1: 16, x2: 40, y1: y - 4, y2: y - 4, stroke: model.colour, "stroke-width": 2.4, ...dash }));
      picture.append(drawn("text", { x: 48, y, "font-size": 13, fill: "#1b1e23" }, model.name));
    }
    inner.setAttribute("x", 16);
    inner.setAttribute("y", y + 10);
    inner.removeAttribute("aria-hidden");
    picture.append(inner);
    y += 14 + high;
    write(texts.source, 11, 400, "#565d68");
    picture.setAttribute("height", y + 12);
    picture.setAttribute("viewBox", `0 0 ${width} ${y + 12}`);
    picture.setAttribute("role", "img");
    picture.prepend(drawn("title", {}, texts.title || texts.subtitle));
    return picture;
  }

  // Drawn from an address that holds the picture itself: the policy of the page allows no other.
  async function painted(svg, scale) {
    const image = new Image();
    image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(new XMLSerializer().serializeToString(svg))}`;
    await image.decode();
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = ["width", "height"].map((side) => scale * Number(svg.getAttribute(side)));
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    return new Promise((done) => canvas.toBlob(done, "image/png"));
  }

  function give(blob, name) {
    // A link to an object of this page: no address is loaded, so that the policy need not allow any.
    const link = element("a");
    link.href = URL.createObjectURL(blob);
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
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
    const svg = drawn("svg", { width: 24, height: 10, viewBox: "0 0 24 10", "aria-hidden": "true" });
    const dash = model.dash[1] ? { "stroke-dasharray": model.dash.join(" ") } : {};
    svg.append(drawn("line", { x1: 0, x2: 24, y1: 5, y2: 5, "stroke-width": 2.5, ...dash }));
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

  return { act, csv, element, give, painted, prepared, sample, shared, short, unpacked };
})();
