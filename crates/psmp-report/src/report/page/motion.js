"use strict";
// An arm in its scene, moving along a path: what is shown and from where. `Solid` draws it. Of a run that is going on
// the arm stands at start and goal too, paths are added as they are found, and things can be dragged.

const Motions = (() => {
  const element = (id) => document.getElementById(id);
  if (element("motion").hidden) return null;
  let families = JSON.parse(element("motions").textContent);
  const canvas = element("motion-view");
  const solid = Solid.renderer(canvas);

  /** The family, world and motion that are shown, and where along the path the arm is, 0 to 1. */
  let family;
  let world;
  let motion;
  let now = 0;
  const camera = {};
  /** What is dragged: which thing, and how far. `onDrag` hears where it was left, where things can be dragged. */
  let dragged = null;
  let onDrag = null;
  /** Where a path bends oftener, not all of it is shown. */
  const MOST_GHOSTS = 9;

  const counted = (n) => n.toLocaleString("en");
  const measured = (length) => length.toLocaleString("en", { maximumSignificantDigits: 4 });
  const nameOf = (m) => m.planner + (m.experience === "none" ? "" : ` (${m.experience})`);
  const motionsHere = () => family.motions.filter((m) => m.world === world.world);
  function fill(select, names, chosen) {
    select.replaceChildren(...names.map((name, i) => new Option(name, String(i), false, i === chosen)));
  }

  /** Channels from 0 to 1 of a colour of the page, by name. */
  function colour(name) {
    const hex = getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
    return [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16) / 255);
  }
  const mixed = (a, b, share) => a.map((x, i) => x + share * (b[i] - x));

  /**
   * What the renderer draws for a shape: kind, lengths, then where it is as x, y, z and a
   * quaternion. A capsule is a cylinder with two balls.
   */
  function partsOf([kind, ...numbers]) {
    const lengths = { box: 3, ball: 1, cylinder: 2, capsule: 2, mesh: 1 }[kind];
    const [a, b, c] = numbers;
    const shift = numbers.slice(lengths, lengths + 3);
    const turn = Solid.turned(numbers.slice(lengths + 3));
    const { cube, ball, cylinder } = solid.shapes;
    if (kind === "box") return [{ shape: cube, size: [a, b, c], turn, shift }];
    if (kind === "ball") return [{ shape: ball, size: [a, a, a], turn, shift }];
    if (kind === "mesh") return [{ shape: family.meshes[a].loaded, size: [1, 1, 1], turn, shift }];
    const middle = { shape: cylinder, size: [a, a, b], turn, shift };
    if (kind === "cylinder") return [middle];
    const ends = [-b, b].map((z) => Solid.apply(turn, [0, 0, z]).map((x, i) => x + shift[i]));
    return [middle, ...ends.map((end) => ({ shape: ball, size: [a, a, a], turn, shift: end }))];
  }

  /** Loads the shapes of a family once; those of the run before serve the next. */
  function prepare(before) {
    if (family.ready) return;
    const shapesOf = (one) => one && JSON.stringify([one.links, one.meshes.map(({ places, triangles }) => [places, triangles])]);
    if (before?.ready && shapesOf(before) === shapesOf(family)) {
      family.meshes = before.meshes;
      [family.parts, family.ready] = [before.parts, true];
      return;
    }
    for (const mesh of family.meshes) mesh.loaded = solid.mesh(mesh.places.map((x) => x / 1e4), mesh.triangles);
    family.parts = family.links.map((shapes) => shapes.flatMap(partsOf));
    family.ready = true;
  }

  /** Where each link is at a share of the path: between two frames, x, y, z and a quaternion. */
  function posesAt(motion, share) {
    const last = motion.frames.length - 1;
    const place = share * last;
    const before = Math.min(Math.floor(place), last);
    const [a, b] = [motion.frames[before], motion.frames[Math.min(before + 1, last)]];
    const poses = [];
    for (let i = 0; i < a.length; i += 7) {
      const alike = [3, 4, 5, 6].reduce((sum, k) => sum + a[i + k] * b[i + k], 0) < 0 ? -1 : 1;
      const mix = (k, sign) => a[i + k] + (place - before) * (sign * b[i + k] - a[i + k]);
      const quaternion = [3, 4, 5, 6].map((k) => mix(k, alike));
      const length = Math.hypot(...quaternion) || 1;
      poses.push([[0, 1, 2].map((k) => mix(k, 1)), quaternion.map((x) => x / length)]);
    }
    return poses;
  }

  /** The arm's parts at a share of a path. */
  function armAt(motion, share) {
    return posesAt(motion, share).flatMap(([at, quaternion], link) => {
      const whole = Solid.turned(quaternion);
      return family.parts[link].map(({ shape, size, turn, shift }) => ({
        shape,
        size,
        turn: Solid.product(whole, turn),
        shift: Solid.apply(whole, shift).map((x, i) => x + at[i]),
      }));
    });
  }

  /** The motions of the same run that were found earlier; later ones come first. */
  const before = (of) => motionsHere().filter((m) => m.cost < of.cost);

  /** The way of the last link in a motion as a chain of thin cylinders. */
  function trail(motion) {
    if (motion.trail) return motion.trail;
    const steps = Math.min(motion.seconds === null ? 160 : 80, 6 * motion.frames.length);
    const at = Array.from({ length: steps + 1 }, (_, i) => {
      const poses = posesAt(motion, i / steps);
      const [[x, y, z], quaternion] = poses[poses.length - 1];
      return Solid.apply(Solid.turned(quaternion), family.tip).map((v, k) => v + [x, y, z][k]);
    });
    const parts = [];
    at.slice(1).forEach((to, i) => {
      const way = to.map((x, k) => x - at[i][k]);
      const length = Math.hypot(...way);
      if (length < 1e-6) return;
      // The quaternion that turns z into the way.
      const [x, y, z] = way.map((v) => v / length);
      const quaternion = z > -0.9999 ? [-y, x, 0, 1 + z] : [1, 0, 0, 0];
      const norm = Math.hypot(...quaternion);
      const turn = Solid.turned(quaternion.map((v) => v / norm));
      const shift = to.map((v, k) => (v + at[i][k]) / 2);
      parts.push({ shape: solid.shapes.cylinder, size: [0.005, 0.005, length / 2 + 0.002], turn, shift });
    });
    motion.trail = parts;
    return parts;
  }

  /** Looks as at first: over the shoulder of the arm, at what it reaches for. */
  function resetCamera() {
    if (family) Object.assign(camera, { round: family.facing + Math.PI + 0.8, up: 0.42, away: 1 });
  }

  let waiting = false;
  /** Draws soon, once for however many changes. */
  function redraw() {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => {
      waiting = false;
      draw();
    });
  }

  /** From where to where one looks. */
  function view() {
    const { middle, reach } = family;
    // A narrow view needs more distance for as much to fit in.
    const away = camera.away * reach * 3.3 * Math.max(1, 1.25 / (canvas.width / canvas.height));
    const eye = [
      middle[0] + away * Math.cos(camera.up) * Math.cos(camera.round),
      middle[1] + away * Math.cos(camera.up) * Math.sin(camera.round),
      middle[2] + away * Math.sin(camera.up),
    ];
    return { eye, target: middle };
  }

  /** The parts of every thing that stands around, where it is dragged to. */
  function bodies() {
    world.bodies ??= world.objects.map((shapes) => shapes.flatMap(partsOf));
    return world.bodies.map((parts, thing) => {
      if (thing !== dragged?.thing) return parts;
      return parts.map((part) => ({ ...part, shift: part.shift.map((x, i) => x + dragged.by[i]) }));
    });
  }

  function draw() {
    if (!family) return;
    const density = Math.min(window.devicePixelRatio || 1, 2);
    const [width, height] = [canvas.clientWidth, canvas.clientHeight].map((x) => Math.max(1, Math.round(x * density)));
    if (canvas.width !== width || canvas.height !== height) [canvas.width, canvas.height] = [width, height];
    const [paper, ink, arm, obstacle] = ["paper", "ink", "best", "body"].map(colour);
    const { reach } = family;
    const { eye, target } = view();
    const tints = [0, 0.12, 0.24].map((share) => mixed(obstacle, ink, share));
    const tint = (thing) => (thing === (dragged ?? hovered)?.thing ? mixed(tints[0], colour("proposed"), 0.7) : tints[thing % 3]);
    const objects = bodies().map((parts, thing) => ({ parts, colour: tint(thing), cover: 0.3 })).filter(({ parts }) => parts.length);
    const through = element("motion-through").checked;
    const ghosts = (family.ends ?? []).map(({ pose }, end) => ({
      parts: armAt({ frames: [pose] }, 0), colour: colour(["free", "blocked"][end]), cover: 0.4,
    }));
    const moving = [];
    if (motion) {
      const every = Math.ceil(motion.stops.length / MOST_GHOSTS);
      const stops = motion.stops.filter((_, i) => i % every === 0 || i === motion.stops.length - 1);
      if (element("motion-ghosts").checked) ghosts.push(...stops.map((share) => ({ parts: armAt(motion, share), colour: arm, cover: 0.16 })));
      moving.push({ parts: armAt(motion, now), colour: mixed(arm, paper, 0.12) });
      moving.push({ parts: trail(motion), colour: colour("proposed"), casts: false });
      const earlier = element("motion-earlier").checked && motion.seconds !== null ? before(motion) : [];
      ghosts.push(...earlier.map((m) => ({ parts: trail(m), colour: colour("soft"), cover: 0.3 })));
    }
    solid.draw({
      eye, target, reach: 1.6 * reach, ground: family.ground, floorColour: obstacle, paper,
      solid: [...(through ? [] : objects.map((o) => ({ ...o, cover: 1 }))), ...moving.filter(({ parts }) => parts.length)],
      ghosts: [...ghosts, ...(through ? objects : [])].filter(({ parts }) => parts.length),
    });
  }

  function say() {
    if (!motion) {
      element("motion-words").textContent = "no path yet";
      return;
    }
    const { cost, length, shortest } = motion;
    const ratio = !shortest ? "" : Math.abs(length / shortest - 1) < 0.0005
      ? ", the roadmap's shortest"
      : `, ${measured(length / shortest)} times the roadmap's shortest`;
    const time = motion.seconds === null ? "" : `; ${(now * motion.seconds).toFixed(2)} of ${motion.seconds.toFixed(2)} s`;
    element("motion-words").textContent =
      `${nameOf(motion)}: length ${measured(length)} rad${ratio}, after ${counted(cost)} configurations${time}`;
  }

  function show(share) {
    now = Math.min(Math.max(share, 0), 1);
    const slider = element("motion-time");
    slider.value = String(Math.round(now * Number(slider.max)));
    slider.setAttribute("aria-valuetext", `${Math.round(100 * now)}% of the path`);
    say();
    redraw();
  }

  function chooseFamily(index) {
    const before = family;
    family = families[index];
    prepare(before);
    // The next run is looked at from where the last one was.
    if (!before || !family.ends) resetCamera();
    fill(element("motion-world"), family.worlds.map((w) => `world ${w.world}`), 0);
    chooseWorld(0);
  }
  function chooseWorld(index) {
    const kept = motion && nameOf(motion);
    world = family.worlds[index];
    const here = motionsHere();
    const place = Math.max(0, here.findIndex((m) => nameOf(m) === kept));
    fill(element("motion-planner"), here.map(nameOf), place);
    chooseMotion(place);
  }
  function chooseMotion(index) {
    motion = motionsHere()[index];
    element("motion-earlier").closest("label").hidden = !motion || motion.seconds === null || !before(motion).length;
    for (const id of ["motion-play", "motion-time"]) element(id).disabled = !motion;
    show(now);
  }

  /** Shows other families. */
  function begin(given) {
    families = given;
    if (!families.length) return;
    families.forEach(({ motions }) => rename(motions));
    dragged = null;
    // Where there is nothing to choose from there are no choices.
    element("motion-family").closest("label").hidden = families.length === 1 && !families[0].name;
    element("motion-world").closest("label").hidden = families.length === 1 && families[0].worlds.length === 1;
    fill(element("motion-family"), families.map((f) => f.name), 0);
    chooseFamily(0);
  }

  /** The paths of a run that is going on are called by their order. */
  function rename(motions) {
    motions.forEach((m, i) => {
      if (m.number !== undefined) m.planner = i === 0 ? "best path" : `earlier path ${m.number}`;
    });
  }

  /** A better path was found in the run that is going on. Who looks at the best one looks at this now. */
  function append(found) {
    if (!family) return;
    const isFollowed = !motion || motion === family.motions[0];
    family.motions.unshift(found);
    rename(family.motions);
    const here = motionsHere();
    const place = isFollowed ? 0 : Math.max(0, here.indexOf(motion));
    fill(element("motion-planner"), here.map(nameOf), place);
    chooseMotion(place);
  }

  if (!solid) {
    // Without WebGL the picture that is drawn beforehand takes the place of the view.
    element("motion-controls").hidden = true;
    const still = element(`panel-${families[0]?.name}-motion`)?.cloneNode(true);
    still?.removeAttribute("id");
    const words = document.createElement("p");
    words.className = "note";
    words.textContent = "This browser draws nothing in three dimensions (WebGL 2 is missing); here is a still picture.";
    canvas.replaceWith(words, ...(still ? [still] : []));
    element("motion").querySelector(".choices").hidden = true;
    return null;
  }

  let playing = null;
  function pause() {
    cancelAnimationFrame(playing);
    playing = null;
    element("motion-play").textContent = "Play";
  }
  function play() {
    if (now >= 1) show(0);
    let before = performance.now();
    // In its own time, or as fast for long paths as for short ones: so many radians a second.
    const seconds = motion.seconds ?? Math.max(3, motion.length / 1.5);
    const step = (time) => {
      show(now + Math.max(0, time - before) / 1000 / seconds);
      before = time;
      if (now >= 1) pause();
      else playing = requestAnimationFrame(step);
    };
    playing = requestAnimationFrame(step);
    element("motion-play").textContent = "Pause";
  }

  element("motion-play").addEventListener("click", () => (playing === null ? play() : pause()));
  element("motion-time").addEventListener("input", (event) => {
    pause();
    show(Number(event.target.value) / Number(event.target.max));
  });
  for (const id of ["motion-ghosts", "motion-earlier", "motion-through"]) element(id).addEventListener("change", redraw);
  element("motion-family").addEventListener("change", (event) => chooseFamily(Number(event.target.value)));
  element("motion-world").addEventListener("change", (event) => chooseWorld(Number(event.target.value)));
  element("motion-planner").addEventListener("change", (event) => chooseMotion(Number(event.target.value)));
  element("motion-reset").addEventListener("click", () => {
    resetCamera();
    redraw();
  });

  function orbit(round, up) {
    camera.round += round;
    camera.up = Math.min(1.5, Math.max(-0.3, camera.up + up));
    redraw();
  }
  function zoom(factor) {
    camera.away = Math.min(3, Math.max(0.3, camera.away * factor));
    redraw();
  }

  /** The ray through the place of an event. */
  function ray(event) {
    const box = canvas.getBoundingClientRect();
    const at = [(2 * (event.clientX - box.left)) / box.width - 1, 1 - (2 * (event.clientY - box.top)) / box.height];
    const looked = view();
    return { eye: looked.eye, way: Solid.direction(looked, box.width / box.height, at) };
  }

  /** The nearest thing at the place of an event, and where it was met. */
  function thingAt(event) {
    if (!onDrag || !family || !element("things-drag").checked) return null;
    const { eye, way } = ray(event);
    let nearest = null;
    // What reaches farther than the arm is ground or walls, and one turns the view by it.
    const isLarge = ({ shape, size }) => size.some((s, i) => (s * (shape.high[i] - shape.low[i])) / 2 > 1.2 * family.reach);
    bodies().forEach((parts, thing) => !parts.some(isLarge) && parts.forEach((part) => {
      const distance = Solid.distance(eye, way, part);
      if (distance !== null && !(nearest?.distance <= distance)) nearest = { thing, distance };
    }));
    return nearest && { ...nearest, at: eye.map((x, i) => x + nearest.distance * way[i]), by: [0, 0, 0] };
  }

  /** Where a thing is dragged to: along the ground, or across the view with Shift or where that lies edge on. */
  function drag(event) {
    const { eye, way } = ray(event);
    const { target } = view();
    const across = event.shiftKey || Math.abs(way[2]) < 0.12;
    const normal = across ? [target[0] - eye[0], target[1] - eye[1], 0] : [0, 0, 1];
    const along = (v) => v.reduce((sum, x, i) => sum + x * normal[i], 0);
    const far = along(dragged.at.map((x, i) => x - eye[i])) / (along(way) || 1e-9);
    if (!(far > 0 && far < 20)) return;
    dragged.by = eye.map((x, i) => x + far * way[i] - dragged.at[i]);
    redraw();
  }

  /** Lets go of what was dragged. Where that is refused it goes back. */
  async function drop() {
    const { thing, by } = dragged;
    if (Math.hypot(...by) < 0.002 || !(await onDrag(thing, by))) {
      dragged = null;
      redraw();
    }
  }

  let hovered = null;
  canvas.addEventListener("pointerdown", (event) => {
    canvas.focus({ preventScroll: true });
    canvas.setPointerCapture(event.pointerId);
    dragged = thingAt(event);
    redraw();
  });
  canvas.addEventListener("pointerup", () => dragged && drop());
  canvas.addEventListener("pointercancel", () => {
    dragged = null;
    redraw();
  });
  canvas.addEventListener("pointerleave", () => {
    hovered = null;
    redraw();
  });
  canvas.addEventListener("touchmove", (event) => dragged && event.preventDefault(), { passive: false });
  canvas.addEventListener("pointermove", (event) => {
    if (!canvas.hasPointerCapture(event.pointerId)) {
      const now = thingAt(event);
      if (now?.thing !== hovered?.thing) redraw();
      hovered = now;
      canvas.style.cursor = hovered ? "move" : "";
      return;
    }
    if (dragged) {
      drag(event);
      return;
    }
    // A finger that goes up or down scrolls the page.
    orbit(-0.008 * event.movementX, event.pointerType === "touch" ? 0 : 0.008 * event.movementY);
  });
  canvas.addEventListener("wheel", (event) => {
    // Only where the view was clicked first, so that the page scrolls past it.
    if (document.activeElement !== canvas) return;
    event.preventDefault();
    zoom(Math.exp(0.001 * event.deltaY));
  }, { passive: false });
  canvas.addEventListener("keydown", (event) => {
    const keys = {
      ArrowLeft: () => orbit(-0.12, 0),
      ArrowRight: () => orbit(0.12, 0),
      ArrowUp: () => orbit(0, 0.08),
      ArrowDown: () => orbit(0, -0.08),
      "+": () => zoom(0.9),
      "-": () => zoom(1.1),
      Home: () => {
        resetCamera();
        redraw();
      },
    };
    if (!(event.key in keys) || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    event.stopPropagation();
    keys[event.key]();
  });
  canvas.addEventListener("webglcontextlost", (event) => event.preventDefault());
  canvas.addEventListener("webglcontextrestored", () => window.location.reload());
  new ResizeObserver(redraw).observe(canvas);
  // The theme may change by button or by preference.
  new MutationObserver(redraw).observe(document.documentElement, { attributes: true });
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);

  begin(families);
  const letDrag = (hears) => (onDrag = hears);
  return { begin, append, letDrag, redraw, family: () => family };
})();
