"use strict";
// An arm in its scene, moving along a path: what is shown and from where. `Solid` draws it.

(() => {
  const element = (id) => document.getElementById(id);
  const families = JSON.parse(element("motions").textContent);
  if (!families.length) return;
  const canvas = element("motion-view");
  const solid = Solid.renderer(canvas);

  /** The family, world and motion that are shown, and where along the path the arm is, 0 to 1. */
  let family;
  let world;
  let motion;
  let now = 0;
  const camera = {};

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

  /** Loads the shapes of a family once. */
  function prepare() {
    if (family.ready) return;
    for (const mesh of family.meshes) mesh.loaded = solid.mesh(mesh.places.map((x) => x / 1e4), mesh.triangles);
    family.parts = family.links.map((shapes) => shapes.flatMap(partsOf));
    family.ready = true;
  }

  /** Where each link is at a share of the path: between two frames, x, y, z and a quaternion. */
  function posesAt(share) {
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

  /** The arm's parts at a share of the path. */
  function armAt(share) {
    return posesAt(share).flatMap(([at, quaternion], link) => {
      const whole = Solid.turned(quaternion);
      return family.parts[link].map(({ shape, size, turn, shift }) => ({
        shape,
        size,
        turn: Solid.product(whole, turn),
        shift: Solid.apply(whole, shift).map((x, i) => x + at[i]),
      }));
    });
  }

  /** The way of the last link as a chain of thin cylinders. */
  function trail() {
    if (motion.trail) return motion.trail;
    const steps = Math.min(160, 6 * motion.frames.length);
    const at = Array.from({ length: steps + 1 }, (_, i) => {
      const poses = posesAt(i / steps);
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
    Object.assign(camera, { round: family.facing + Math.PI + 0.8, up: 0.42, away: 1 });
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

  function draw() {
    const density = Math.min(window.devicePixelRatio || 1, 2);
    const [width, height] = [canvas.clientWidth, canvas.clientHeight].map((x) => Math.max(1, Math.round(x * density)));
    if (canvas.width !== width || canvas.height !== height) [canvas.width, canvas.height] = [width, height];
    const [paper, ink, arm, obstacle] = ["paper", "ink", "best", "body"].map(colour);
    const { middle, reach } = family;
    // A narrow view needs more distance for as much to fit in.
    const away = camera.away * reach * 3.3 * Math.max(1, 1.25 / (canvas.width / canvas.height));
    const eye = [
      middle[0] + away * Math.cos(camera.up) * Math.cos(camera.round),
      middle[1] + away * Math.cos(camera.up) * Math.sin(camera.round),
      middle[2] + away * Math.sin(camera.up),
    ];
    world.bodies ??= world.objects.map((shapes) => shapes.flatMap(partsOf));
    const things = world.bodies.filter((parts) => parts.length);
    const objects = things.map((parts, i) => ({ parts, colour: mixed(obstacle, ink, [0, 0.12, 0.24][i % 3]), cover: 0.3 }));
    const through = element("motion-through").checked;
    const ghosts = element("motion-ghosts").checked
      ? motion.stops.map((share) => ({ parts: armAt(share), colour: arm, cover: 0.16 }))
      : [];
    const body = { parts: armAt(now), colour: mixed(arm, paper, 0.12) };
    const path = { parts: trail(), colour: colour("proposed"), casts: false };
    solid.draw({
      eye, target: middle, reach: 1.6 * reach, ground: family.ground, floorColour: obstacle, paper,
      solid: [...(through ? [] : objects.map((o) => ({ ...o, cover: 1 }))), body, path],
      ghosts: [...ghosts, ...(through ? objects : [])],
    });
  }

  function say() {
    const { cost, length, shortest } = motion;
    const ratio = !shortest ? "" : Math.abs(length / shortest - 1) < 0.0005
      ? ", the roadmap's shortest"
      : `, ${measured(length / shortest)} times the roadmap's shortest`;
    element("motion-words").textContent =
      `${nameOf(motion)}: length ${measured(length)} rad${ratio}, after ${counted(cost)} configurations`;
  }

  function show(share) {
    now = Math.min(Math.max(share, 0), 1);
    const slider = element("motion-time");
    slider.value = String(Math.round(now * Number(slider.max)));
    slider.setAttribute("aria-valuetext", `${Math.round(100 * now)}% of the path`);
    redraw();
  }

  function chooseFamily(index) {
    family = families[index];
    prepare();
    resetCamera();
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
    say();
    show(now);
  }

  if (!solid) {
    // Without WebGL the picture that is drawn beforehand takes the place of the view.
    element("motion-controls").hidden = true;
    const still = element(`panel-${families[0].name}-motion`)?.cloneNode(true);
    still?.removeAttribute("id");
    const words = document.createElement("p");
    words.className = "note";
    words.textContent = "This browser draws nothing in three dimensions (WebGL 2 is missing); here is a still picture.";
    canvas.replaceWith(words, ...(still ? [still] : []));
    element("motion").querySelector(".choices").hidden = true;
    return;
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
    // As fast for long paths as for short ones: so many radians a second.
    const seconds = Math.max(3, motion.length / 1.5);
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
  for (const id of ["motion-ghosts", "motion-through"]) element(id).addEventListener("change", redraw);
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
  canvas.addEventListener("pointerdown", (event) => {
    canvas.focus({ preventScroll: true });
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener("pointermove", (event) => {
    if (!canvas.hasPointerCapture(event.pointerId)) return;
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

  fill(element("motion-family"), families.map((f) => f.name), 0);
  chooseFamily(0);
})();
