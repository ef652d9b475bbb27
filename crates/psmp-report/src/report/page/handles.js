"use strict";
// What can be moved in a run that is going on: start and goal on the map, things of an arm's scene, and the arm's
// joints at start and goal. Where something is left there it is sent, and refused it goes back.

(() => {
  const element = (id) => document.getElementById(id);
  const NAMES = ["start", "goal"];

  // On the map: a button over each end, for mouse, finger and arrow keys.
  const stage = element("map-0").parentElement;
  const handles = NAMES.map((name) => {
    const handle = document.createElement("button");
    handle.type = "button";
    handle.id = `handle-${name}`;
    handle.className = "handle";
    handle.hidden = true;
    handle.title = `${name}: drag it, or move it with the arrow keys`;
    handle.setAttribute("aria-label", `The ${name}: drag it, or move it with the arrow keys`);
    stage.append(handle);
    return handle;
  });

  /** Puts the handles where start and goal are drawn. */
  function place() {
    const panel = Player.panel();
    handles.forEach((handle, end) => {
      const at = panel?.family[NAMES[end]];
      handle.hidden = !at;
      if (!at) return;
      const { canvas, family } = panel;
      handle.style.left = `${canvas.offsetLeft + canvas.clientLeft + (at[0] / family.size[0]) * canvas.clientWidth}px`;
      handle.style.top = `${canvas.offsetTop + canvas.clientTop + (at[1] / family.size[1]) * canvas.clientHeight}px`;
    });
  }
  document.addEventListener("drawn", place);

  /** The place in the world for one on the panel. */
  function inWorld({ size, bounds: [across, up] }, [x, y]) {
    // What is rounded at the edge stays within.
    const within = (value, [low, high]) => Math.min(Math.max(value, low), high);
    return [
      within(across[0] + (x / size[0]) * (across[1] - across[0]), across),
      within(up[1] - (y / size[1]) * (up[1] - up[0]), up),
    ];
  }

  handles.forEach((handle, end) => {
    const name = NAMES[end];
    let before = null;
    let waiting = null;
    const move = (at) => {
      const { family } = Player.panel();
      before ??= family[name];
      family[name] = at.map((x, i) => Math.min(Math.max(x, 0), family.size[i]));
      Player.redraw();
    };
    const leave = async () => {
      const panel = Player.panel();
      if (!before || !panel) return;
      const { family } = panel;
      const [from, to] = [before, family[name]];
      before = null;
      if (from.every((x, i) => x === to[i])) return;
      if (await Live.send("move", { what: name, to: inWorld(family, to) })) return;
      family[name] = from;
      Player.redraw();
    };
    handle.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      handle.setPointerCapture(event.pointerId);
    });
    handle.addEventListener("pointermove", (event) => {
      if (!handle.hasPointerCapture(event.pointerId)) return;
      const { canvas, family } = Player.panel();
      const box = canvas.getBoundingClientRect();
      const share = [
        (event.clientX - box.left - canvas.clientLeft) / canvas.clientWidth,
        (event.clientY - box.top - canvas.clientTop) / canvas.clientHeight,
      ];
      move(share.map((x, i) => x * family.size[i]));
    });
    handle.addEventListener("lostpointercapture", leave);
    handle.addEventListener("keydown", (event) => {
      const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
      if (!step || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      const { family } = Player.panel();
      const far = (event.shiftKey ? 0.05 : 0.01) * Math.max(...family.size);
      move(family[name].map((x, i) => x + far * step[i]));
      // A few steps are one move.
      clearTimeout(waiting);
      waiting = setTimeout(leave, 400);
    });
  });

  if (!Motions) return;

  // In the scene: things are dragged in the view, or moved step by step.
  const STEP = 0.05;
  const moveThing = (thing, by) => Live.send("move", { what: "object", object: thing, by });
  Motions.letDrag(async (thing, by) => {
    element("thing").value = String(thing);
    return (await moveThing(thing, by)) !== null;
  });
  for (const button of document.querySelectorAll("#things [data-by]")) {
    button.addEventListener("click", () => {
      const by = button.dataset.by.split(",").map((x) => STEP * Number(x));
      moveThing(Number(element("thing").value), by);
    });
  }

  // Joint by joint: a slider shows where the arm would be, and is obeyed when it is let go.
  let asking = null;
  let wanted = null;
  /** Shows the arm at an end as its sliders say; one question at a time. */
  async function show(end, joints) {
    wanted = [end, joints];
    if (asking) return;
    asking = true;
    while (wanted) {
      const [end, joints] = wanted;
      wanted = null;
      const answer = await Live.send("pose", { joints });
      if (answer) Motions.family().ends[end].pose = answer.pose;
      Motions.redraw();
    }
    asking = null;
  }

  function sliders(end) {
    const { joints, ends } = Motions.family();
    const box = element(`joints-${NAMES[end]}`);
    const values = ends[end].joints;
    const rows = joints.map(({ name, low, high }, joint) => {
      const [label, slider, said] = ["label", "input", "output"].map((tag) => document.createElement(tag));
      const tell = () => (said.textContent = Number(slider.value).toFixed(2));
      Object.assign(slider, { type: "range", min: low, max: high, step: "any", value: values[joint] });
      slider.setAttribute("aria-label", `${NAMES[end]}, ${name}`);
      label.append(name, slider, said);
      tell();
      return { label, slider, tell };
    });
    const now = () => rows.map(({ slider }, joint) => (slider.dataset.moved ? Number(slider.value) : values[joint]));
    for (const { slider, tell } of rows) {
      slider.addEventListener("input", () => {
        slider.dataset.moved = "1";
        tell();
        show(end, now());
      });
      slider.addEventListener("change", async () => {
        if (await Live.send("move", { what: NAMES[end], to: now() })) return;
        // What was wrong stays said; the arm goes back to where it is planned from.
        const words = element("said").textContent;
        sliders(end);
        await show(end, values);
        element("said").textContent = words;
      });
    }
    box.replaceChildren(box.firstElementChild, ...rows.map(({ label }) => label));
  }

  document.addEventListener("begun", () => {
    const { names, worlds } = Motions.family();
    const select = element("thing");
    const chosen = select.value;
    // Ground without end has no shape to be seen or moved.
    const options = names.map((name, i) => [name, i]).filter(([, i]) => worlds[0].objects[i].length);
    select.replaceChildren(...options.map(([name, i]) => new Option(name, String(i), false, String(i) === chosen)));
    element("things").hidden = !options.length;
    [0, 1].forEach(sliders);
  });
})();
