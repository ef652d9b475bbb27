"use strict";
// The player: one film, or two side by side, kept together by what each has spent. A step is one frame of
// either film; the other stands where it was at the same cost. A film may still be going on: frames are added to it
// as they come, and who looks at its last one goes with it.

const Player = (() => {
  const element = (id) => document.getElementById(id);
  let families = [];
  let family, world, films, timeline, axes;
  let now = 0;

  // The look of the page comes first: it is there with or without films.
  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  const isDark = () => (document.documentElement.dataset.theme || (dark.matches ? "dark" : "light")) === "dark";
  const themeButton = element("theme");
  function showTheme() {
    themeButton.textContent = isDark() ? "Light" : "Dark";
    themeButton.setAttribute("aria-pressed", String(isDark()));
  }
  /** Draws soon, once for however many changes; nothing before there is a film. */
  let isWaiting = false;
  function redraw() {
    if (isWaiting) return;
    isWaiting = true;
    requestAnimationFrame(() => {
      isWaiting = false;
      if (films) show(now);
    });
  }
  themeButton.addEventListener("click", () => {
    document.documentElement.dataset.theme = isDark() ? "light" : "dark";
    showTheme();
    if (films) show(now);
  });
  dark.addEventListener("change", () => {
    showTheme();
    redraw();
  });
  showTheme();

  // What is folded up unfolds where a link leads to it, and on paper.
  const unfold = (all) => all.forEach((details) => (details.open = true));
  const target = () => unfold(document.querySelectorAll("details:target"));
  window.addEventListener("hashchange", target);
  window.addEventListener("beforeprint", () => unfold(document.querySelectorAll("details")));
  target();

  // A page without a player has its look from here, and no more.
  if (!element("player")) return null;

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

  /** Numbers of so many digits each. */
  function numbers(text, digits) {
    const all = new Array(text.length / digits);
    for (let i = 0; i < all.length; i += 1) {
      let value = 0;
      for (let at = i * digits; at < (i + 1) * digits; at += 1) value = 64 * value + VALUE.get(text[at]);
      all[i] = value;
    }
    return all;
  }

  /** The straight way between two places; one that goes round leaves on one side and comes back on the other. */
  function straight(family, x1, y1, x2, y2) {
    const [from, to] = [[x1, y1], [x2, y2]];
    const way = [0, 1].map((i) => {
      const plain = to[i] - from[i];
      return family.wraps[i] ? plain - family.size[i] * Math.round(plain / family.size[i]) : plain;
    });
    const there = [x1, y1, x1 + way[0], y1 + way[1]];
    const goesRound = way.some((w, i) => Math.abs(to[i] - from[i] - w) > 1);
    return goesRound ? [...there, x2 - way[0], y2 - way[1], x2, y2] : there;
  }

  /** Edges as lines, each a list of straight pieces by their ends. */
  function linesOf(family, text, places) {
    const ends = numbers(text, 4);
    const lines = new Array(ends.length / 2);
    for (let i = 0; i < lines.length; i += 1) {
      const [a, b] = [2 * ends[2 * i], 2 * ends[2 * i + 1]];
      const at = [places[a], places[a + 1], places[b], places[b + 1]];
      lines[i] = family.wraps.some(Boolean) ? straight(family, ...at) : at;
    }
    return lines;
  }

  const placesOf = (text) => numbers(text, 2).map((quarter) => quarter / 4);

  /** The edges of a film are the family's, and behind them those that it grows by. */
  function unpackGrowth(family, film, frame) {
    frame.dots = frame.v ? placesOf(frame.v) : [];
    for (const place of frame.dots) film.places.push(place);
    const grown = frame.g && family.size ? linesOf(family, frame.g, film.places) : [];
    for (const line of grown) film.lines.push(line);
    frame.grown = grown.length;
  }

  /** Unpacks what is new of a film, and says each of its frames in words. */
  function prepare(family, film) {
    if (!film.lines) {
      family.spots ??= placesOf(family.places);
      family.lines ??= family.size ? linesOf(family, family.edges, family.spots) : [];
      [film.places, film.lines] = [family.spots.slice(), family.lines.slice()];
      Object.assign(film, { ready: 0, before: 0, checks: 0, best: null });
    }
    let { before, checks, best } = film;
    const inAll = (n) => `${one(n, family.unit)} in all`;
    const grown = ({ z }) => `${one(z[0], "vertices")} and ${one(z[1], "edges")}`;
    for (const frame of film.frames.slice(film.ready)) {
      unpackGrowth(family, film, frame);
      frame.belief = frame.d ? unpacked(frame.d, true) : [];
      frame.found = frame.c ? unpacked(frame.c, true) : [];
      frame.sampled = frame.s === undefined ? null : unpacked(frame.s, false);
      checks += frame.found.length;
      const spent = frame.n - before;
      before = frame.n;
      best = frame.l ?? best;
      frame.words = {
        p: () => `path proposed, ${one(frame.p.length, "edges")}; ${inAll(frame.n)}`,
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
          "straight-line": `over: the straight line, and nothing is shorter; ${inAll(frame.n)}`,
          "gave-up": `over: nothing left to propose; ${inAll(frame.n)}`,
          stopped: `over: the budget is spent; ${inAll(frame.n)}`,
        })[frame.h] ?? `over; ${inAll(frame.n)}`,
      }[frame.k]();
      if (frame.y) frame.words += `; ${one(frame.y, "events")} before it not shown`;
    }
    Object.assign(film, { ready: film.frames.length, before, checks, best });
  }

  /** Where a film stands before its first frame. */
  function beginning(family, film) {
    const checked = new Uint8Array(film.lines.length);
    // What runs before it have found out.
    for (const [edge, free] of unpacked(film.known ?? "", true)) checked[edge] = free ? 1 : 2;
    return {
      // Of a roadmap that grows those are there that were given, and those that came since.
      edges: film.lines, given: family.lines.length, count: family.lines.length, dots: [], tried: [],
      belief: new Uint8Array(film.lines.length).fill(8),
      checked,
      best: null, proposed: null, sampled: null, edge: null,
      cost: 0, lengths: [], bounds: [], words: "not yet begun", frames: 0,
    };
  }

  /** Lets a frame happen. */
  function advance(state, frame, unit) {
    for (const [edge, shade] of frame.belief) state.belief[edge] = shade;
    for (const [edge, free] of frame.found) state.checked[edge] = free ? 1 : 2;
    state.edge = null;
    state.count += frame.grown;
    for (const place of frame.dots) state.dots.push(place);
    // What was proposed before events that are not shown is no more.
    if (frame.y) state.proposed = null;
    // What was tried flashes, and fades while the next few are.
    if (frame.k === "t") state.tried = [...state.tried.slice(1 - FLASHES), { way: frame.w, free: frame.f }];
    if (frame.k === "p") [state.proposed, state.sampled] = [frame.p, frame.sampled];
    if (frame.k === "c") [state.edge, state.checked[frame.e]] = [frame.e, frame.f ? 1 : 2];
    if (frame.k === "i") [state.best, state.proposed] = [frame.w, null];
    if (frame.k === "e") [state.proposed, state.sampled, state.tried] = [null, null, []];
    if (frame.l !== undefined) state.lengths.push([frame.n, frame.l / unit]);
    if (frame.m !== undefined) state.bounds.push([frame.n, frame.m / unit]);
    state.cost = frame.n;
    state.words = frame.words;
  }

  /** The same numbers with room for as many as are wanted. */
  function roomier(old, count, filling) {
    if (old.length >= count) return old;
    const roomy = new Uint8Array(2 * count).fill(filling);
    roomy.set(old);
    return roomy;
  }

  /** Where a film stands after its first `count` frames; going on costs only what is new. */
  function stateAt(family, film, unit, count) {
    if (!film.state || film.state.frames > count) film.state = beginning(family, film);
    const { state } = film;
    state.belief = roomier(state.belief, film.lines.length, 8);
    state.checked = roomier(state.checked, film.lines.length, 0);
    for (; state.frames < count; state.frames += 1) advance(state, film.frames[state.frames], unit);
    // Of a run that is going on there are more better paths than frames.
    if (film.better) state.lengths = film.better.filter(([cost]) => cost <= state.cost).map(([cost, length]) => [cost, length / unit]);
    return state;
  }

  /** Where films are shown: one place, or two. */
  const sides = [...document.querySelectorAll("#player .stage")].map((_, side) => side);
  const isAlone = sides.length === 1;
  element("player").classList.toggle("alone", isAlone);

  /** All frames of the films in the order of what they had cost: how far each film is at each. */
  function merged(films) {
    const at = films.map(() => 0);
    const places = [[...at]];
    const cost = (film, side) => film.frames[at[side]]?.n ?? Infinity;
    for (;;) {
      const costs = films.map(cost);
      const least = Math.min(...costs);
      if (least === Infinity) return places;
      at[costs.indexOf(least)] += 1;
      places.push([...at]);
    }
  }

  /** What lengths are divided by: the roadmap's shortest, if it is known. */
  const lengthUnit = () => world.shortest ?? 1;

  /** Axes that hold all curves. */
  function axesOf(films) {
    const frames = films.flatMap((film) => film.frames);
    const better = films.flatMap((film) => film.better ?? []);
    const lengths = [...frames.flatMap((f) => [f.l, f.m]).filter((v) => v !== undefined), ...better.map(([, length]) => length)];
    const values = lengths.map((v) => v / lengthUnit()).concat(world.shortest || !lengths.length ? [1] : []);
    const [low, high] = [Math.min, Math.max].map((of) => values.reduce((a, b) => of(a, b)));
    const air = Math.max(0.08 * (high - low), 0.02 * high);
    const cost = frames.reduce((most, f) => Math.max(most, f.n), 1);
    return { cost, low: Math.max(0, low - air), high: high + air, isRatio: world.shortest !== null };
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
    const chosen = sides.map((side) => stay(side, [0, uninformed >= 0 ? uninformed : here.length - 1][side]));
    chosen.forEach((place, side) => fill(element(`planner-${side}`), here.map(nameOf), place));
    choosePlanners();
  }

  function choosePlanners() {
    const here = filmsHere();
    const cost = films ? spentAt(now) : 0;
    films = sides.map((side) => here[Number(element(`planner-${side}`).value)]);
    films.forEach((film) => prepare(family, film));
    // Only what there is to see is explained.
    const explain = (kind, is) => document.querySelectorAll(`.key .${kind}`).forEach((line) => (line.hidden = !films.some(is)));
    explain("growing", (film) => film.grows);
    explain("sampling", (film) => film.frames.some((frame) => frame.s !== undefined));
    timeline = merged(films);
    axes = axesOf(films);
    element("time").max = String(timeline.length - 1);
    // Another planner is shown at the same cost.
    const later = timeline.findIndex((_, i) => spentAt(i) > cost);
    show(cost === 0 ? 0 : (later < 0 ? timeline.length : later) - 1);
  }

  function spentAt(place) {
    const spent = (timeline[place] ?? sides.map(() => 0)).map((count, side) => films[side].frames[count - 1]?.n ?? 0);
    return Math.max(...spent);
  }

  function show(place) {
    now = Math.min(Math.max(place, 0), timeline.length - 1);
    const slider = element("time");
    slider.value = String(now);
    slider.setAttribute("aria-valuetext", `${counted(spentAt(now))} ${family.unit} checked`);
    const colours = Draw.palette();
    films.forEach((film, side) => {
      const state = stateAt(family, film, lengthUnit(), timeline[now][side]);
      Draw.map(element(`map-${side}`), family, world, state, colours, isAlone ? 290 : 440);
      // A film that is over stands still while time goes on.
      const cost = Math.min(Math.max(state.cost, spentAt(now)), film.frames[film.frames.length - 1]?.n ?? 0);
      Draw.curve(element(`curve-${side}`), axes, { ...state, cost }, colours, family.unit, isAlone ? 300 : 160);
      element(`event-${side}`).textContent = state.words;
    });
    document.dispatchEvent(new Event("drawn"));
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

  const toggle = () => (timer === null && films ? play() : pause());
  const jump = (place) => {
    pause();
    if (films) show(place);
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
  for (const side of sides) element(`planner-${side}`).addEventListener("change", choosePlanners);

  /** Whether the player is on the screen, so that keys elsewhere scroll as always. */
  function inSight() {
    const box = element("player").getBoundingClientRect();
    return box.bottom > 80 && box.top < window.innerHeight - 80;
  }

  document.addEventListener("keydown", (event) => {
    const onControl = event.target.closest?.("select, button, a, .scroll, .panel");
    if (!films || event.ctrlKey || event.metaKey || event.altKey || !inSight() || event.target.closest?.("#motion, .handle")) return;
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

  window.addEventListener("resize", redraw);

  /** Shows other films from their beginning, or the one that is going on from where it stands. */
  function begin(given, isGoingOn = false) {
    families = given;
    if (!families.length) return;
    pause();
    const isFollowed = !films || now >= timeline.length - 1;
    if (!isGoingOn) [films, now] = [null, 0];
    // Where there is nothing to choose from there are no choices.
    if (isAlone) for (const id of ["family", "world", "planner-0"]) element(id).closest("label").hidden = true;
    element("map-0").hidden = isAlone && !families[0].size;
    fill(element("family"), families.map((f) => f.name), 0);
    chooseFamily(0);
    if (isGoingOn && isFollowed) show(timeline.length - 1);
  }

  /** Adds frames, and better paths, to the film that is going on. */
  function append(frames, better) {
    if (!films) return;
    const [film] = films;
    const isFollowed = now >= timeline.length - 1;
    film.better?.push(...better);
    for (const frame of frames) film.frames.push(frame);
    prepare(family, film);
    for (let count = timeline.length; count <= film.frames.length; count += 1) timeline.push([count]);
    axes = axesOf(films);
    element("time").max = String(timeline.length - 1);
    if (isFollowed && timer === null) now = timeline.length - 1;
    redraw();
  }

  begin(JSON.parse(element("films").textContent));
  /** What can be moved on the map: where it is drawn, and the film's start and goal, which drags change. */
  const panel = () => (films && family.size ? { canvas: element("map-0"), family } : null);
  return { begin, append, panel, redraw };
})();
