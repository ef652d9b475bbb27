"use strict";
// Drawing: a map and a curve on canvases, from a film's state at a moment. Nothing here knows of
// time or controls.

const Draw = (() => {
  const SHADES = 16;
  /** More unchecked edges than this would be one grey. */
  const MOST_UNCHECKED = 8000;

  /** The page's colours as they are now, light or dark. */
  function palette() {
    const style = getComputedStyle(document.documentElement);
    const colour = (name) => style.getPropertyValue("--" + name).trim();
    const channels = (hex) => [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16));
    const [light, dark] = [channels(colour("belief-light")), channels(colour("belief-dark"))];
    const belief = Array.from({ length: SHADES }, (_, shade) => {
      const share = shade / (SHADES - 1);
      const mixed = light.map((l, i) => Math.round(l + share * (dark[i] - l)));
      return `rgb(${mixed.join(" ")})`;
    });
    const names = ["paper", "ink", "soft", "grid", "best", "proposed", "free", "blocked", "sampled", "grown", "tried", "obstacle", "margin"];
    return { belief, ...Object.fromEntries(names.map((name) => [name, colour(name)])) };
  }

  /** Fits a canvas to its place on the page and to a height, at the screen's own resolution. */
  function fitted(canvas, aspect, most = Infinity) {
    canvas.style.width = "";
    const width = Math.max(Math.min(canvas.clientWidth, most / aspect), 1);
    const height = width * aspect;
    const density = window.devicePixelRatio || 1;
    canvas.style.width = `${width}px`;
    canvas.style.height = `${height}px`;
    canvas.width = Math.round(width * density);
    canvas.height = Math.round(height * density);
    const pen = canvas.getContext("2d");
    pen.setTransform(density, 0, 0, density, 0, 0);
    pen.clearRect(0, 0, width, height);
    return [pen, width, height];
  }

  /** Strokes edges; of a very large roadmap that is going on none are there to be drawn. */
  function strokeEdges(pen, state, edges, colour, width, dash = []) {
    strokeLines(pen, edges.map((edge) => state.edges[edge]).filter(Boolean), colour, width, dash);
  }

  /** Strokes lines, each a list of straight pieces by their ends. */
  function strokeLines(pen, lines, colour, width, dash = []) {
    pen.beginPath();
    for (const line of lines) {
      for (let i = 0; i < line.length; i += 4) {
        pen.moveTo(line[i], line[i + 1]);
        pen.lineTo(line[i + 2], line[i + 3]);
      }
    }
    pen.strokeStyle = colour;
    pen.lineWidth = width;
    pen.setLineDash(dash);
    pen.stroke();
    pen.setLineDash([]);
  }

  /** Strokes edges that were checked, in layers: see-through, they are stronger where many lie. */
  function strokeChecked(pen, state, edges, colour, px, dash = []) {
    const share = Math.min(1, 150 / (edges.length || 1));
    pen.globalAlpha = Math.max(0.25, Math.sqrt(share));
    const width = Math.max(0.8, 2.4 * share ** 0.4) * px;
    const layers = Array.from({ length: edges.length > 150 ? 4 : 1 }, () => []);
    edges.forEach((edge, i) => layers[i % layers.length].push(edge));
    for (const layer of layers) strokeEdges(pen, state, layer, colour, width, dash);
    pen.globalAlpha = 1;
  }

  /** Fills obstacles, which are rectangles of an image. */
  function obstacles(pen, cells, colour) {
    if (!cells) return;
    pen.save();
    pen.transform(...cells.matrix);
    pen.fillStyle = colour;
    pen.beginPath();
    const all = cells.rectangles;
    for (let i = 0; i < all.length; i += 4) pen.rect(all[i], all[i + 1], all[i + 2], all[i + 3]);
    pen.fill();
    pen.restore();
  }

  /** Marks edges in their middle only, so that what is believed of them stays in sight. */
  function strokeMiddles(pen, state, edges, colour, width) {
    pen.beginPath();
    for (const edge of edges) {
      const [x1, y1, x2, y2] = state.edges[edge];
      const length = Math.hypot(x2 - x1, y2 - y1) || 1;
      const share = Math.min(0.15, (2.2 * width) / length);
      const [dx, dy] = [(x2 - x1) * share, (y2 - y1) * share];
      const [x, y] = [(x1 + x2) / 2, (y1 + y2) / 2];
      pen.moveTo(x - dx, y - dy);
      pen.lineTo(x + dx, y + dy);
    }
    pen.strokeStyle = colour;
    pen.lineWidth = width;
    pen.stroke();
  }

  /** The world as the planner knows it; `around` is the room that its window has for all else. */
  function map(canvas, family, world, state, colours, around) {
    if (!family.size) {
      const [pen, width, height] = fitted(canvas, 0.3);
      pen.fillStyle = colours.soft;
      pen.font = "13px sans-serif";
      pen.fillText("This roadmap does not lie in a plane.", 12, height / 2, width - 24);
      return;
    }
    const [across, down] = family.size;
    // All of the map is to be seen beside its controls and its curve, however low the window.
    const [pen, width] = fitted(canvas, down / across, Math.max(240, window.innerHeight - around));
    const scale = width / across;
    pen.scale(scale, scale);
    pen.lineCap = "round";
    pen.lineJoin = "round";
    // Line widths in pixels of the page, thinner on small screens.
    const px = Math.min(1, Math.max(0.55, width / 480)) / scale;

    const shades = Array.from({ length: SHADES }, () => []);
    const [free, blocked, grown] = [[], [], []];
    for (let edge = 0; edge < state.count; edge += 1) {
      if (state.checked[edge] === 1) free.push(edge);
      else if (state.checked[edge] === 2) blocked.push(edge);
      else if (edge < state.given) shades[state.belief[edge]].push(edge);
      else grown.push(edge);
    }
    // What nobody has checked lies below the obstacles, and is left out where it would be one grey.
    const crowd = Math.min(1, Math.max(0.35, Math.sqrt(1200 / state.count)));
    pen.globalAlpha = Math.min(1, Math.max(0.35, Math.sqrt(1500 / state.count)));
    if (state.count - grown.length - free.length - blocked.length <= MOST_UNCHECKED) {
      shades.forEach((edges, shade) => strokeEdges(pen, state, edges, colours.belief[shade], 1.1 * crowd * px));
    }
    pen.globalAlpha = 0.45;
    if (grown.length <= MOST_UNCHECKED) strokeEdges(pen, state, grown, colours.grown, crowd * px);
    pen.globalAlpha = 1;
    obstacles(pen, world.margin, colours.margin);
    obstacles(pen, world.obstacles, colours.obstacle);
    if (state.sampled) strokeMiddles(pen, state, state.sampled.filter((e) => !state.checked[e]), colours.sampled, 1.8 * px);
    // The more was checked, the thinner and the fainter each.
    strokeChecked(pen, state, blocked, colours.blocked, px, [6 * px, 4 * px]);
    strokeChecked(pen, state, free, colours.free, px);
    pen.fillStyle = colours.grown;
    const dot = 1.6 * px * Math.max(0.5, Math.min(1, Math.sqrt(800 / (1 + state.dots.length))));
    for (let i = 0; i < state.dots.length; i += 2) {
      pen.fillRect(state.dots[i] - dot, state.dots[i + 1] - dot, 2 * dot, 2 * dot);
    }
    const best = state.best ? [state.best] : [];
    strokeLines(pen, best, colours.paper, 9 * px);
    strokeLines(pen, best, colours.best, 5 * px);
    state.tried.forEach(({ way, free }, place) => {
      pen.globalAlpha = (place + 1) / state.tried.length;
      strokeLines(pen, [way], free ? colours.tried : colours.blocked, 2.2 * px, [3 * px, 4 * px]);
    });
    pen.globalAlpha = 1;
    if (state.proposed) strokeEdges(pen, state, state.proposed, colours.proposed, 3.4 * px, [0.1 * px, 7 * px]);
    const line = state.edges[state.edge];
    if (line) {
      pen.beginPath();
      pen.arc((line[0] + line[2]) / 2, (line[1] + line[3]) / 2, 9 * px, 0, 2 * Math.PI);
      pen.strokeStyle = colours.ink;
      pen.lineWidth = 2 * px;
      pen.stroke();
    }
    ends(pen, family, colours, px);
  }

  /** The start as a ring and the goal as a square. */
  function ends(pen, family, colours, px) {
    pen.lineWidth = 3 * px;
    if (family.start) {
      pen.beginPath();
      pen.arc(family.start[0], family.start[1], 6 * px, 0, 2 * Math.PI);
      pen.fillStyle = colours.paper;
      pen.strokeStyle = colours.ink;
      pen.fill();
      pen.stroke();
    }
    if (family.goal) {
      pen.fillStyle = colours.ink;
      pen.strokeStyle = colours.paper;
      pen.lineWidth = 2 * px;
      pen.beginPath();
      pen.rect(family.goal[0] - 6 * px, family.goal[1] - 6 * px, 12 * px, 12 * px);
      pen.fill();
      pen.stroke();
    }
  }

  /** Round values between two ends, about `count` of them. */
  function ticks(low, high, count) {
    const rough = (high - low) / count;
    if (!(rough > 0)) return [];
    const magnitude = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].map((f) => f * magnitude).find((s) => s >= rough * 0.999);
    const values = [];
    for (let i = Math.ceil(low / step - 1e-9); i * step <= high + 1e-9 * step; i++) values.push(i * step || 0);
    const digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
    return values.map((v) => [v, v.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits })]);
  }

  /**
   * The best length, over the shortest where that is known, against the cost so far, with a marker at the
   * present; below it the lower bound. Both curves of a pair have the same axes.
   */
  function curve(canvas, axes, state, colours, unit, tallest) {
    canvas.style.width = "";
    const narrow = canvas.clientWidth < 300;
    const [pen, width, height] = fitted(canvas, narrow ? 0.8 : Math.min(0.6, tallest / canvas.clientWidth));
    const size = narrow ? 10 : 12;
    pen.font = `${size}px "Helvetica Neue", Helvetica, Arial, sans-serif`;
    const [left, right, top, bottom] = [narrow ? 30 : 42, width - 10, 2 * size + 4, height - 3 * size - 4];
    const x = (cost) => left + (cost / axes.cost) * (right - left);
    const y = (ratio) => bottom - ((ratio - axes.low) / (axes.high - axes.low)) * (bottom - top);
    pen.fillStyle = colours.soft;
    pen.textBaseline = "middle";
    pen.textAlign = "right";
    for (const [value, label] of ticks(axes.low, axes.high, 4)) {
      rule(pen, [left, y(value)], [right, y(value)], colours.grid, 0.8);
      pen.fillText(label, left - 6, y(value));
    }
    pen.textAlign = "center";
    for (const [value, label] of ticks(0, axes.cost, narrow ? 2 : 5)) {
      rule(pen, [x(value), bottom], [x(value), bottom + 4], colours.soft, 1);
      const half = pen.measureText(label).width / 2;
      pen.fillText(label, Math.min(x(value), width - half - 1), bottom + size + 2);
    }
    rule(pen, [left, bottom], [right, bottom], colours.soft, 1);
    if (axes.isRatio) rule(pen, [left, y(1)], [right, y(1)], colours.soft, 1.2, [6, 4]);
    pen.fillText(`${unit} checked`, (left + right) / 2, height - size / 2 - 2);
    pen.textAlign = "left";
    const what = axes.isRatio ? ["best / roadmap's shortest", "best length / roadmap's shortest"] : ["best length", "length of the best path"];
    pen.fillText(narrow ? what[0] : `${what[1]} (thin: lower bound)`, 0, size / 2 + 2);

    const steps = (points, colour, thickness) => {
      if (!points.length) return;
      pen.beginPath();
      pen.moveTo(x(points[0][0]), y(points[0][1]));
      points.forEach(([cost, ratio], i) => {
        if (i) pen.lineTo(x(cost), y(points[i - 1][1]));
        pen.lineTo(x(cost), y(ratio));
      });
      pen.lineTo(x(state.cost), y(points[points.length - 1][1]));
      pen.strokeStyle = colour;
      pen.lineWidth = thickness;
      pen.stroke();
    };
    steps(state.bounds, colours.soft, 1.2);
    steps(state.lengths, colours.best, 2.4);
    rule(pen, [x(state.cost), top], [x(state.cost), bottom], colours.ink, 1, [2, 2]);
    const last = state.lengths[state.lengths.length - 1];
    pen.beginPath();
    pen.arc(x(state.cost), last ? y(last[1]) : bottom, 4.5, 0, 2 * Math.PI);
    pen.fillStyle = last ? colours.best : colours.soft;
    pen.fill();
  }

  function rule(pen, from, to, colour, width, dash = []) {
    pen.beginPath();
    pen.moveTo(...from);
    pen.lineTo(...to);
    pen.strokeStyle = colour;
    pen.lineWidth = width;
    pen.setLineDash(dash);
    pen.stroke();
    pen.setLineDash([]);
  }

  return { palette, map, curve, ticks };
})();
