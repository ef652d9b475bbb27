"use strict";
// The player: two films side by side, kept together by what each has spent. A step is one event of
// either film; the other stands where it was at the same cost.

(() => {
  const element = (id) => document.getElementById(id);
  const families = JSON.parse(element("films").textContent);

  // The look of the page comes first: it is there with or without films.
  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  const isDark = () => (document.documentElement.dataset.theme || (dark.matches ? "dark" : "light")) === "dark";
  const themeButton = element("theme");
  function showTheme() {
    themeButton.textContent = isDark() ? "Light" : "Dark";
    themeButton.setAttribute("aria-pressed", String(isDark()));
  }
  let redraw = () => {};
  themeButton.addEventListener("click", () => {
    document.documentElement.dataset.theme = isDark() ? "light" : "dark";
    showTheme();
    redraw();
  });
  dark.addEventListener("change", () => {
    showTheme();
    redraw();
  });
  showTheme();
  if (!families.length) return;

  const ALPHABET = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_";
  const VALUE = new Map([...ALPHABET].map((digit, value) => [digit, value]));

  /** Ids, each with its shade if `shaded`, from a string of gaps. */
  function unpacked(text, shaded) {
    const items = [];
    let at = 0;
    let next = 0;
    while (at < text.length) {
      let gap = 0;
      let factor = 1;
      let digit = VALUE.get(text[at++]);
      while (digit >= 32) {
        gap += (digit - 32) * factor;
        factor *= 32;
        digit = VALUE.get(text[at++]);
      }
      const id = next + gap + digit * factor;
      items.push(shaded ? [id, VALUE.get(text[at++])] : id);
      next = id + 1;
    }
    return items;
  }

  const FLASHES = 6;
  const counted = (n) => n.toLocaleString("en");
  const one = (n, many) => `${counted(n)} ${n === 1 ? many.replace(/ices$/, "ex").replace(/s$/, "") : many}`;
  const measured = (length) => length.toLocaleString("en", { maximumSignificantDigits: 5 });

  /** The roadmap of a film: the family's, and behind its edges those that it grows by. */
  function roadmapOf(family, film) {
    if (!film.grows) return family;
    film.roadmap ??= { edges: family.edges.concat(film.frames.flatMap((frame) => frame.g ?? [])) };
    return film.roadmap;
  }

  /** The edges along a path of vertices. */
  function edgesOf(roadmap, vertices) {
    roadmap.between ??= new Map(
      roadmap.edges.flatMap(([from, to], edge) => [[`${to} ${from}`, edge], [`${from} ${to}`, edge]])
    );
    const along = vertices.slice(1).map((to, i) => roadmap.between.get(`${vertices[i]} ${to}`));
    return along.filter((edge) => edge !== undefined);
  }

  /** Unpacks a film once, and says each of its events in words. */
  function prepare(family, film) {
    if (film.ready) return;
    let before = 0;
    let checks = 0;
    let best = null;
    const inAll = (n) => `${one(n, family.unit)} in all`;
    const roadmap = roadmapOf(family, film);
    const grown = (frame) => `${one((frame.v?.length ?? 0) / 2, "vertices")} and ${one(frame.g?.length ?? 0, "edges")}`;
    for (const frame of film.frames) {
      frame.belief = frame.d ? unpacked(frame.d, true) : [];
      frame.sampled = frame.s === undefined ? null : unpacked(frame.s, false);
      frame.path = frame.p ? edgesOf(roadmap, frame.p) : null;
      const spent = frame.n - before;
      before = frame.n;
      best = frame.l ?? best;
      frame.words = {
        p: () => `path proposed, ${one(frame.path.length, "edges")}; ${inAll(frame.n)}`,
        b: () => (frame.x ? `${counted(frame.x)} draws hold` : "the draw holds") + " nothing shorter than the best path",
        c: () => {
          checks += 1;
          const found = frame.f ? "edge free" : "edge in collision";
          const cost = family.unit === "edges" ? "" : `, ${one(spent, family.unit)}`;
          return `check ${checks}: ${found}${cost}; ${inAll(frame.n)}`;
        },
        g: () => `the roadmap grows by ${grown(frame)}; ${inAll(frame.n)}`,
        t: () => `${frame.h} tried: ${frame.f ? "free" : "in collision"}, ${one(spent, family.unit)}; ${inAll(frame.n)}`,
        i: () => `better path: length ${measured(best)}; ${inAll(frame.n)}`,
        e: () => ({
          "shortest-on-roadmap": `over: the shortest on this roadmap, proven; ${inAll(frame.n)}`,
          "no-path-on-roadmap": `over: this roadmap has no path, proven; ${inAll(frame.n)}`,
          settled: `over: nothing has made the path shorter for long; ${inAll(frame.n)}`,
          "gave-up": `over: nothing left to propose; ${inAll(frame.n)}`,
          stopped: `over: the budget is spent; ${inAll(frame.n)}`,
        })[frame.h] ?? `over; ${inAll(frame.n)}`,
      }[frame.k]();
    }
    film.ready = true;
  }

  /** Where a film stands after its first `count` events. */
  function stateAt(family, film, shortest, count) {
    const { edges } = roadmapOf(family, film);
    const state = {
      // Of a roadmap that grows those are there that were given, and those that came since.
      edges, given: family.edges.length, count: family.edges.length, dots: [], tried: [],
      belief: new Uint8Array(edges.length).fill(8),
      checked: new Uint8Array(edges.length),
      best: null, way: null, proposed: null, sampled: null, edge: null,
      cost: 0, lengths: [], bounds: [], words: "not yet begun",
    };
    for (const frame of film.frames.slice(0, count)) {
      for (const [edge, shade] of frame.belief) state.belief[edge] = shade;
      state.edge = null;
      state.count += frame.g?.length ?? 0;
      if (frame.v) state.dots.push(...frame.v);
      // What was tried flashes, and fades while the next few are.
      if (frame.k === "t") state.tried = [...state.tried.slice(1 - FLASHES), { way: frame.w, free: frame.f }];
      if (frame.k === "p") [state.proposed, state.sampled] = [frame.path, frame.sampled];
      if (frame.k === "c") [state.edge, state.checked[frame.e]] = [frame.e, frame.f ? 1 : 2];
      if (frame.k === "i") [state.best, state.way, state.proposed] = [frame.path, frame.w ?? null, null];
      if (frame.k === "e") [state.proposed, state.sampled] = [null, null];
      if (frame.l !== undefined && shortest) state.lengths.push([frame.n, frame.l / shortest]);
      if (frame.m !== undefined && shortest) state.bounds.push([frame.n, frame.m / shortest]);
      state.cost = frame.n;
      state.words = frame.words;
    }
    return state;
  }

  let family, world, films, timeline, axes;
  let now = 0;

  /** All events of both films in the order of what they had cost: how far each film is at each. */
  function merged([a, b]) {
    const places = [[0, 0]];
    let [i, j] = [0, 0];
    while (i < a.frames.length || j < b.frames.length) {
      const first = j >= b.frames.length || (i < a.frames.length && a.frames[i].n <= b.frames[j].n);
      if (first) i += 1;
      else j += 1;
      places.push([i, j]);
    }
    return places;
  }

  /** Axes that hold both curves. */
  function axesOf(pair) {
    const frames = pair.flatMap((film) => film.frames);
    const ratios = frames.flatMap((f) => [f.l, f.m]).filter((v) => v !== undefined && world.shortest);
    const values = ratios.map((v) => v / world.shortest).concat(1);
    const [low, high] = [Math.min(...values), Math.max(...values)];
    const air = Math.max(0.08 * (high - low), 0.02);
    const cost = Math.max(1, ...frames.map((f) => f.n));
    return { cost, low: Math.max(0, low - air), high: high + air };
  }

  function fill(select, names, chosen) {
    select.replaceChildren(...names.map((name, i) => new Option(name, String(i), false, i === chosen)));
  }

  const nameOf = (film) => film.planner + (film.grows ? " (growing)" : film.experience === "unseen" ? " (unseen)" : "");
  const filmsHere = () => family.films.filter((film) => film.world === world.world);

  function chooseFamily(index) {
    family = families[index];
    fill(element("world"), family.worlds.map((w) => `world ${w.world}`), 0);
    chooseWorld(0);
  }

  function chooseWorld(index) {
    const names = films ? films.map(nameOf) : [];
    world = family.worlds[index];
    const here = filmsHere();
    // The planners stay where they can; at first they are the first one and an uninformed one.
    const uninformed = here.findIndex((film) => film.planner === "lazysp");
    const stay = (side, otherwise) => {
      const place = here.findIndex((film) => nameOf(film) === names[side]);
      return place >= 0 ? place : otherwise;
    };
    const chosen = [stay(0, 0), stay(1, uninformed >= 0 ? uninformed : here.length - 1)];
    chosen.forEach((place, side) => fill(element(`planner-${side}`), here.map(nameOf), place));
    choosePlanners();
  }

  function choosePlanners() {
    const here = filmsHere();
    const cost = films ? spentAt(now) : 0;
    films = [0, 1].map((side) => here[Number(element(`planner-${side}`).value)]);
    films.forEach((film) => prepare(family, film));
    for (const line of document.querySelectorAll(".key .growing")) line.hidden = !films.some((film) => film.grows);
    timeline = merged(films);
    axes = axesOf(films);
    element("time").max = String(timeline.length - 1);
    // Another planner is shown at the same cost.
    const later = timeline.findIndex((_, i) => spentAt(i) > cost);
    show(cost === 0 ? 0 : (later < 0 ? timeline.length : later) - 1);
  }

  function spentAt(place) {
    const spent = (timeline[place] ?? [0, 0]).map((count, side) => films[side].frames[count - 1]?.n ?? 0);
    return Math.max(...spent);
  }

  function show(place) {
    now = Math.min(Math.max(place, 0), timeline.length - 1);
    const slider = element("time");
    slider.value = String(now);
    slider.setAttribute("aria-valuetext", `${counted(spentAt(now))} ${family.unit} checked`);
    const colours = Draw.palette();
    films.forEach((film, side) => {
      const state = stateAt(family, film, world.shortest, timeline[now][side]);
      Draw.map(element(`map-${side}`), family, world, state, colours);
      // A film that is over stands still while time goes on.
      state.cost = Math.min(Math.max(state.cost, spentAt(now)), film.frames[film.frames.length - 1].n);
      Draw.curve(element(`curve-${side}`), axes, state, colours, family.unit);
      element(`event-${side}`).textContent = state.words;
    });
  }

  let timer = null;
  function pause() {
    clearInterval(timer);
    timer = null;
    element("play").textContent = "Play";
    element("play").setAttribute("aria-label", "Play");
  }

  function play() {
    clearInterval(timer);
    if (now >= timeline.length - 1) show(0);
    const perSecond = Number(element("speed").value);
    // Fast films skip drawings rather than fall behind.
    const interval = Math.max(1000 / perSecond, 33);
    const stride = Math.max(1, Math.round((perSecond * interval) / 1000));
    timer = setInterval(() => {
      show(now + stride);
      if (now >= timeline.length - 1) pause();
    }, interval);
    element("play").textContent = "Pause";
    element("play").setAttribute("aria-label", "Pause");
  }

  const toggle = () => (timer === null ? play() : pause());
  const jump = (place) => {
    pause();
    show(place);
  };

  element("play").addEventListener("click", toggle);
  element("back").addEventListener("click", () => jump(now - 1));
  element("forward").addEventListener("click", () => jump(now + 1));
  element("time").addEventListener("input", (event) => jump(Number(event.target.value)));
  element("speed").addEventListener("change", () => timer !== null && play());
  element("family").addEventListener("change", (event) => {
    pause();
    [films, now] = [null, 0];
    chooseFamily(Number(event.target.value));
  });
  element("world").addEventListener("change", (event) => {
    jump(0);
    chooseWorld(Number(event.target.value));
  });
  for (const side of [0, 1]) element(`planner-${side}`).addEventListener("change", choosePlanners);

  /** Whether the player is on the screen, so that keys elsewhere scroll as always. */
  function inSight() {
    const box = element("player").getBoundingClientRect();
    return box.bottom > 80 && box.top < window.innerHeight - 80;
  }

  document.addEventListener("keydown", (event) => {
    const onControl = event.target.closest?.("select, button, a, .scroll, .panel");
    if (event.ctrlKey || event.metaKey || event.altKey || !inSight() || event.target.closest?.("#motion")) return;
    const keys = {
      " ": toggle,
      ArrowLeft: () => jump(now - 1),
      ArrowRight: () => jump(now + 1),
      Home: () => jump(0),
      End: () => jump(timeline.length - 1),
    };
    // A control keeps the keys that it answers to itself.
    if (!(event.key in keys) || (onControl && (event.key === " " || onControl.matches("select, .scroll, .panel")))) return;
    event.preventDefault();
    keys[event.key]();
  });

  redraw = () => show(now);
  let wide = window.innerWidth;
  window.addEventListener("resize", () => {
    if (window.innerWidth !== wide) redraw();
    wide = window.innerWidth;
  });

  fill(element("family"), families.map((f) => f.name), 0);
  chooseFamily(0);
})();
