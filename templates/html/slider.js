// A prior and two costs make one cost ratio; every model is read off its steps there, and a line marks it.
(() => {
  "use strict";
  const NONE = "\u2014";
  // On the log scale of ratios: what is nearer to an alpha of the frames is that alpha.
  const SAME = 1e-4;
  const VERDICTS = ["ruled out jointly", "ruled out at this ratio", "in contention"];
  const SMALLEST = 1e-6;

  for (const root of document.querySelectorAll(".explorer")) {
    explore(root, JSON.parse(root.querySelector("script").textContent));
  }

  function explore(root, data) {
    const controls = [...root.querySelectorAll(".control")].map((one) => ({
      slider: one.querySelector("input[type=range]"),
      field: one.querySelector("input[type=number]"),
    }));
    const rules = data.figures.map((name) => rule(document.getElementById(`figure-${name}`), name === root.dataset.figure));
    const first = { name: "equal costs", p_target: 0.5, c_miss: 1, c_fa: 1 };
    for (const { slider, field } of controls) {
      slider.addEventListener("input", () => {
        field.value = fromSlider(slider);
        update(slider);
      });
      field.addEventListener("input", () => update());
    }
    for (const point of data.points.length ? [first, ...data.points] : []) {
      const button = make("button", point.name);
      button.type = "button";
      button.addEventListener("click", () => set(point));
      root.querySelector(".points").append(button, " ");
    }
    root.hidden = false;
    set(data.points[0] ?? first);

    function set(point) {
      for (const { field } of controls) field.value = point[field.dataset.name];
      update();
    }

    // The slider in the reader's hand stays where it is: its rounded value would pull it back.
    function update(moved) {
      const costs = {};
      const wrong = new Set();
      for (const { slider, field } of controls) {
        const valid = field.checkValidity();
        if (valid) field.removeAttribute("aria-invalid");
        else field.setAttribute("aria-invalid", "true");
        if (!valid) wrong.add(field.dataset.wrong);
        else if (slider !== moved) slider.value = toSlider(slider, field.valueAsNumber);
        slider.setAttribute("aria-valuetext", field.value);
        costs[field.dataset.name] = field.valueAsNumber;
      }
      root.querySelector(".wrong").textContent = [...wrong].join(" ");
      root.querySelector(".answers").classList.toggle("stale", wrong.size > 0);
      const alpha = wrong.size ? null : show(root, data, costs);
      for (const one of rules) one(alpha);
    }

    // Moving the line keeps the costs and changes the prior, from one alpha of the frames to another.
    function ask(alpha) {
      const costs = controls.map(({ field }) => field).filter((field) => field.dataset.name !== "p_target");
      const [miss, fa] = costs.map((field) => (field.checkValidity() ? field.valueAsNumber : 1));
      const prior = controls.find(({ field }) => field.dataset.name === "p_target").field;
      const odds = (alpha / (1 - alpha)) * (miss / fa);
      prior.value = shortest(odds, (p) => Math.abs(Math.log((1 - p) / p / odds)) < SAME / 2);
      for (const field of costs) if (!field.checkValidity()) field.value = 1;
      update();
    }

    // One line of a figure; it returns what moves it.
    function rule(figure, reached) {
      const plot = figure?.querySelector(".plot");
      if (!plot) return () => {};
      const line = make("div");
      line.className = "rule";
      line.hidden = true;
      let now = null;
      if (reached) {
        line.tabIndex = 0;
        line.setAttribute("role", "slider");
        line.setAttribute("aria-label", "cost ratio");
        line.setAttribute("aria-valuemin", 0);
        line.setAttribute("aria-valuemax", data.alphas.length - 1);
        line.addEventListener("keydown", (event) => walk(event));
      } else {
        line.setAttribute("aria-hidden", "true");
      }
      plot.append(line);
      line.addEventListener("pointerdown", (event) => {
        event.preventDefault();
        line.setPointerCapture(event.pointerId);
        line.focus({ preventScroll: true });
      });
      line.addEventListener("pointermove", (event) => {
        if (line.hasPointerCapture(event.pointerId)) drag(event.clientX);
      });
      plot.addEventListener("click", (event) => {
        if (reached && event.target !== line) drag(event.clientX);
      });
      new ResizeObserver(place).observe(plot);
      new MutationObserver(place).observe(plot, { childList: true, subtree: true, attributeFilter: ["viewBox", "d"] });
      return (alpha) => {
        now = alpha;
        place();
      };

      function frame() {
        return plot.querySelector(".drawing .root > g > .background")?.getBoundingClientRect();
      }

      function place() {
        const box = frame();
        const share = now === null ? NaN : (Math.log10(now / (1 - now)) - data.axis[0]) / (data.axis[1] - data.axis[0]);
        line.hidden = !(box && share >= 0 && share <= 1);
        if (line.hidden) return;
        const outer = plot.getBoundingClientRect();
        line.style.left = `${box.left - outer.left + share * box.width}px`;
        line.style.top = `${box.top - outer.top}px`;
        line.style.height = `${box.height}px`;
        if (!reached) return;
        line.setAttribute("aria-valuenow", nearest(data, now));
        line.setAttribute("aria-valuetext", `${ratio(now)}, ${data.words.false_acceptance} to ${data.words.false_rejection}`);
      }

      function drag(x) {
        const box = frame();
        if (!box) return;
        const share = Math.max(0, Math.min(1, (x - box.left) / box.width));
        const odds = 10 ** (data.axis[0] + share * (data.axis[1] - data.axis[0]));
        ask(data.alphas[nearest(data, odds / (1 + odds))]);
      }

      function walk(event) {
        const step = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageDown: -10, PageUp: 10,
          Home: -Infinity, End: Infinity }[event.key];
        if (!step) return;
        event.preventDefault();
        event.stopPropagation();
        const at = nearest(data, now ?? 0.5) + step;
        ask(data.alphas[Math.max(0, Math.min(data.alphas.length - 1, at))]);
      }
    }
  }

  // The fewest digits of the rarer of p and 1 - p that are good enough.
  function shortest(odds, good) {
    const rarer = 1 / (1 + Math.max(odds, 1 / odds));
    for (let digits = 1; digits <= 12; digits += 1) {
      const text = Number(rarer.toPrecision(digits));
      const p = odds >= 1 ? text : Number((1 - text).toPrecision(12));
      if (good(p)) return p;
    }
    return odds >= 1 ? rarer : 1 - rarer;
  }

  function nearest(data, alpha) {
    const far = data.alphas.map((each) => Math.abs(logit(each) - logit(alpha)));
    return far.indexOf(Math.min(...far));
  }

  function logit(alpha) {
    return Math.log(alpha / (1 - alpha));
  }

  function toSlider(slider, value) {
    return slider.dataset.log === "prior" ? logit(value) : Math.log10(value);
  }

  function fromSlider(slider) {
    const at = slider.valueAsNumber;
    if (slider.dataset.log === "cost") return Number((10 ** at).toPrecision(2));
    const rarer = Number((1 / (1 + Math.exp(Math.abs(at)))).toPrecision(2));
    return at < 0 ? rarer : Number((1 - rarer).toPrecision(6));
  }

  function show(root, data, { p_target, c_miss, c_fa }) {
    const forFa = c_fa * (1 - p_target);
    const alpha = forFa / (forFa + c_miss * p_target);
    const cell = data.cells.findIndex(([low, high]) => low <= alpha && alpha <= high);
    const exact = cell >= 0 && Math.abs(logit(data.alphas[cell]) - logit(alpha)) <= SAME;
    const rows = data.models.map((model) => read(data, model, alpha, cell, exact));
    const known = rows.filter((row) => row.value !== null);
    const lowest = Math.min(...known.map((row) => row.value));
    const end = alpha < data.ends[0] ? 0 : alpha > data.ends[1] ? 1 : -1;
    for (const row of rows) row.leads = end < 0 && row.value !== null && row.value - lowest <= 1e-12;
    if (end < 0) rows.sort((a, b) => (a.value ?? Infinity) - (b.value ?? Infinity));
    root.dataset.alpha = alpha;
    root.querySelector(".ratio").textContent = heading(data, alpha);
    root.querySelector(".answer").textContent = end < 0 ? answer(data, alpha, rows, cell, exact) : data.words.cannot[end];
    root.querySelector(".scroll").replaceChildren(table(data, rows));
    root.querySelector(".notes").replaceChildren(...notes(data, alpha, cell, exact).map((text) => make("li", text)));
    return alpha;
  }

  function read(data, model, alpha, cell, exact) {
    const inside = cell >= 0;
    const steps = model.runs.map((run) => {
      const at = run.to.findIndex((end) => alpha < end);
      const k = at < 0 ? run.to.length - 1 : at;
      return { threshold: run.threshold[k], far: run.far[k], frr: run.frr[k], texts: [run.far_text[k], run.frr_text[k]] };
    });
    const far = mean(steps.map((step) => step.far));
    const frr = mean(steps.map((step) => step.frr));
    const between = steps.length ? alpha * far + (1 - alpha) * frr : null;
    const value = exact ? model.value[cell] : between;
    const one = steps.length === 1;
    return {
      name: model.name,
      model,
      value,
      error: exact ? model.error[cell] : percent(value, data),
      cost: exact ? model.cost[cell] : value === null ? NONE : (value / Math.min(alpha, 1 - alpha)).toFixed(3),
      far: one ? steps[0].texts[0] : percent(far, data),
      frr: one ? steps[0].texts[1] : percent(frr, data),
      threshold: one ? steps[0].threshold : NONE,
      interval: inside ? model.interval[cell] : NONE,
      p: inside ? model.p[cell] : NONE,
      state: inside ? model.state[cell] : null,
    };
  }

  function mean(values) {
    return values.length ? values.reduce((sum, value) => sum + value, 0) / values.length : null;
  }

  function heading(data, alpha) {
    return `${sentence(data.words.false_acceptance)} : ${data.words.false_rejection} = ${ratio(alpha)} (\u03b1 = ${digits(alpha)})`;
  }

  function answer(data, alpha, rows, cell, exact) {
    const leads = rows.filter((row) => row.leads);
    if (!leads.length) return "No value is known here.";
    const { cost, error } = leads[0];
    const value = `${Number((100 * cost).toPrecision(3))}% of the cost of deciding without scores (${data.words.value} ${error}%).`;
    if (data.models.length === 1) return `${leads[0].name} costs ${value}`;
    const who = leads.map((row) => row.name).join(" and ");
    const lowest = `${who} ${leads.length > 1 ? "have" : "has"} the lowest observed cost: ${value}`;
    const verdict = data.known && cell >= 0 ? data.verdicts[data.verdict[cell]] : "";
    if (!verdict) return lowest;
    return exact ? `${lowest} ${verdict}` : `${lowest} At \u03b1 = ${digits(data.alphas[cell])}, the nearest tested: ${verdict}`;
  }

  function table(data, rows) {
    const columns = [
      ["model", "", "text", (row) => row.name, data.known ? verdict : undefined],
      [data.words.value, "%", "number", (row) => row.error, (row) => row.interval],
      [data.words.far, "%", "number", (row) => row.far],
      [data.words.frr, "%", "number", (row) => row.frr],
      ["threshold", "", "number", (row) => row.threshold],
    ];
    if (data.known) {
      columns.splice(2, 0, ["p-value (best)", "", "number", (row) => row.p]);
    }
    const table = document.createElement("table");
    table.createCaption().textContent = `All models at this prior and these costs, with ${data.words.level} CIs.`;
    const head = table.createTHead().insertRow();
    for (const [title, unit, kind] of columns) {
      const cell = make("th", title);
      cell.scope = "col";
      cell.className = kind;
      if (unit) {
        const small = make("span", ` (${unit})`);
        small.className = "unit";
        cell.append(small);
      }
      head.append(cell);
    }
    const body = table.createTBody();
    for (const row of rows) {
      const line = body.insertRow();
      columns.forEach(([title, unit, kind, text, below], column) => {
        const cell = make(column ? "td" : "th", text(row));
        if (!column) {
          cell.scope = "row";
          const named = make("span", "");
          named.className = "named";
          named.append(chip(row.model), make("span", text(row)));
          cell.replaceChildren(named);
        }
        cell.className = kind;
        cell.dataset.label = unit ? `${title} (${unit})` : title;
        if (below) {
          const second = make("span", below(row));
          second.className = "beneath";
          (column ? cell : cell.firstChild.lastChild).append(second);
        }
        line.append(cell);
      });
      line.classList.toggle("out", row.state !== null && row.state < 2);
    }
    return table;
  }

  function verdict(row) {
    if (row.leads) return "best observed";
    return row.state === null ? NONE : VERDICTS[row.state];
  }

  function notes(data, alpha, cell, exact) {
    const texts = [data.words.intervals];
    if (data.known) texts.push("p-values test \u201cthis model is best\u201d; they are not probabilities of being best.");
    if (cell < 0) {
      texts.push(data.words.available);
    } else if (!exact) {
      const what = data.known ? "CIs, p-values and verdicts" : "CIs";
      texts.push(`${what} are those of \u03b1 = ${digits(data.alphas[cell])}, the nearest \u03b1 that was resampled.`);
    }
    return texts;
  }

  function percent(value, data) {
    return value === null ? NONE : (100 * value).toFixed(data.decimals);
  }

  function ratio(alpha) {
    if (Math.abs(alpha - 0.5) < SMALLEST) return "1:1";
    const larger = Number((Math.max(alpha, 1 - alpha) / Math.min(alpha, 1 - alpha)).toPrecision(2));
    return alpha > 0.5 ? `${larger}:1` : `1:${larger}`;
  }

  function digits(alpha) {
    // Near 1 the digits that count are those of 1 - alpha.
    const places = Math.max(3, 1 - Math.floor(Math.log10(Math.min(alpha, 1 - alpha))));
    return String(Number(alpha.toFixed(Math.min(places, 12))));
  }

  function sentence(text) {
    return text.charAt(0).toUpperCase() + text.slice(1);
  }

  function chip(model) {
    const element = (name, attributes) => {
      const one = document.createElementNS("http://www.w3.org/2000/svg", name);
      for (const [key, value] of Object.entries(attributes)) one.setAttribute(key, value);
      return one;
    };
    const svg = element("svg", { class: "chip", width: 22, height: 10, viewBox: "0 0 22 10", "aria-hidden": "true" });
    const dash = model.dash[1] ? { "stroke-dasharray": model.dash.join(" ") } : {};
    svg.append(element("line", { x1: 0, x2: 22, y1: 5, y2: 5, stroke: model.colour, ...dash }));
    return svg;
  }

  function make(tag, text = "") {
    const one = document.createElement(tag);
    one.textContent = text;
    return one;
  }
})();
