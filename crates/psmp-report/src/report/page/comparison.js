"use strict";
// Planners compared: curves, a summary, differences of pairs and a table of worlds, from rows of runs. What is shown follows
// from what is chosen; nothing is kept but the choice.

(() => {
  const element = (id) => document.getElementById(id);
  const { sets, planners, files, rows } = JSON.parse(element("comparison").textContent);
  const RESAMPLES = 2000;
  const PLACES = 80;
  const BEFORE_FIRST = 3;
  const WORLDS_AT_ONCE = 50;

  // Rows by name. A curve is the costs, lengths and times of better paths.
  const runs = rows.map(([set, planner, world, seed, shortest, limit, regret, total, seconds, ending, costs, lengths, times, film, file, number]) =>
    ({ set, planner, world, seed, shortest, limit, regret, total, seconds, ending, costs, lengths, times, film, file, number, key: `${set} ${world}` }));

  // What paths are held against: the roadmap's shortest, or where it has none the best that anyone has found.
  const reference = new Map();
  for (const run of runs) {
    const known = reference.get(run.key) ?? { shortest: null, best: Infinity };
    known.shortest ??= run.shortest;
    if (run.lengths.length) known.best = Math.min(known.best, run.lengths[run.lengths.length - 1]);
    reference.set(run.key, known);
  }
  for (const run of runs) {
    const { shortest, best } = reference.get(run.key);
    run.reference = shortest ?? (Number.isFinite(best) ? best : null);
  }

  const first = (list) => (list && list.length ? list[0] : null);
  const last = (list) => (list && list.length ? list[list.length - 1] : null);
  const over = (length, run) => (length === null ? null : run.reference > 0 ? length / run.reference : 1);
  /** What a run is measured by in one number, or null where it never got there. */
  const SCALARS = {
    regret: { name: "regret", of: (run) => run.regret, digits: 3 },
    first: { name: "checks to the first path", of: (run) => first(run.costs), digits: 0, lacks: true },
    firstTime: { name: "time to the first path", of: (run) => first(run.times), time: true, lacks: true },
    firstLength: { name: "first length / shortest", of: (run) => over(first(run.lengths), run), digits: 3, lacks: true },
    best: { name: "best length / shortest", of: (run) => over(last(run.lengths), run), digits: 3, lacks: true },
    solved: { name: "solved", of: (run) => (run.lengths.length ? 1 : 0), digits: 2, more: true },
    total: { name: "checks in all", of: (run) => run.total, digits: 0 },
    seconds: { name: "time in all", of: (run) => run.seconds, time: true },
  };

  // Chance that is the same each time the page is opened.
  function generator(seed) {
    let state = seed;
    return () => {
      state = (state + 0x6d2b79f5) | 0;
      let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
      mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
      return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
    };
  }

  /** The mean over worlds at each place, with its interval of 95%; worlds have as many places. */
  function overWorlds(worlds) {
    const count = worlds.length;
    const places = count ? worlds[0].length : 0;
    const mean = new Float64Array(places);
    for (const world of worlds) for (let p = 0; p < places; p += 1) mean[p] += world[p] / count;
    const resampled = Array.from({ length: places }, () => new Float64Array(RESAMPLES));
    const chance = generator(0x5eed);
    const sum = new Float64Array(places);
    for (let r = 0; count && r < RESAMPLES; r += 1) {
      sum.fill(0);
      for (let i = 0; i < count; i += 1) {
        const world = worlds[Math.floor(chance() * count)];
        for (let p = 0; p < places; p += 1) sum[p] += world[p];
      }
      for (let p = 0; p < places; p += 1) resampled[p][r] = sum[p] / count;
    }
    return Array.from(mean, (value, p) => {
      const sorted = resampled[p].sort();
      return { mean: value, low: quantile(sorted, 0.025), high: quantile(sorted, 0.975) };
    });
  }

  function quantile(sorted, share) {
    const place = share * (sorted.length - 1);
    const below = Math.floor(place);
    const above = Math.ceil(place);
    return below === above ? sorted[below] : sorted[below] + (sorted[above] - sorted[below]) * (place - below);
  }

  /** The median, counting null as infinite; null if that is it. */
  function median(values) {
    if (!values.length) return null;
    const middle = quantile(values.map((v) => v ?? Infinity).sort((a, b) => a - b), 0.5);
    return Number.isFinite(middle) ? middle : null;
  }

  function grouped(list, key) {
    const groups = new Map();
    for (const one of list) {
      const name = key(one);
      if (!groups.has(name)) groups.set(name, []);
      groups.get(name).push(one);
    }
    return groups;
  }

  // The choice.
  const chosen = { sets: new Set(sets.keys()), planners: new Set(planners.keys()) };
  let shownWorld = 0;
  const HTML = (name, attributes = {}, ...children) => filled(document.createElement(name), attributes, children);
  const SVG = (name, attributes = {}, ...children) => filled(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, children);
  function filled(made, attributes, children) {
    for (const [name, value] of Object.entries(attributes)) {
      if (value !== null && value !== undefined && value !== false) made.setAttribute(name, value === true ? "" : value);
    }
    made.append(...children);
    return made;
  }
  const swatch = ({ colour, dash }) =>
    SVG("svg", { class: "swatch panel", width: 34, height: 12, "aria-hidden": "true" },
      SVG("path", { d: "M2 6h30", stroke: colour, "stroke-width": 3, "stroke-dasharray": dash }));

  function boxes(host, list, set, decorate) {
    list.forEach((one, place) => {
      const box = HTML("input", { type: "checkbox", checked: true });
      box.addEventListener("change", () => {
        box.checked ? set.add(place) : set.delete(place);
        shownWorld = 0;
        show();
      });
      host.append(HTML("label", {}, box, ...decorate(one), one.name));
    });
  }
  boxes(element("sets"), sets, chosen.sets, () => []);
  boxes(element("planners"), planners, chosen.planners, (planner) => [swatch(planner)]);
  for (const id of ["one", "other"]) {
    planners.forEach((planner, place) => element(id).append(HTML("option", { value: place }, planner.name)));
  }
  element("other").selectedIndex = Math.min(1, planners.length - 1);
  for (const id of ["scalar", "value"]) {
    for (const [name, scalar] of Object.entries(SCALARS)) element(id).append(HTML("option", { value: name }, scalar.name));
  }
  const hasTimes = runs.some((run) => run.times);
  if (!hasTimes) element("axis").querySelector("[value=time]").disabled = true;

  /** The runs that are chosen, in worlds where there is something to hold them against. */
  const inChoice = () => runs.filter((run) => chosen.sets.has(run.set) && chosen.planners.has(run.planner) && run.reference !== null);
  const unit = () => {
    const units = new Set([...chosen.sets].map((set) => sets[set].unit));
    return units.size === 1 ? [...units][0] : "checks";
  };

  const count = (value) => Math.round(value).toLocaleString("en");
  function seconds(value) {
    if (value === 0) return "0 s";
    const size = Math.abs(value);
    const [scale, name] = size >= 1 ? [1, "s"] : size >= 1e-3 ? [1e3, "ms"] : [1e6, "µs"];
    return `${(value * scale).toPrecision(3).replace(/\.?0+$/, (zeros) => (zeros.startsWith(".") ? "" : zeros))} ${name}`;
  }
  function written(value, scalar) {
    if (value === null) return "–";
    if (scalar.time) return seconds(value);
    return scalar.digits ? value.toFixed(scalar.digits) : count(value);
  }

  // Curves.
  const at = element("at");
  let drawn = null;

  /** The places on the axis, from where the first path was found to where the last better one was. */
  function axisOf(list, along, isOfPowers) {
    const found = list.flatMap((run) => run[along] ?? []).sort((a, b) => a - b);
    if (!found.length) return null;
    const [low, high] = [Math.max(found[0] * 0.8, along === "costs" ? 0.5 : 1e-6), quantile(found, 0.995) * 1.1];
    const end = Math.max(high, low * 1.5);
    const place = (share) => (isOfPowers ? low * (end / low) ** share : end * share);
    const share = isOfPowers ? (x) => Math.log(Math.max(x, low) / low) / Math.log(end / low) : (x) => x / end;
    const xs = Array.from({ length: PLACES + 1 }, (_, i) => place(i / PLACES));
    let ticks;
    if (isOfPowers) {
      const powers = [];
      for (let power = Math.ceil(Math.log10(low) - 1e-9); 10 ** power <= end; power += 1) powers.push(10 ** power);
      const finer = powers.length < 3 ? [1, 2, 5] : [1];
      const lowest = Math.floor(Math.log10(low));
      const all = Array.from({ length: 14 }, (_, i) => lowest + i).flatMap((power) => finer.map((f) => f * 10 ** power));
      ticks = all.filter((x) => x >= low && x <= end);
    } else {
      ticks = Draw.ticks(0, end, 6).map(([x]) => x);
    }
    return { xs, share, ticks };
  }

  function heightOf(run, along, xs, measure) {
    const places = run[along];
    let next = 0;
    return xs.map((x) => {
      while (next < places.length && places[next] <= x) next += 1;
      if (measure === "solved") return next ? 1 : 0;
      return next ? Math.min(BEFORE_FIRST, over(run.lengths[next - 1], run)) : BEFORE_FIRST;
    });
  }

  function curves() {
    const [measure, axis] = [element("measure").value, element("axis").value];
    const along = axis === "time" ? "times" : "costs";
    const all = inChoice();
    const list = all.filter((run) => run[along]);
    const scale = axisOf(list, along, element("powers").checked);
    if (!scale) return { series: [], scale: null, measure, axis, without: all.length - list.length };
    const series = [...grouped(list, (run) => run.planner)].sort((a, b) => a[0] - b[0]).map(([planner, own]) => {
      const byWorld = grouped(own, (run) => run.key);
      const worlds = [...byWorld.values()].map((seeds) => {
        const mean = new Float64Array(scale.xs.length);
        for (const run of seeds) heightOf(run, along, scale.xs, measure).forEach((y, p) => (mean[p] += y / seeds.length));
        return mean;
      });
      return { planner, worlds: worlds.length, where: [...byWorld.keys()].sort().join(), points: overWorlds(worlds) };
    });
    return { series, scale, measure, axis, without: all.length - list.length };
  }

  function drawCurves() {
    drawn = curves();
    const host = element("plot");
    host.replaceChildren();
    const { series, scale, measure, axis, without } = drawn;
    const notes = [];
    if (without) notes.push(`${count(without)} of these runs do not say when their paths were found, and are not among the curves: their rows are older.`);
    if (new Set(series.map((s) => s.where)).size > 1) notes.push("Not all of these planners ran in the same worlds: their curves are of different problems. Choose sets that they share.");
    if (axis === "time") notes.push("Time is what a run took on the machine that made its row. In recorded worlds a check is a look-up, so that time there is thinking.");
    if (measure === "ratio") notes.push("Best length over the roadmap's shortest, or where that has no path over the best that anyone found; 3 before the first path. Every run counts at every place.");
    element("curve-note").textContent = notes.join(" ");
    if (!scale) {
      host.append(HTML("p", {}, "Nothing to draw: of what is chosen no run has found a path."));
      element("readout").replaceChildren();
      element("at-words").textContent = "";
      return;
    }
    const width = Math.max(300, host.clientWidth);
    const height = Math.max(220, Math.min(420, width * 0.5, window.innerHeight - 330));
    const [left, right, top, bottom] = [44, width - 12, 22, height - 40];
    const lowest = Math.min(1, ...series.flatMap((s) => s.points.map((p) => p.low)));
    const [low, high] = measure === "solved" ? [0, 1] : [Math.floor(lowest * 10) / 10, BEFORE_FIRST];
    const x = (value) => left + scale.share(value) * (right - left);
    const y = (value) => bottom - ((value - low) / (high - low)) * (bottom - top);
    const svg = SVG("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": `${element("measure").selectedOptions[0].textContent} against ${axis === "time" ? "time" : unit()}` });
    for (const [value, label] of Draw.ticks(low, high, 5)) {
      svg.append(SVG("line", { class: "grid", x1: left, x2: right, y1: y(value), y2: y(value) }));
      svg.append(SVG("text", { x: left - 6, y: y(value) + 4, "text-anchor": "end" }, measure === "solved" ? `${Math.round(value * 100)}%` : label));
    }
    let free = -Infinity;
    for (const value of scale.ticks) {
      svg.append(SVG("line", { class: "frame", x1: x(value), x2: x(value), y1: bottom, y2: bottom + 4 }));
      const label = axis === "time" ? seconds(value) : value < 1 ? String(value) : count(value);
      const half = label.length * 3.6;
      if (x(value) - half > free && x(value) + half < width) {
        svg.append(SVG("text", { x: x(value), y: bottom + 17, "text-anchor": "middle" }, label));
        free = x(value) + half + 4;
      }
    }
    svg.append(SVG("line", { class: "frame", x1: left, x2: right, y1: bottom, y2: bottom }));
    svg.append(SVG("text", { x: (left + right) / 2, y: height - 4, "text-anchor": "middle" }, axis === "time" ? "time since the run began" : `${unit()} checked`));
    svg.append(SVG("text", { x: 0, y: 12 }, measure === "solved" ? "share of runs with a path" : "best length / shortest"));
    for (const { planner, points } of series) {
      const { colour } = planners[planner];
      const upper = points.map((p, i) => `${x(scale.xs[i]).toFixed(1)},${y(p.high).toFixed(1)}`);
      const lower = points.map((p, i) => `${x(scale.xs[i]).toFixed(1)},${y(p.low).toFixed(1)}`).reverse();
      svg.append(SVG("polygon", { points: [...upper, ...lower].join(" "), fill: colour, opacity: 0.15 }));
    }
    for (const { planner, points } of series) {
      const { colour, dash, name } = planners[planner];
      const line = points.map((p, i) => `${x(scale.xs[i]).toFixed(1)},${y(p.mean).toFixed(1)}`);
      svg.append(SVG("polyline", { points: line.join(" "), fill: "none", stroke: colour, "stroke-width": 2.2, "stroke-dasharray": dash, "stroke-linejoin": "round" }, SVG("title", {}, name)));
    }
    svg.append(SVG("line", { class: "cursor", y1: top, y2: bottom }));
    const point = (event) => {
      const box = svg.getBoundingClientRect();
      const share = ((event.clientX - box.left) * (width / box.width) - left) / (right - left);
      at.value = Math.round(Math.min(1, Math.max(0, share)) * PLACES);
      readOut();
    };
    svg.addEventListener("pointerdown", point);
    svg.addEventListener("pointermove", (event) => { if (event.buttons || event.pointerType === "mouse") point(event); });
    host.append(svg);
    drawn.x = x;
    at.max = PLACES;
    readOut();
  }

  function readOut() {
    if (!drawn?.scale) return;
    const place = Number(at.value);
    const where = drawn.scale.xs[place];
    element("at-words").textContent = drawn.axis === "time" ? seconds(where) : `${count(where)} ${unit()}`;
    const cursor = element("plot").querySelector(".cursor");
    cursor?.setAttribute("x1", drawn.x(where));
    cursor?.setAttribute("x2", drawn.x(where));
    const value = drawn.measure === "solved" ? (v) => `${(v * 100).toFixed(0)}%` : (v) => v.toFixed(3);
    const head = HTML("thead", {}, HTML("tr", {}, ...["planner", "mean", "95% interval", "worlds"].map((name) => HTML("th", { scope: "col" }, name))));
    const body = HTML("tbody", {}, ...drawn.series.map(({ planner, points, worlds }) => {
      const { mean, low, high } = points[place];
      return HTML("tr", {}, HTML("th", { scope: "row" }, swatch(planners[planner]), " ", planners[planner].name),
        HTML("td", {}, value(mean)), HTML("td", {}, `${value(low)} to ${value(high)}`), HTML("td", {}, count(worlds)));
    }));
    element("readout").replaceChildren(head, body);
  }

  // The summary.
  function summarise() {
    const names = ["planner", "worlds", "runs", "solved", "checks to first", "time to first", "first / shortest", "best / shortest", "regret", "95% interval"];
    const head = HTML("thead", {}, HTML("tr", {}, ...names.map((name) => HTML("th", { scope: "col" }, name))));
    const byPlanner = [...grouped(inChoice(), (run) => run.planner)].sort((a, b) => a[0] - b[0]);
    const body = HTML("tbody", {}, ...byPlanner.map(([planner, own]) => {
      const middle = (scalar) => written(median(own.map(scalar.of)), scalar);
      const worlds = grouped(own, (run) => run.key).size;
      const solved = own.filter((run) => run.lengths.length).length / own.length;
      const scored = own.filter((run) => run.regret !== null);
      const regrets = [...grouped(scored, (run) => run.key).values()].map((seeds) => [seeds.reduce((sum, run) => sum + run.regret, 0) / seeds.length]);
      const [regret] = overWorlds(regrets);
      const cells = [count(worlds), count(own.length), `${(solved * 100).toFixed(0)}%`, middle(SCALARS.first), middle(SCALARS.firstTime), middle(SCALARS.firstLength), middle(SCALARS.best),
        regret ? regret.mean.toFixed(3) : "–", regret ? `${regret.low.toFixed(3)} to ${regret.high.toFixed(3)}` : "–"];
      return HTML("tr", {}, HTML("th", { scope: "row" }, swatch(planners[planner]), " ", planners[planner].name), ...cells.map((cell) => HTML("td", {}, cell)));
    }));
    element("summary-table").replaceChildren(head, body);
  }

  // Differences.
  /** Of two planners, by world: the first's value less the second's; and what keeps them from being compared. */
  function differences() {
    const [one, other] = ["one", "other"].map((id) => Number(element(id).value));
    const scalar = SCALARS[element("scalar").value];
    const of = (planner) => new Map(runs
      .filter((run) => run.planner === planner && chosen.sets.has(run.set) && run.reference !== null)
      .map((run) => [`${run.key} ${run.seed}`, run]));
    const [a, b] = [of(one), of(other)];
    const alone = [a, b].map((mine, i) => [...mine.keys()].filter((key) => !(i ? a : b).has(key)).length);
    const missing = [a, b].map((mine) => [...mine.values()].filter((run) => scalar.of(run) === null).length);
    const worlds = new Map();
    for (const [key, run] of a) {
      const values = [run, b.get(key)].map((each) => (each ? scalar.of(each) : null));
      if (values[0] === null || values[1] === null) continue;
      const known = worlds.get(run.key) ?? { set: run.set, world: run.world, sum: 0, seeds: 0 };
      known.sum += values[0] - values[1];
      known.seeds += 1;
      worlds.set(run.key, known);
    }
    const list = [...worlds.entries()].map(([key, { set, world, sum, seeds }]) => ({ key, set, world, value: sum / seeds }));
    return { one, other, scalar, alone, missing, list };
  }

  function drawDifferences() {
    const { one, other, scalar, alone, missing, list } = differences();
    const names = [one, other].map((planner) => planners[planner].name);
    const [words, host] = [element("difference"), element("pairs")];
    host.replaceChildren();
    const wrong = [];
    [0, 1].forEach((i) => {
      if (alone[i]) wrong.push(`${count(alone[i])} runs of ${names[i]} have no counterpart with the same world and seed`);
      if (missing[i]) wrong.push(`${count(missing[i])} runs of ${names[i]} never got there`);
    });
    const comparable = list.length > 0 && !wrong.length;
    const [interval] = comparable ? overWorlds(list.map((each) => [each.value])) : [null];
    const signed = (value) => (value > 0 ? "+" : "") + written(value, scalar.time ? scalar : { digits: scalar.digits || 1 });
    if (one === other) {
      words.textContent = "Choose two planners.";
    } else if (interval) {
      const better = list.filter((each) => (scalar.more ? each.value > 0 : each.value < 0)).length;
      const worse = list.filter((each) => (scalar.more ? each.value < 0 : each.value > 0)).length;
      words.textContent = `${names[0]} less ${names[1]}, ${scalar.name}: ${signed(interval.mean)} in the mean over ${count(list.length)} worlds (95%: ${signed(interval.low)} to ${signed(interval.high)}); `
        + `better in ${count(better)}, worse in ${count(worse)}, the same in ${count(list.length - better - worse)}.`;
    } else {
      words.textContent = list.length ? `No mean: ${wrong.join("; ")}.` : "They have no world and seed in common among what is chosen.";
    }
    if (!list.length || one === other) return;
    const sorted = [...list].sort((p, q) => p.value - q.value);
    const width = Math.max(300, host.clientWidth);
    const height = 200;
    const [left, right, top, bottom] = [64, width - 12, 12, height - 14];
    const values = [0, sorted[0].value, sorted[sorted.length - 1].value];
    let [low, high] = [Math.min(...values), Math.max(...values)];
    const margin = (high - low) * 0.05 || 0.5;
    [low, high] = [low - margin, high + margin];
    const y = (value) => bottom - ((value - low) / (high - low)) * (bottom - top);
    const x = (place) => left + ((place + 0.5) / sorted.length) * (right - left);
    const svg = SVG("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": words.textContent });
    for (const [value] of Draw.ticks(low, high, 4)) {
      svg.append(SVG("line", { class: value === 0 ? "zero" : "grid", x1: left, x2: right, y1: y(value), y2: y(value) }));
      svg.append(SVG("text", { x: left - 6, y: y(value) + 4, "text-anchor": "end" }, signed(value)));
    }
    const { colour } = planners[one];
    if (interval) {
      svg.append(SVG("rect", { x: left, width: right - left, y: y(interval.high), height: Math.max(1, y(interval.low) - y(interval.high)), fill: colour, opacity: 0.18 }));
      svg.append(SVG("line", { x1: left, x2: right, y1: y(interval.mean), y2: y(interval.mean), stroke: colour, "stroke-width": 2 }));
    }
    const radius = Math.max(1.5, Math.min(4, (right - left) / sorted.length / 2));
    sorted.forEach((each, place) => {
      svg.append(SVG("circle", { cx: x(place), cy: y(each.value), r: radius, fill: colour }, SVG("title", {}, `world ${each.world} of ${sets[each.set].name}: ${signed(each.value)}`)));
    });
    host.append(svg);
  }

  // World by world.
  function worldTable() {
    const scalar = SCALARS[element("value").value];
    const shown = [...chosen.planners].sort((a, b) => a - b);
    const all = runs.filter((run) => chosen.sets.has(run.set) && chosen.planners.has(run.planner));
    let worlds = [...grouped(all, (run) => run.key).values()];
    if (element("order").value === "difference") {
      const by = new Map(differences().list.map((each) => [each.key, each.value]));
      worlds.sort((p, q) => Math.abs(by.get(q[0].key) ?? -1) - Math.abs(by.get(p[0].key) ?? -1));
    } else {
      worlds.sort((p, q) => p[0].set - q[0].set || p[0].world - q[0].world);
    }
    const most = worlds.length;
    shownWorld = Math.max(0, Math.min(shownWorld, most - 1));
    worlds = worlds.slice(shownWorld, shownWorld + WORLDS_AT_ONCE);
    const lastShown = shownWorld + worlds.length;
    element("turned").textContent = most ? `${shownWorld + 1} to ${lastShown} of ${count(most)}` : "none";
    element("before").disabled = shownWorld === 0;
    element("after").disabled = lastShown >= most;
    const head = HTML("thead", {}, HTML("tr", {}, HTML("th", { scope: "col" }, "set"), HTML("th", { scope: "col" }, "world"),
      ...shown.map((planner) => HTML("th", { scope: "col" }, planners[planner].name))));
    const body = HTML("tbody", {}, ...worlds.map((inWorld) => HTML("tr", {},
      HTML("th", { scope: "row" }, sets[inWorld[0].set].name), HTML("td", {}, String(inWorld[0].world)),
      ...shown.map((planner) => cell(inWorld.filter((run) => run.planner === planner), scalar)))));
    element("world-table").replaceChildren(head, body);
  }

  function cell(seeds, scalar) {
    if (!seeds.length) return HTML("td", { class: "none" }, "–");
    const values = seeds.map(scalar.of);
    const known = values.filter((value) => value !== null);
    // A mean over the seeds that got there would be one over the lucky ones.
    const mean = known.length < values.length ? null : known.reduce((sum, value) => sum + value, 0) / known.length;
    const run = seeds.find((each) => each.film) ?? seeds[0];
    const whose = `${planners[run.planner].name}, world ${run.world} of ${sets[run.set].name}, seed ${run.seed}: ${run.ending}`;
    const never = known.length ? `path in ${known.length} of ${values.length}` : scalar.lacks ? "no path" : "–";
    const text = `${mean === null ? never : written(mean, scalar)} `;
    if (run.film) return HTML("td", {}, text, HTML("a", { href: run.film, title: whose, "aria-label": `Film of ${whose}` }, "film"));
    if (!planners[run.planner].ours) return HTML("td", { title: whose }, text);
    const button = HTML("button", { type: "button", title: whose, "aria-label": `How to film ${whose}` }, "film?");
    button.addEventListener("click", () => {
      const words = files.length && run.file >= 0
        ? "Where the worlds are, this command runs it again and makes a page of it:"
        : "It can be made from a file of rows: run the benchmark again with `-o rows.csv`, and then";
      const name = run.file >= 0 ? files[run.file] : "rows.csv";
      const quoted = /^[\w./-]+$/.test(name) ? name : `'${name.replaceAll("'", "'\\''")}'`;
      element("how-words").textContent = `${whose}. ${words}`;
      element("how-command").value = `psmp replay ${quoted} ${run.number} --page film.html`;
      element("how").showModal();
      element("how-command").select();
    });
    return HTML("td", {}, text, button);
  }

  function show() {
    const hopeless = new Set(runs.filter((run) => chosen.sets.has(run.set) && run.reference === null).map((run) => run.key));
    element("left-out").textContent = hopeless.size
      ? `In ${count(hopeless.size)} of the chosen worlds the roadmap has no path and nobody has found one: they count only in the table of worlds.` : "";
    drawCurves();
    summarise();
    drawDifferences();
    worldTable();
  }
  for (const id of ["measure", "axis", "powers"]) element(id).addEventListener("change", drawCurves);
  at.addEventListener("input", readOut);
  for (const id of ["one", "other", "scalar"]) element(id).addEventListener("change", () => { drawDifferences(); worldTable(); });
  for (const id of ["value", "order"]) element(id).addEventListener("change", () => { shownWorld = 0; worldTable(); });
  element("before").addEventListener("click", () => { shownWorld -= WORLDS_AT_ONCE; worldTable(); });
  element("after").addEventListener("click", () => { shownWorld += WORLDS_AT_ONCE; worldTable(); });
  let waiting = 0;
  let width = window.innerWidth;
  window.addEventListener("resize", () => {
    // Only the width matters: on phones the height changes as one scrolls.
    if (window.innerWidth === width) return;
    width = window.innerWidth;
    cancelAnimationFrame(waiting);
    waiting = requestAnimationFrame(() => { drawCurves(); drawDifferences(); });
  });
  show();
})();
