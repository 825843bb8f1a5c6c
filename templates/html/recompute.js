// Two models at a threshold each: their rates, with limits, from the counts that the page holds. The same
// formulas as features/recompute/formulas.py, equal to 1e-9.
(() => {
  "use strict";
  const NONE = "\u2014";
  const MINUS = "\u2212";
  const SAME = 1e-9;
  const NOTHING = 1e-24;
  const ROUNDING = 1e-12;

  function panel(root, data) {
    const words = data.words;
    const sets = data.sets.map(decoded);
    const table = document.getElementById(root.dataset.table).querySelector("table");
    const rows = [...table.tBodies[0].rows];
    const heads = [...table.tHead.rows[0].cells];
    const two = heads.length > 2;
    const sides = [...root.querySelectorAll(".side")].map(fields);
    const own = fields(root);
    own.set.replaceChildren(...sets.map((set, i) => new Option(set.name, i)));
    own.set.closest("label").hidden = sets.length < 2;
    sides[1].root.hidden = !two;
    own.margin.closest("label").hidden = heads.length < 5;
    own.set.addEventListener("change", () => { begin(); update(); });
    sides.forEach((side, which) => {
      side.model.addEventListener("change", () => { offer(side); follow(side); update(); });
      side.rule.addEventListener("change", () => { follow(side); update(); });
      side.place.addEventListener("input", () => { side.rule.value = ""; update(); });
      side.which = which;
    });
    for (const name of ["prevalence", "c_miss", "c_fa", "level", "margin"]) own[name].addEventListener("input", update);
    for (const button of root.querySelectorAll("button")) {
      button.addEventListener("click", button.dataset.act === "reset" ? reset : verify);
    }
    root.hidden = false;
    table.classList.add("stacked");
    reset();

    // As the page begins: its leading models at the thresholds of the report.
    function reset() {
      const start = { prevalence: data.prevalence === null ? "" : tidy(100 * data.prevalence), c_miss: data.costs[0], c_fa: data.costs[1],
        level: tidy(100 * data.level), margin: data.margin };
      for (const [name, value] of Object.entries(start)) own[name].value = value;
      own.set.value = 0;
      for (const side of sides) side.rule.value = "";
      begin();
      update();
    }

    // The two leading models of a set, at the rule that was chosen, or as the report has them.
    function begin() {
      const set = sets[own.set.value];
      sides.forEach((side, which) => {
        const rule = side.rule.value;
        side.model.replaceChildren(...set.models.map((model, i) => new Option(model.name, i)));
        side.model.value = set.pair[which] ?? set.pair[0];
        offer(side);
        side.place.value = data.starts[own.set.value][which] ?? 0;
        side.rule.value = data.rules.find(([name]) => held(side).rules[name] === Number(side.place.value))?.[0] ?? "";
        if (rule && rule in held(side).rules) {
          side.rule.value = rule;
          follow(side);
        }
      });
      own.prevalence.placeholder = fill(words.own_share, { share: `${fixed(100 * share(set.models[set.pair[0]]), 1)}%` });
    }

    // The rules that chose a threshold of this model.
    function offer(side) {
      const model = held(side);
      const rules = data.rules.filter(([name]) => name in model.rules);
      const before = side.rule.value;
      side.rule.replaceChildren(...rules.map(([name, text]) => new Option(text, name)), new Option(words.own_threshold, ""));
      side.rule.value = rules.some(([name]) => name === before) ? before : "";
      side.rule.closest("label").hidden = !rules.length;
      side.place.max = model.misses.length - 1;
    }

    function follow(side) {
      if (side.rule.value) side.place.value = held(side).rules[side.rule.value];
    }

    function held(side) {
      return sets[own.set.value].models[side.model.value];
    }

    function update() {
      const fieldsOf = ["prevalence", "c_miss", "c_fa", "level", "margin"].map((name) => own[name]);
      const wrong = fieldsOf.filter((field) => !field.checkValidity());
      for (const field of fieldsOf) {
        if (wrong.includes(field)) field.setAttribute("aria-invalid", "true");
        else field.removeAttribute("aria-invalid");
      }
      root.querySelector(".wrong").textContent = wrong.length ? words.wrong : "";
      if (!wrong.length) show();
    }

    function show() {
      const set = sets[own.set.value];
      const shown = sides.slice(0, two && set.models.length > 1 ? 2 : 1);
      sides[1].root.hidden = shown.length < 2;
      const prevalence = own.prevalence.value === "" ? null : own.prevalence.valueAsNumber / 100;
      const level = own.level.valueAsNumber / 100;
      const costs = [own.c_miss.valueAsNumber, own.c_fa.valueAsNumber];
      const models = shown.map(held);
      const alpha = weight(prevalence ?? share(models[0]), ...costs);
      const values = models.map((model, i) => rates(model, Number(shown[i].place.value), prevalence, costs, level));
      const observed = shown.length < 2 ? null : discordant(set, shown);
      const differences = observed ? compared(observed, alpha, level) : {};
      for (const side of shown) {
        const model = held(side);
        const text = model.thresholds[side.place.value];
        side.root.querySelector("output").textContent = text;
        side.place.setAttribute("aria-valuetext", text);
      }
      const at = shown.map((side) => fill(words.at, { model: held(side).name, threshold: held(side).thresholds[side.place.value] }));
      const [c_miss, c_fa] = costs;
      const p = `${tidy(prevalence === null ? Number((100 * share(models[0])).toPrecision(3)) : 100 * prevalence)}%`;
      const setting = { set: set.name, models: at.join(", "), share: p, c_miss, c_fa };
      const caption = `${fill(words.caption, { level: percentage(level) })} ${sentence(fill(words.setting, setting))}`;
      table.caption.textContent = caption;
      shown.forEach((side, i) => headed(heads[1 + i], held(side).name));
      const labels = heads.slice(1).map((head) => (head.querySelector(".title") ?? head).textContent);
      for (const row of rows) [...row.cells].slice(1).forEach((cell, at) => (cell.dataset.label = labels[at]));
      root.dataset.alpha = alpha;
      rows.forEach((row, at) => {
        const key = KEYS[at];
        const of = values.map((value) => value[key]);
        const places = decimals(of, level);
        if (key === "weighted_error") row.cells[0].textContent = `${data.measures[at]} (\u03b1\u00a0=\u00a0${significant(alpha)})`;
        of.forEach((value, i) => put(row.cells[1 + i], value, places));
        if (two && !of[1]) put(row.cells[2], null, places);
        if (two) compare(row, differences[key] ?? { value: of[0].value - of[1]?.value }, places);
      });
      root.querySelector(".answer").textContent = answer(set, models, values, differences.weighted_error, level, set.joint && !observed);
    }

    function compare(row, difference, places) {
      const cell = row.cells[3];
      put(cell, difference, offZero(difference, places));
      if (!row.cells[4]) return;
      row.cells[4].textContent = difference.p === undefined ? "" : printedP(difference.p);
      ordered(row.cells[4], difference.p);
    }

    function decimals(values, level) {
      const z = 2 * normalQuantile((1 + level) / 2);
      const errors = values.map((of) => (100 * (of.high - of.low)) / z).filter((error) => error > 0).sort((a, b) => a - b);
      const middle = errors.length === 2 ? (errors[0] + errors[1]) / 2 : errors[0];
      const places = middle ? Math.max(0, Math.min(4, 1 - Math.floor(Math.log10(middle)))) : 0;
      return Math.max(data.decimals, places);
    }

    function put(cell, of, places) {
      const known = of && Number.isFinite(of.value);
      cell.classList.toggle("undefined", !known);
      for (const [name, value] of [["order", of?.value], ["low", of?.low], ["high", of?.high]]) {
        if (known && Number.isFinite(value)) cell.dataset[name] = value;
        else delete cell.dataset[name];
      }
      cell.title = known ? "" : words.undefined;
      cell.replaceChildren(known ? fixed(100 * of.value, places) : NONE);
      if (known && Number.isFinite(of.low)) {
        cell.append(labelled("beneath", `[${fixed(100 * of.low, places)}, ${fixed(100 * of.high, places)}]`));
      } else if (!known) {
        cell.append(labelled("unseen", ` (${words.undefined})`));
      }
    }

    function answer(set, models, values, difference, level, isOther) {
      const [first, second] = models.map((model) => model.name);
      const of = values.map((value) => value.weighted_error);
      if (of.some((value) => !Number.isFinite(value.value))) return "";
      const places = decimals(of, level);
      const span = (low, high, digits) => `${fixed(100 * low, digits)} to ${fixed(100 * high, digits)}`;
      const facts = { level: percentage(level) };
      if (of.length < 2) {
        return fill(Number.isFinite(of[0].low) ? words.alone : words.alone_untested, { ...facts, model: first, value: fixed(100 * of[0].value, places), limits: span(of[0].low, of[0].high, places) });
      }
      const d = of[0].value - of[1].value;
      const [lower, higher] = d <= 0 ? [first, second] : [second, first];
      facts.model = lower;
      facts.other = higher;
      facts.points = fixed(100 * Math.abs(d), places);
      if (!difference) {
        const [one, other] = set.pair.map((at) => set.models[at].name);
        return [fill(words.untested, facts), isOther ? fill(words.of_others, { first: one, second: other }) : ""].join(" ").trim();
      }
      const digits = offZero(difference, places);
      facts.points = fixed(100 * Math.abs(d), digits);
      facts.limits = d <= 0 ? span(-difference.high, -difference.low, digits) : span(difference.low, difference.high, digits);
      const p = printedP(difference.p);
      facts.p = (/^[<>]/.test(p) ? `p ${p}` : `p = ${p}`).replaceAll(" ", "\u00a0");
      const margin = own.margin.valueAsNumber;
      const bound = difference.high < margin / 100 ? words.within_margin : words.beyond_margin;
      return `${fill(Math.abs(d) < 1e-12 ? words.equal : words.lower, facts)} ${fill(bound, { model: first, margin: margin === 1 ? "1 point" : `${tidy(margin)} points` })}`;
    }

    // The first screen again: what the page prints, what its frames have, and what follows from the counts.
    function verify() {
      let agreed = 0;
      let every = 0;
      const again = new Map(data.checks.rows.map((check) => [`${check.set} ${check.model}`, recomputed(check)]));
      for (const check of data.checks.rows) {
        const of = again.get(`${check.set} ${check.model}`);
        const other = again.get(`${check.set} ${check.against}`);
        const cells = [...(document.getElementById(`table-${check.table}`)?.querySelectorAll("td.number[data-order]") ?? [])];
        const pairs = [[of.value, check.value, true], ...of.errors.map((error, k) => [error, check.errors?.[k] ?? null])];
        if (check.limits) pairs.push([of.low, check.limits[0]], [of.high, check.limits[1]]);
        if (other && check.difference !== null) pairs.push([of.value - other.value, check.difference, true]);
        for (const [number, frame, isPrinted] of pairs) {
          if (frame === null) continue;
          every += 1;
          const close = Math.abs(number - frame) <= SAME;
          if (close && (!isPrinted || !cells.length || cells.some((cell) => prints(cell, number, check.scale)))) agreed += 1;
        }
      }
      const place = root.querySelector(".checked");
      place.className = `checked ${!every ? "" : agreed === every ? "good" : "bad"}`;
      root.dataset.agreed = `${agreed}/${every}`;
      const rest = every && data.checks.rest ? fill(words.rest, { rest: data.checks.rest }) : "";
      const result = every ? (agreed === every ? words.agree : words.disagree) : words.none;
      place.textContent = `${fill(result, { agreed, every })} ${rest}`.trim();
    }

    function recomputed(check) {
      const model = sets[check.set].models[check.model];
      const at = counted(model, check.place);
      const errors = [model.misses[check.place], model.alarms[check.place]];
      if (check.share) {
        const [part, whole] = check.share.map((name) => cells(at)[name]);
        const one = check.share[1] === "nontarget" ? at.far : check.share[1] === "target" ? at.frr : {};
        const rate = { ...independent(part, whole), ...(model.worth ? { size: one.size, df: one.df, few: one.few } : {}) };
        return { value: rate.rate, ...limits(rate, check.level), errors };
      }
      const [far, frr, constant] = check.weights;
      const [low, high] = squareAndAdd([[far, at.far], [frr, at.frr]], at.correlation, check.level).map((end) => end + constant);
      return { value: far * at.far.rate + frr * at.frr.rate + constant, low, high, errors };
    }
  }

  // Whether a cell has a number, and prints it rounded.
  function prints(cell, number, scale) {
    const text = (cell.querySelector("strong") ?? cell).firstChild.textContent.replace(MINUS, "-");
    const half = 0.5 * 10 ** -(text.split(".")[1] ?? "").length;
    return Math.abs(number - Number(cell.dataset.order)) <= SAME && Math.abs(scale * number - Number(text)) <= half + SAME;
  }

  // ---- what the page holds

  function decoded(set) {
    for (const model of set.models) {
      model.misses = running(model.misses);
      model.alarms = running(model.alarms);
    }
    if (set.ends) set.ends[0] = running(set.ends[0]);
    return set;
  }

  function running(steps) {
    let sum = 0;
    return steps.map((step) => (sum += step));
  }

  // The two leading models at a threshold each: by class what only one of them errs on, by cluster where trials are in such.
  function discordant(set, shown) {
    const chosen = shown.map((side) => Number(side.model.value));
    const turned = chosen[0] === set.pair[1] && chosen[1] === set.pair[0];
    if (!set.joint || chosen[0] === chosen[1] || !(turned || (chosen[0] === set.pair[0] && chosen[1] === set.pair[1]))) return null;
    const [i, j] = (turned ? [...shown].reverse() : shown).map((side) => Number(side.place.value));
    const [width, depth] = set.pair.map((at) => set.models[at].misses.length + 1);
    const worth = set.models[set.pair[0]].worth?.[0];
    const classes = [0, 1].map((of) => ({ surplus: new Map(), all: new Map(), plus: 0, minus: 0, squares: 0, signed: 0, everySquare: 0, total: 0,
      size: worth ? worth[2 * of] : 1, df: worth ? worth[2 * of + 1] : null }));
    let at = 0;
    set.joint[0].forEach((step, k) => {
      at += step;
      const [trials, square] = [set.joint[1][k], set.joint[2] ? set.joint[2][k] : set.joint[1][k]];
      const first = Math.floor(at / depth) % width > i;
      const second = at % depth > j;
      const target = Math.floor(at / depth / width) % 2;
      const cluster = Math.floor(at / depth / width / 2);
      const of = classes[target];
      of.total += trials;
      of.everySquare += square;
      add(of.all, cluster, trials);
      if (first === second) return;
      // Whether the model that is shown first errs alone.
      const sign = (turned === first) === Boolean(target) ? 1 : -1;
      of[sign > 0 ? "plus" : "minus"] += trials;
      of.squares += square;
      of.signed += sign * square;
      add(of.surplus, cluster, sign * trials);
    });
    const pairs = set.ends && { first: set.ends[0], second: set.ends[1], crossed: set.crossed, weight: new Map(),
      clusters: new Set(set.ends.flat()).size };
    // Both classes weigh the same.
    if (pairs) classes.forEach((of, k) => of.all.forEach((size, pair) => add(pairs.weight, pair, size * classes[1 - k].total)));
    return { classes, dependent: Boolean(worth), pairs };
  }

  // ---- rates and their limits

  const KEYS = ["far", "frr", "precision", "npv", "weighted_error"];

  function share(model) {
    return model.sizes[0] / (model.sizes[0] + model.sizes[1]);
  }

  function weight(p, miss, alarm) {
    return (alarm * (1 - p)) / (alarm * (1 - p) + miss * p);
  }

  function counted(model, place) {
    const [targets, nontargets] = model.sizes;
    const [misses, alarms] = [model.misses[place], model.alarms[place]];
    const at = { misses, alarms, targets, nontargets, far: independent(alarms, nontargets), frr: independent(misses, targets), correlation: 0 };
    if (model.worth) {
      const [farSize, farDf, frrSize, frrDf, correlation] = model.worth[place];
      const [farFew, frrFew] = model.few[place];
      Object.assign(at.far, { size: farSize, df: farDf, few: farFew });
      Object.assign(at.frr, { size: frrSize, df: frrDf, few: frrFew });
      at.correlation = correlation ?? 0;
    }
    return at;
  }

  function cells({ misses, alarms, targets, nontargets }) {
    const [tp, tn] = [targets - misses, nontargets - alarms];
    return { tp, fn: misses, fp: alarms, tn, target: targets, nontarget: nontargets, accepted: tp + alarms,
      rejected: misses + tn, right: tp + tn, wrong: misses + alarms, total: targets + nontargets };
  }

  function independent(part, whole) {
    return { rate: whole ? part / whole : NaN, size: whole, df: null, few: false };
  }

  function limited(rate, level) {
    return Number.isFinite(rate.rate) ? { value: rate.rate, ...limits(rate, level) } : { value: NaN };
  }

  function rates(model, place, prevalence, costs, level) {
    const at = counted(model, place);
    const p = prevalence ?? share(model);
    const limitedRates = { far: limited(at.far, level), frr: limited(at.frr, level) };
    if (prevalence === null && !model.worth) {
      const { tp, tn, accepted, rejected } = cells(at);
      limitedRates.precision = limited(independent(tp, accepted), level);
      limitedRates.npv = limited(independent(tn, rejected), level);
    } else {
      limitedRates.precision = atPrevalence(at.far, right(at.frr), p, -at.correlation, level);
      limitedRates.npv = atPrevalence(at.frr, right(at.far), 1 - p, -at.correlation, level);
    }
    const alpha = weight(p, ...costs);
    const [low, high] = squareAndAdd([[alpha, at.far], [1 - alpha, at.frr]], at.correlation, level);
    limitedRates.weighted_error = { value: alpha * at.far.rate + (1 - alpha) * at.frr.rate, low, high };
    return limitedRates;
  }

  function right(rate) {
    return { ...rate, rate: 1 - rate.rate };
  }

  // Wilson's, with Student's t; Clopper and Pearson's, or Korn and Graubard's, at 0 and 1 and of few errors.
  function limits({ rate, size, df, few }, level) {
    if (!(size > 0)) return { low: NaN, high: NaN };
    const t = quantile(level, df);
    const tail = (1 - level) / 2;
    if (rate > 0 && rate < 1 && !few) {
      const whole = 1 + (t * t) / size;
      const half = t * Math.sqrt((rate * (1 - rate)) / size + (t / (2 * size)) ** 2);
      const middle = rate + (t * t) / (2 * size);
      return { low: clip((middle - half) / whole), high: clip((middle + half) / whole) };
    }
    const n = size * (quantile(level, null) / t) ** 2;
    const [errors, correct] = [rate * n, (1 - rate) * n];
    return {
      low: errors > 0 ? betaQuantile(errors, correct + 1, tail) : 0,
      high: correct > 0 ? betaQuantile(errors + 1, correct, 1 - tail) : 1,
    };
  }

  function clip(value) {
    return Math.min(1, Math.max(0, value));
  }

  // Of w p summed over rates of different trials, correlated by cluster (Zou, Donner 2008).
  function squareAndAdd(terms, correlation, level) {
    let [value, down, up, least] = [0, 0, 0, 0];
    const earlier = [];
    for (const [w, rate] of terms) {
      if (!w) continue;
      const ends = limits(rate, level);
      const [low, high] = w > 0 ? [ends.low, ends.high] : [ends.high, ends.low];
      const [below, above] = [w * (rate.rate - low), w * (high - rate.rate)];
      value += w * rate.rate;
      down += below ** 2;
      up += above ** 2;
      least += Math.min(w, 0);
      for (const [other, otherBelow, otherAbove, otherFew] of earlier) {
        let r = Math.sign(w * other) * correlation;
        if (rate.few || otherFew) r = Math.max(r, 0);
        down += 2 * r * below * otherBelow;
        up += 2 * r * above * otherAbove;
      }
      earlier.push([w, below, above, rate.few]);
    }
    return [Math.max(least, value - Math.sqrt(Math.max(0, down))), value + Math.sqrt(Math.max(0, up))];
  }

  // The share of right decisions among those of one kind, by the limits of the ratio of both rates (MOVER-R).
  function atPrevalence(wrong, correct, p, correlation, level) {
    const [p1, p2] = [wrong.rate, correct.rate];
    if (!(p * p2 + (1 - p) * p1 > 0)) return { value: NaN };
    const value = (p * p2) / (p * p2 + (1 - p) * p1);
    if (!(wrong.size > 0 && correct.size > 0)) return { value };
    const [first, second] = [limits(wrong, level), limits(correct, level)];
    const root = (a, b, c) => a + Math.sqrt(Math.max(0, a * a - b * c));
    let a = p1 * p2 - correlation * (p1 - first.low) * (second.high - p2);
    let b = p1 * p1 - (p1 - first.low) ** 2;
    let c = p2 * p2 - (second.high - p2) ** 2;
    const lowest = b > 0 && root(a, b, c) > 0 ? b / root(a, b, c) : 0;
    a = p1 * p2 - correlation * (first.high - p1) * (p2 - second.low);
    b = p1 * p1 - (first.high - p1) ** 2;
    c = p2 * p2 - (p2 - second.low) ** 2;
    const highest = c > 0 ? root(a, b, c) / c : Infinity;
    const odds = (1 - p) / p;
    return { value, low: 1 / (1 + odds * highest), high: 1 / (1 + odds * lowest) };
  }

  // ---- the difference of two models on the same trials

  function compared({ classes, dependent, pairs }, alpha, level) {
    const of = (...weights) => {
      const counted = classes.map((each, at) => [weights[at], each]).filter(([w]) => w !== 0);
      if (counted.some(([, { total, size }]) => !total || !size)) return undefined;
      if (dependent) return dependentDifference(counted, pairs, level);
      return difference(counted.map(([w, { plus, minus, total }]) => [w, plus, minus, total]), level);
    };
    return { far: of(1, 0), frr: of(0, 1), weighted_error: of(alpha, 1 - alpha) };
  }

  // Score limits of trials in clusters, or of other weights, which agree with Student's t about 0.
  function dependentDifference(counted, pairs, level) {
    const clustered = counted[0][1].df !== null;
    const moved = new Map();
    let [value, variance, step] = [0, 0, 0];
    for (const [w, of] of counted) {
      const own = (of.plus - of.minus) / of.total;
      let [alone, together] = [of.squares, of.everySquare];
      if (clustered) {
        const lacking = pairs ? lackingOfPairs(of.all, pairs) : lackingOfClusters([...of.all.values()], of.total);
        [together, alone] = [of.all, of.surplus].map((sums) => products(sums, pairs));
        for (const [cluster, size] of of.all) {
          const by = ((of.surplus.get(cluster) ?? 0) - own * size) / of.total / Math.sqrt(lacking);
          add(moved, cluster, w * by);
        }
      }
      value += w * own;
      variance += (w / of.total) ** 2 * (of.squares - 2 * own * of.signed + own * own * of.everySquare);
      const m = together / of.total;
      step = Math.max(step, (w * (Math.max(alone, of.squares) + m * m)) / (of.plus + of.minus + m) / of.total);
    }
    let df = clustered ? Math.min(...counted.map(([, of]) => of.df)) : null;
    if (clustered && pairs?.crossed) [variance, df] = overPools(moved, pairs);
    else if (clustered) variance = pairs ? resampled(moved, pairs) : squaresOf(moved.values());
    if (!(variance > NOTHING)) {
      if (value) return undefined;
      variance = 0;
    }
    if (pairs && variance) step = 0;
    const p = variance ? twoSided(Math.abs(value) / Math.sqrt(variance), df) : 1;
    return scored(value, variance, step, p, level, df);
  }

  // ---- trials in clusters, or in pairs of them, from sums by their number

  // Sums over clusters, and over two of them in either order; of one population trials of a cluster with itself count once.
  function bySides(sums, { first, second, crossed }) {
    const [own, both] = [new Map(), new Map()];
    for (const [pair, sum] of sums) {
      const [a, b] = [first[pair], second[pair]];
      add(own, a, sum);
      if (!crossed && a === b) continue;
      add(own, crossed ? `second ${b}` : b, sum);
      add(both, `${Math.min(a, b)} ${Math.max(a, b)} ${crossed && a > b}`, sum);
    }
    return [own, both];
  }

  function products(sums, pairs) {
    const squares = squaresOf(sums.values());
    if (!pairs) return squares;
    const [plus, minus] = bySides(sums, pairs).map((each) => squaresOf(each.values()));
    return plus - minus <= ROUNDING * (plus + squares) ? 0 : plus - minus;
  }

  // The variance of resamples that draw every cluster of one population w times and its pair with another w w' times.
  function resampled(moved, pairs) {
    const [own, both] = bySides(moved, pairs);
    const mean = [...own.values()].reduce((sum, each) => sum + each, 0) / pairs.clusters;
    const rest = (pairs.clusters - own.size) * mean ** 2;
    return squaresOf([...own.values()].map((each) => each - mean)) + rest + squaresOf(both.values());
  }

  function lackingOfClusters(sizes, total) {
    const power = (k) => sizes.reduce((sum, size) => sum + (size / total) ** k, 0);
    return 1 - (2 * power(3)) / power(2) + power(2);
  }

  function lackingOfPairs(all, { first, second, crossed }) {
    const g = Math.min(...[first, second].map((end) => new Set([...all.keys()].map((pair) => end[pair])).size));
    return crossed ? 1 : (g - 1) / g;
  }

  // The variance over two crossed pools and its degrees of freedom (Owen 2007), as core/stats/crossed_units.py has them.
  function overPools(moved, { first, second, weight }) {
    const [rows, columns, p, q] = [new Map(), new Map(), new Map(), new Map()];
    for (const [pair, sum] of moved) {
      add(rows, first[pair], sum);
      add(columns, second[pair], sum);
    }
    for (const [pair, each] of weight) {
      add(p, first[pair], each);
      add(q, second[pair], each);
    }
    const total = [...p.values()].reduce((sum, each) => sum + each, 0);
    const share = (sizes, at) => sizes.get(at) / total;
    const inner = (sums, sizes) => [...sums].reduce((sum, [at, each]) => sum + each * share(sizes, at), 0);
    const [byFirst, bySecond, independent] = [rows, columns, moved].map((sums) => squaresOf(sums.values()));
    const mixed = [...moved].reduce((sum, [pair, psi]) => sum + psi *
      (rows.get(first[pair]) * share(q, second[pair]) + columns.get(second[pair]) * share(p, first[pair])), 0)
      - inner(rows, p) * inner(columns, q);
    const squares = (sizes) => squaresOf(sizes.values()) / total ** 2;
    let cells = independent + byFirst * squares(q) + bySecond * squares(p) - 2 * mixed;
    if (cells <= ROUNDING * independent) cells = 0;
    const [a, b] = [p, q].map((sizes) => {
      const lacking = lackingOfClusters([...sizes.values()], total);
      const effective = 1 / squares(sizes);
      return { factor: 1 / lacking, df: Math.max(1, effective - (lacking * effective) / (effective - 1)) };
    });
    const parts = [a.factor * byFirst, b.factor * bySecond, a.factor * b.factor * cells];
    const counts = [parts[0] > parts[2], parts[1] > parts[2]].map(Number);
    const sign = [...counts, counts[0] && counts[1] ? -1 : 1 - Math.max(...counts)];
    const signed = parts.map((part, k) => sign[k] * part);
    const variance = signed.reduce((sum, part) => sum + part, 0);
    const unsure = signed.reduce((sum, part, k) => sum + part ** 2 / [a.df, b.df, a.df * b.df][k], 0);
    return [variance, Math.max(1, unsure > 0 ? variance ** 2 / unsure : Math.min(a.df, b.df))];
  }

  function squaresOf(values) {
    return [...values].reduce((sum, each) => sum + each * each, 0);
  }

  function add(sums, at, value) {
    sums.set(at, (sums.get(at) ?? 0) + value);
  }

  // Score limits, which agree with the exact mid-p about 0.
  function difference(classes, level) {
    const sum = (term) => classes.reduce((total, each) => total + term(...each), 0);
    const value = sum((w, plus, minus, n) => (w * (plus - minus)) / n);
    const variance = sum((w, plus, minus, n) => (w * w * (plus + minus)) / (n * n));
    const step = Math.max(...classes.map(([w, , , n]) => w / n));
    return scored(value, variance, step, exactP(classes), level, null);
  }

  function scored(value, variance, step, p, level, df) {
    const tail = (1 - level) / 2;
    const upper = (estimate) => {
      const limit = estimate + reach(estimate, variance, step, tail, df);
      return (estimate <= 0 ? p / 2 : 1 - p / 2) <= tail ? Math.min(limit, 0) : Math.max(limit, 0);
    };
    return { value, low: 0 - upper(0 - value), high: upper(value), p };
  }

  // How far above a difference its upper limit lies, its variance taken at the limit (after Tango 1998).
  function reach(d, variance, step, tail, df) {
    const z = tail >= 0.5 ? 0 : quantile(1 - 2 * tail, df);
    const plain = z * Math.sqrt(variance);
    const least = (Math.log(tail) * step) ** 2;
    if (plain <= -d && d < 0) return plain;
    const total = plain ** 2 + least;
    if (!(total > 0)) return 0;
    const place = ((1.5 * least * d) / total) * Math.sqrt(3 / total);
    const turn = place <= 1 ? Math.cos(Math.acos(Math.max(place, -1)) / 3) : Math.cosh(Math.acosh(place) / 3);
    return 2 * Math.sqrt(total / 3) * turn;
  }

  // Two-sided, the mass at equality half, where the decisions on every trial may be exchanged.
  function exactP(classes) {
    const sides = classes.filter(([, plus, minus]) => plus + minus > 0)
      .map(([w, plus, minus, n]) => ({ m: plus + minus, step: w / n, surplus: plus - minus }));
    if (!sides.length) return 1;
    const observed = Math.abs(sides.reduce((sum, { step, surplus }) => sum + step * surplus, 0));
    sides.sort((a, b) => b.m - a.m || b.step - a.step);
    const [{ m: n, step: large }, { m, step: small }] = [...sides, { m: 0, step: 0 }];
    const tolerance = 1e-12 * (small * m + large * n);
    const inner = binomialHalf(m);
    const outer = binomialHalf(n);
    const beyond = (limit) => inner.chance.reduce((sum, chance, k) =>
      sum + chance * twoTails(small * (2 * (inner.first + k) - m), limit, large, n, outer), 0);
    return Math.min(1, (beyond(observed - tolerance) + beyond(observed + tolerance)) / 2);
  }

  function twoTails(shift, limit, step, n, { first, below }) {
    if (limit <= 0) return 1;
    const at = (k) => below[Math.min(below.length - 1, Math.max(0, k - first))];
    const low = Math.floor((n + (-limit - shift) / step) / 2);
    const high = Math.ceil((n + (limit - shift) / step) / 2);
    return at(low + 1) + at(n - high + 1);
  }

  // Bin(m, 1/2) without tails that are nothing, and its sums.
  function binomialHalf(m) {
    const half = Math.ceil(Math.sqrt((m * (40 - Math.log(1e-300))) / 2)) + 1;
    const first = Math.max(0, Math.floor(m / 2) - half);
    const last = Math.min(m, Math.floor(m / 2) + half);
    const logs = [0];
    for (let k = first; k < last; k += 1) logs.push(logs.at(-1) + Math.log((m - k) / (k + 1)));
    const most = logs.reduce((a, b) => Math.max(a, b));
    const raw = logs.map((log) => Math.exp(log - most));
    const total = raw.reduce((a, b) => a + b);
    const chance = raw.map((each) => each / total);
    const below = [0];
    for (const each of chance) below.push(below.at(-1) + each);
    return { first, chance, below };
  }

  // ---- quantiles

  function quantile(level, df) {
    if (df === null || df === undefined) return normalQuantile((1 + level) / 2);
    const y = betaQuantile(0.5, df / 2, level);
    return Math.sqrt((df * y) / (1 - y));
  }

  // The chance of at least t in size; normal by the incomplete gamma function, as a continued fraction or series.
  function twoSided(t, df) {
    if (df !== null) return beta(df / 2, 0.5, df / (df + t * t));
    const x = (t * t) / 2;
    if (x < 1.5) {
      let [term, sum] = [2 * Math.sqrt(x / Math.PI), 0];
      for (let k = 0; k < 200; k += 1) {
        sum += term / (2 * k + 1);
        term *= -x / (k + 1);
      }
      return 1 - sum;
    }
    let tail = 0;
    for (let k = 400; k > 0; k -= 1) tail = (k / 2) / (Math.sqrt(x) + tail);
    return Math.exp(-x) / Math.sqrt(Math.PI) / (Math.sqrt(x) + tail);
  }

  // Wichura 1988, AS 241, to 1e-16.
  function normalQuantile(p) {
    const q = p - 0.5;
    if (Math.abs(q) <= 0.425) return q * quotient(NEAR, 0.180625 - q * q);
    const r = Math.sqrt(-Math.log(Math.min(p, 1 - p)));
    return Math.sign(q) * (r <= 5 ? quotient(FAR, r - 1.6) : quotient(FARTHEST, r - 5));
  }

  function quotient([above, below], x) {
    const value = (coefficients) => coefficients.reduceRight((sum, each) => sum * x + each, 0);
    return value(above) / value(below);
  }

  const NEAR = [
    [3.3871328727963666080, 133.14166789178437745, 1971.5909503065514427, 13731.693765509461125, 45921.953931549871457,
      67265.770927008700853, 33430.575583588128105, 2509.0809287301226727],
    [1, 42.313330701600911252, 687.18700749205790830, 5394.1960214247511077, 21213.794301586595867,
      39307.895800092710610, 28729.085735721942674, 5226.4952788528545610],
  ];
  const FAR = [
    [1.42343711074968357734, 4.63033784615654529590, 5.76949722146069140550, 3.64784832476320460504, 1.27045825245236838258,
      0.241780725177450611770, 0.0227238449892691845833, 0.000774545014278341407640],
    [1, 2.05319162663775882187, 1.67638483018380384940, 0.689767334985100004550, 0.148103976427480074590,
      0.0151986665636164571966, 0.000547593808499534494600, 1.05075007164441684324e-9],
  ];
  const FARTHEST = [
    [6.65790464350110377720, 5.46378491116411436990, 1.78482653991729133580, 0.296560571828504891230, 0.0265321895265761230930,
      0.00124266094738807843860, 0.0000271155556874348757815, 2.01033439929228813265e-7],
    [1, 0.599832206555887937690, 0.136929880922735805310, 0.0148753612908506148525, 0.000786869131145613259100,
      0.0000184631831751005468180, 1.42151175831644588870e-7, 2.04426310338993978564e-15],
  ];

  // The x below which a beta variable lies with chance p, by halving to the last bit.
  function betaQuantile(a, b, p) {
    let [low, high] = [0, 1];
    for (;;) {
      const middle = (low + high) / 2;
      if (middle <= low || middle >= high) return middle;
      if (beta(a, b, middle) < p) low = middle;
      else high = middle;
    }
  }

  // The regularised incomplete beta function, by its continued fraction.
  function beta(a, b, x) {
    if (x <= 0) return 0;
    if (x >= 1) return 1;
    const front = Math.exp(logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log1p(-x));
    return x < (a + 1) / (a + b + 2) ? (front * fraction(a, b, x)) / a : 1 - (front * fraction(b, a, 1 - x)) / b;
  }

  function fraction(a, b, x) {
    const tiny = 1e-300;
    const off = (value) => (Math.abs(value) < tiny ? tiny : value);
    let c = 1;
    let d = 1 / off(1 - ((a + b) * x) / (a + 1));
    let sum = d;
    for (let m = 1; m < 10000; m += 1) {
      for (const term of [
        (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m)),
        (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1)),
      ]) {
        d = 1 / off(1 + term * d);
        c = off(1 + term / c);
        sum *= c * d;
      }
      if (Math.abs(c * d - 1) < 1e-16) break;
    }
    return sum;
  }

  // Lanczos 1964, with g = 7 and nine terms.
  function logGamma(x) {
    const terms = [676.5203681218851, -1259.1392167224028, 771.3234287776531, -176.6150291621406, 12.507343278686905,
      -0.13857109526572012, 9.984369578019572e-6, 1.5056327351493116e-7];
    const sum = terms.reduce((total, term, k) => total + term / (x + k), 0.9999999999998099);
    const t = x + 6.5;
    return 0.5 * Math.log(2 * Math.PI) + (x - 0.5) * Math.log(t) - t + Math.log(sum);
  }

  // ---- what is printed

  // Halves away from zero, as the decimals that a number is meant to be.
  function fixed(value, places) {
    const size = Math.abs(value);
    const text = size < 1e-6 ? (0).toFixed(places)
      : Number(`${Math.round(Number(`${Number(size.toPrecision(14))}e${places}`))}e-${places}`).toFixed(places);
    return value < 0 && Number(text) > 0 ? MINUS + text : text;
  }

  // Up to two decimals more, so that no limit of a difference rounds to 0.
  function offZero({ low, high }, places) {
    const ends = [low, high].filter((end) => end);
    for (let more = places; more <= places + 2; more += 1) {
      if (ends.every((end) => Number(fixed(100 * Math.abs(end), more)))) return more;
    }
    return places;
  }

  function printedP(p) {
    if (p < 0.001) return "< .001";
    if (p > 0.9949) return p >= 0.99995 ? "1.0" : "> .99";
    const digits = p >= 0.0995 ? 2 : 3;
    const near = [0.1, 0.05].some((alpha) => Number(p.toFixed(digits)) === alpha && Math.abs(p - alpha) > 1e-9 * alpha);
    return p.toFixed(near ? 4 : digits).replace(/^0/, "");
  }

  function significant(value) {
    return fixed(value, Math.max(0, 2 - Math.floor(Math.log10(value))));
  }

  function sentence(text) {
    return text[0].toUpperCase() + text.slice(1);
  }

  function tidy(value) {
    return Number(value.toPrecision(10));
  }

  function percentage(level) {
    return `${tidy(100 * level)}%`;
  }

  function fill(text, facts) {
    return text.replace(/\{(\w+)\}/g, (slot, name) => (name in facts ? facts[name] : slot));
  }

  // ---- the page

  function fields(root) {
    const named = [...root.querySelectorAll("[data-name]")].map((field) => [field.dataset.name, field]);
    return { root, ...Object.fromEntries(named) };
  }

  function labelled(name, text) {
    const span = document.createElement("span");
    span.className = name;
    span.textContent = text;
    return span;
  }

  function headed(cell, name) {
    const title = cell.querySelector("button") ?? cell.querySelector(".title") ?? cell;
    const unit = title.querySelector(".unit");
    title.replaceChildren(`${name} `, ...(unit ? [unit] : []));
  }

  function ordered(cell, value) {
    if (value === undefined) delete cell.dataset.order;
    else cell.dataset.order = value;
  }

  for (const root of document.querySelectorAll(".recompute")) {
    panel(root, JSON.parse(root.querySelector("script").textContent));
  }
})();
