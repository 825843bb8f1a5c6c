// A prior and two costs make one weight of false acceptance; every model is read off its steps there.
(() => {
  const NONE = "\u2014";
  const SAME = 1e-9;
  const STANDING = ["worse at all \u03b1 too", "worse here", "may be the best"];

  for (const root of document.querySelectorAll(".explorer")) {
    explore(root, JSON.parse(root.querySelector("script").textContent));
  }

  function explore(root, data) {
    const controls = [...root.querySelectorAll(".control")].map((one) => ({
      slider: one.querySelector("input[type=range]"),
      field: one.querySelector("input[type=number]"),
    }));
    const first = { name: "equal weights", p_target: 0.5, c_miss: 1, c_fa: 1 };
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
    set(data.points[0] ?? first);
    root.hidden = false;

    function set(point) {
      for (const { field } of controls) field.value = point[field.dataset.name];
      update();
    }

    // The slider in the reader's hand stays where it is: its rounded value would pull it back.
    function update(moved) {
      const asked = {};
      for (const { slider, field } of controls) {
        const valid = field.checkValidity();
        if (valid) field.removeAttribute("aria-invalid");
        else field.setAttribute("aria-invalid", "true");
        if (!valid) return;
        asked[field.dataset.name] = field.valueAsNumber;
        if (slider !== moved) slider.value = toSlider(slider, field.valueAsNumber);
        slider.setAttribute("aria-valuetext", field.value);
      }
      show(root, data, asked);
    }
  }

  function toSlider(slider, value) {
    return slider.dataset.log === "prior" ? Math.log(value / (1 - value)) : Math.log10(value);
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
    const least = Math.min(alpha, 1 - alpha);
    const cell = data.cells.findIndex(([low, high]) => low <= alpha && alpha <= high);
    const rows = data.models.map((model) => read(data, model, alpha, cell));
    const known = rows.filter((row) => row.value !== null);
    const lowest = Math.min(...known.map((row) => row.value));
    const leads = known.filter((row) => row.value - lowest <= 1e-12);
    for (const row of rows) row.leads = leads.includes(row);
    root.dataset.alpha = alpha;
    root.querySelector(".answer").textContent = sentence(data, alpha, leads, rows);
    root.querySelector(".scroll").replaceChildren(table(data, rows, least));
    root.querySelector(".notes").replaceChildren(...notes(data, alpha, cell).map((text) => make("li", text)));
  }

  function read(data, model, alpha, cell) {
    const inside = cell >= 0;
    const exact = inside && Math.abs(data.alphas[cell] - alpha) <= SAME;
    const steps = model.runs.map((run) => {
      const at = run.to.findIndex((end) => alpha < end);
      const k = at < 0 ? run.to.length - 1 : at;
      return { threshold: run.threshold[k], far: run.far[k], frr: run.frr[k] };
    });
    const far = mean(steps.map((step) => step.far));
    const frr = mean(steps.map((step) => step.frr));
    const between = steps.length ? alpha * far + (1 - alpha) * frr : inside ? model.value[cell] : null;
    return {
      name: model.name,
      threshold: steps.length === 1 ? steps[0].threshold : NONE,
      far,
      frr,
      value: exact ? model.value[cell] : between,
      interval: inside ? model.interval[cell] : NONE,
      p: inside ? model.p[cell] : NONE,
      standing: inside && model.state[cell] !== null ? STANDING[model.state[cell]] : NONE,
      may: inside && model.state[cell] === 2,
    };
  }

  function mean(values) {
    return values.length ? values.reduce((sum, value) => sum + value, 0) / values.length : null;
  }

  function sentence(data, alpha, leads, rows) {
    const at = `\u03b1 = ${digits(alpha)}`;
    if (!leads.length) return `${at}: no value is known there.`;
    const who = `${leads.map((row) => row.name).join(" and ")} ${leads.length > 1 ? "have" : "has"}`;
    const lowest = `${at}: ${who} the lowest ${data.words.value}, ${percent(leads[0].value, data)}\u202f%.`;
    const members = rows.filter((row) => row.may);
    if (!members.length) return lowest;
    const all = members.length === rows.length && rows.length > 1;
    const said = all ? "all models" : members.map((row) => row.name).join(", ");
    return `${lowest} Not shown to be worse than the best: ${said}.`;
  }

  function table(data, rows, least) {
    const columns = [
      ["model", "text", (row) => row.name],
      [`${data.words.value} (%)`, "number", (row) => percent(row.value, data)],
      [`${data.level} interval (%)`, "interval", (row) => row.interval],
      ["expected cost, normalised", "number", (row) => (row.value === null ? NONE : (row.value / least).toFixed(3))],
      [`${data.words.far} (%)`, "number", (row) => percent(row.far, data)],
      [`${data.words.frr} (%)`, "number", (row) => percent(row.frr, data)],
      ["threshold", "number", (row) => row.threshold],
    ];
    if (data.known) {
      columns.splice(
        4, 0,
        ["p: as good as the best", "number", (row) => row.p],
        ["standing", "text", (row) => (row.leads ? `lowest; ${row.standing}` : row.standing)],
      );
    }
    const made = document.createElement("table");
    made.createCaption().textContent = "Every model at this prior and these costs.";
    const head = made.createTHead().insertRow();
    for (const [title, kind] of columns) {
      const cell = make("th", title);
      cell.scope = "col";
      cell.className = kind;
      head.append(cell);
    }
    const body = made.createTBody();
    for (const row of rows) {
      const line = body.insertRow();
      columns.forEach(([, kind, text], column) => {
        const cell = make(column ? "td" : "th", text(row));
        if (!column) cell.scope = "row";
        cell.className = kind;
        line.append(cell);
      });
      line.classList.toggle("out", data.known && !row.may && row.standing !== NONE);
    }
    return made;
  }

  function notes(data, alpha, cell) {
    const said = ["Normalised: over the cost of deciding without scores, which is 1."];
    said.push(data.words.intervals);
    if (data.known) {
      said.push("p: of the test that the model is as good as the best; it is no probability of being it.");
      said.push(
        `Worse: shown to be worse than the best (${data.level} confidence); here: at this \u03b1 by itself;` +
          " at all \u03b1 too: also where all \u03b1 are taken together.",
      );
    }
    const what = data.known ? "Interval, p and standing" : "Interval";
    if (cell < 0) {
      said.push(`${what}: not known so far from every \u03b1 that was resampled.`);
    } else if (Math.abs(data.alphas[cell] - alpha) > SAME) {
      said.push(`${what}: those of \u03b1 = ${digits(data.alphas[cell])}, the nearest that was resampled.`);
    }
    return said;
  }

  function percent(value, data) {
    return value === null ? NONE : (100 * value).toFixed(data.decimals);
  }

  function digits(alpha) {
    // Near 1 the digits that count are those of 1 - alpha.
    const places = Math.max(3, 1 - Math.floor(Math.log10(Math.min(alpha, 1 - alpha))));
    return String(Number(alpha.toFixed(Math.min(places, 12))));
  }

  function make(tag, text) {
    const one = document.createElement(tag);
    one.textContent = text;
    return one;
  }
})();
