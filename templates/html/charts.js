// Charts that answer: what is pointed at, which models are shown, and the same in all charts of the page.
(() => {
  "use strict";
  const { act, csv, element, give, painted, prepared, sample, shared, short, unpacked } = chartParts;
  const REACH = 48;
  const MOST_GREY = 5;
  const page = { off: new Set(), pinned: null, over: null, dev: false, bands: false, hues: false };
  let columns = null;
  const charts = [...document.querySelectorAll("figure > script.live")].map((script) => new Chart(script));

  // A view is made when it comes near; until then, and without scripts, the still picture stands there.
  const near = new IntersectionObserver((entries) => {
    for (const entry of entries.filter((one) => one.isIntersecting)) {
      near.unobserve(entry.target);
      charts.find((chart) => chart.figure === entry.target).draw();
    }
  }, { rootMargin: "600px" });
  charts.forEach((chart) => near.observe(chart.figure));
  addEventListener("beforeprint", () => point(null));

  function column(number) {
    columns ??= JSON.parse(document.getElementById("told").textContent);
    if (columns[number].length === 2) {
      const [texts, tail] = columns[number];
      columns[number] = { texts: texts.split("|").map((text) => (text === "" ? "" : text + tail)) };
    }
    return columns[number].texts;
  }

  function changed() {
    charts.forEach((chart) => chart.follow());
  }

  function point(place) {
    charts.forEach((chart) => chart !== place?.chart && chart.tell(null));
  }

  function Chart(script) {
    const chart = this;
    const figure = script.parentElement;
    let data = null;
    const plot = figure.querySelector(".plot");
    const picture = plot.querySelector("img");
    const drawing = element("div", "drawing");
    const tip = element("div", "tip");
    let known = new Set();
    let view = null;
    let probes = [];
    let told = null;
    let range = 0;
    let wanted = 0;
    chart.figure = figure;

    chart.draw = () => {
      const turn = ++wanted;
      data ??= unpacked(JSON.parse(script.textContent));
      known = new Set(data.models.map((model) => model.name));
      const spec = prepared(data, range, plot.clientWidth);
      const options = { mode: "vega", ast: true, renderer: "svg", actions: false, defaultStyle: false,
        tooltip: false, hover: false };
      const fresh = element("div");
      return window.vegaEmbed(fresh, spec, options).then(async (result) => {
        if (turn !== wanted) return result.finalize();
        await apply(result.view);
        view?.finalize();
        view = result.view;
        drawing.replaceChildren(fresh);
        // Its own title would pop up over what is told.
        drawing.querySelector("svg").setAttribute("aria-hidden", "true");
        if (!plot.classList.contains("live")) settle();
        place();
        follow();
      });
    };

    chart.follow = follow;
    chart.tell = tell;

    function settle() {
      plot.classList.add("live");
      drawing.setAttribute("role", "img");
      drawing.setAttribute("aria-label", picture.alt);
      tip.setAttribute("aria-live", "polite");
      plot.append(drawing, tip);
      plot.after(...[models(), tools()].filter(Boolean));
      if (!data.models.length) return;
      plot.tabIndex = 0;
      plot.setAttribute("role", "group");
      plot.setAttribute("aria-label", "Chart: arrow keys walk along the curves");
      drawing.addEventListener("pointermove", (event) => tell(nearest(event)));
      drawing.addEventListener("pointerdown", (event) => tell(nearest(event)));
      drawing.addEventListener("pointerleave", () => tell(null));
      drawing.addEventListener("click", (event) => pin(nearest(event)));
      plot.addEventListener("keydown", walk);
      plot.addEventListener("focusout", () => tell(null));
    }

    // Where what can be told lies in the drawing: printed rows of the frames, else the vertices themselves.
    function place() {
      const [x, y] = [view.scale("x"), view.scale("y")];
      const found = data.probes.length ? data.probes : drawn();
      probes = found.map((probe) => ({ ...probe, left: probe.x.map(x), top: probe.y.map(y) }));
    }

    function drawn() {
      const curves = Object.values(data.data).flat().filter((block) => known.has(block.model) && block.y && !block.y2);
      const longest = new Map();
      for (const block of curves) {
        const other = longest.get(block.model);
        if (!block.part && !(other && other.x.length >= block.x.length)) longest.set(block.model, block);
      }
      return [...longest.values()].map((block) => ({ model: block.model, x: block.x, y: block.y, texts: [] }));
    }

    function isSeen(probe, i) {
      const inside = (value, size) => value >= -0.5 && value <= size + 0.5;
      return !page.off.has(probe.model) && inside(probe.left[i], view.width()) && inside(probe.top[i], view.height());
    }

    function nearest(event) {
      const svg = drawing.querySelector("svg");
      const box = svg.getBoundingClientRect();
      const scale = svg.viewBox.baseVal.width / box.width;
      const [x0, y0] = view.origin();
      const x = (event.clientX - box.left) * scale - x0;
      const y = (event.clientY - box.top) * scale - y0;
      let best = null;
      let least = REACH * scale;
      for (const probe of probes) {
        if (page.pinned !== null && known.has(page.pinned) && probe.model !== page.pinned) continue;
        for (let i = 0; i < probe.left.length; i += 1) {
          const far = Math.hypot(probe.left[i] - x, probe.top[i] - y);
          if (far <= least && isSeen(probe, i)) [best, least] = [{ chart, probe, i }, far];
        }
      }
      return best;
    }

    function tell(place) {
      if (!view || (!place && !told)) return;
      if (place && told && place.probe === told.probe && place.i === told.i) return;
      told = place;
      view.data("pointed", place ? [{ model: place.probe.model, x: place.probe.x[place.i], y: place.probe.y[place.i] }] : []);
      view.runAsync();
      tip.replaceChildren(...(place ? said(place) : []));
      if (!place) return;
      point(place);
      show(place);
    }

    // Beside the place, else under or over it: never on it.
    function show({ probe, i }) {
      const svg = drawing.querySelector("svg");
      const [inner, outer] = [svg.getBoundingClientRect(), plot.getBoundingClientRect()];
      const scale = inner.width / svg.viewBox.baseVal.width;
      const [x0, y0] = view.origin();
      const x = inner.left - outer.left + (probe.left[i] + x0) * scale;
      const y = inner.top - outer.top + (probe.top[i] + y0) * scale;
      const [wide, high] = [tip.offsetWidth, tip.offsetHeight];
      const beside = [x + 14, x - 14 - wide].find((left) => left >= 0 && left + wide <= outer.width);
      const left = beside ?? Math.max(0, Math.min(x - wide / 2, outer.width - wide));
      const top = beside !== undefined ? Math.max(0, Math.min(y - 12, outer.height - high)) : y > high + 14 ? y - 14 - high : y + 14;
      tip.style.left = `${left}px`;
      tip.style.top = `${top}px`;
    }

    function said({ probe, i }) {
      const pairs = probe.texts.length
        ? probe.texts.map((number, k) => [data.told[k], column(number)[i]])
        : data.axes.map((title, k) => [title, short([probe.x, probe.y][k][i])]);
      const list = element("dl");
      for (const [title, text] of pairs.filter((pair) => pair[1] !== "")) {
        const row = element("div");
        row.append(element("dt", "", title), element("dd", "", text));
        list.append(row);
      }
      return [element("strong", "", probe.model), list];
    }

    function pin(place) {
      page.pinned = !place || page.pinned === place.probe.model ? null : place.probe.model;
      changed();
    }

    function walk(event) {
      if (event.target !== plot || !view) return;
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      const turn = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (event.key === "Escape") {
        page.pinned = null;
        tell(null);
        return changed();
      }
      if (event.key === "Enter" && told) return pin(told);
      if (!step && !turn) return;
      event.preventDefault();
      const shown = probes.filter((probe) => probe.left.length > 1 && probe.left.some((_, i) => isSeen(probe, i)));
      if (!shown.length) return;
      const at = shown.indexOf(told?.probe);
      const probe = shown[turn && at >= 0 ? (at + turn + shown.length) % shown.length : Math.max(at, 0)];
      const order = probe.left.map((_, i) => i).filter((i) => isSeen(probe, i));
      order.sort((a, b) => probe.left[a] - probe.left[b] || a - b);
      const now = at < 0 ? -1 : turn ? closest(probe, order) : order.indexOf(told.i);
      const next = turn && at >= 0 ? now : now + (step ?? 1);
      tell({ chart, probe, i: order[Math.max(0, Math.min(next, order.length - 1))] });
    }

    function closest(probe, order) {
      const x = told.probe.left[told.i];
      const far = order.map((i) => Math.abs(probe.left[i] - x));
      return far.indexOf(Math.min(...far));
    }

    function apply(target) {
      const lit = page.over ?? page.pinned;
      return target.signal("off", [...page.off]).signal("lit", known.has(lit) ? lit : null)
        .signal("dev", page.dev).signal("bands", page.bands).signal("hues", page.hues).runAsync();
    }

    function follow() {
      if (!view) return;
      apply(view);
      if (told && page.off.has(told.probe.model)) tell(null);
      for (const button of figure.querySelectorAll(".models button[data-model]")) {
        button.setAttribute("aria-pressed", String(!page.off.has(button.dataset.model)));
        button.classList.toggle("lit", button.dataset.model === (page.over ?? page.pinned));
      }
      ink();
      for (const box of figure.querySelectorAll(".tools input")) box.checked = page[box.dataset.shows];
    }

    // The samples beside the names: in grey, or each in its colour.
    function ink() {
      figure.querySelectorAll(".models button[data-model] line").forEach((line, i) => {
        line.setAttribute("stroke", page.hues ? data.models[i].hue : data.models[i].colour);
      });
    }

    function models() {
      if (!data.models.length) return null;
      const list = element("div", "models");
      list.setAttribute("role", "group");
      list.setAttribute("aria-label", "Curves shown");
      // The names of many grey lines are shown on request.
      const grey = data.models.filter((model) => model.grey);
      const others = grey.length > MOST_GREY ? element("details") : list;
      if (others !== list) others.append(element("summary", "", `${grey.length} other models`));
      for (const model of data.models) {
        const button = element("button", "", model.name || "(no name)");
        button.type = "button";
        button.dataset.model = model.name;
        button.prepend(sample(model));
        button.addEventListener("click", () => toggle(model.name));
        for (const kind of ["pointerenter", "focus"]) button.addEventListener(kind, () => over(model.name));
        for (const kind of ["pointerleave", "blur"]) button.addEventListener(kind, () => over(null));
        (model.grey ? others : list).append(button);
      }
      if (others !== list) list.append(others);
      return list;
    }

    function tools() {
      const bar = element("div", "tools");
      if (data.models.length > 3) {
        bar.append(act("All", () => turn(data.models, true)), act("None", () => turn(data.models, false)));
      }
      if (data.data.on_dev) bar.append(box("dev", "show development set (dashed)"));
      if (data.bands) bar.append(box("bands", data.bands));
      if (data.models.some((model) => model.hue !== model.colour)) bar.append(box("hues", "colour every model"));
      if (data.windows) bar.append(ranges());
      bar.append(act("Data (CSV)", save));
      for (const kind of ["PNG", "SVG"]) {
        const button = act(kind, () => share(kind));
        button.setAttribute("aria-label", `${kind} of this picture`);
        bar.append(button);
      }
      return bar;
    }

    function box(shows, text) {
      const label = element("label");
      const input = element("input");
      input.type = "checkbox";
      input.dataset.shows = shows;
      input.addEventListener("change", () => {
        page[shows] = input.checked;
        changed();
      });
      label.append(input, text);
      return label;
    }

    function ranges() {
      const label = element("label", "", "Axes");
      const choice = element("select");
      data.windows.forEach((window, i) => {
        const option = element("option", "", window.label);
        option.value = String(i);
        choice.append(option);
      });
      choice.addEventListener("change", () => {
        range = Number(choice.value);
        tell(null);
        chart.draw();
      });
      label.append(choice);
      return label;
    }

    function save() {
      const table = data.probes.length
        ? [["Model", ...data.told], ...data.probes.flatMap((probe) =>
          probe.x.map((_, i) => [probe.model, ...probe.texts.map((number) => column(number)[i])]))]
        : [["Model", ...data.axes, "Upper limit"], ...Object.values(data.data).flat().flatMap((block) =>
          (block.x ?? []).map((x, i) => [block.model ?? "", x, block.y[i], block.y2?.[i] ?? ""]))];
      give(new Blob([csv(table)], { type: "text/csv" }), `${figure.id.replace("figure-", "")}.csv`);
    }

    // The picture as it is drawn now, with the words that go with it.
    async function share(kind) {
      const head = figure.closest("details.folded")?.querySelector("summary") ?? figure;
      const read = (where, selector) => where.querySelector(selector)?.textContent.trim() ?? "";
      const subtitle = read(head, ".subtitle");
      const title = read(head, ".figure-title") || (head === figure ? "" : head.textContent.replace(subtitle, "").trim());
      const source = [read(document, "h1"), read(document, ".data-line")].filter(Boolean).join(" \u00b7 ");
      const small = drawing.querySelector("svg").getAttribute("width") && view.width() < data.vega.width ? 1 : 0;
      const named = new Set(Object.values(data.names?.[range][small] ?? {}).flat().map((row) => row.model));
      const many = data.models.filter((model) => model.grey).length > MOST_GREY;
      const unnamed = data.models.filter((model) => !page.off.has(model.name) && !named.has(model.name) && !(many && model.grey));
      const picture = shared(drawing.querySelector("svg"), { title, subtitle, source }, data.models.length > 1 ? unnamed : []);
      const name = figure.id.replace("figure-", "");
      const text = new XMLSerializer().serializeToString(picture);
      if (kind === "SVG") give(new Blob([text], { type: "image/svg+xml" }), `${name}.svg`);
      else give(await painted(picture, 2), `${name}.png`);
    }
  }

  function toggle(name) {
    if (!page.off.delete(name)) page.off.add(name);
    changed();
  }

  function turn(models, all) {
    models.forEach((model) => (all ? page.off.delete(model.name) : page.off.add(model.name)));
    changed();
  }

  function over(name) {
    page.over = page.off.has(name) ? null : name;
    changed();
  }
})();
