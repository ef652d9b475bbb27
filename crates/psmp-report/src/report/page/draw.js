"use strict";
// Drawing: a map and a curve on canvases, from a film's state at a moment. Nothing here knows of
// time or controls.

const Draw = (() => {
  const SHADES = 16;

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
    const names = ["paper", "ink", "soft", "grid", "best", "proposed", "free", "blocked", "sampled", "grown", "tried", "obstacle"];
    return { belief, ...Object.fromEntries(names.map((name) => [name, colour(name)])) };
  }

  /** Fits a canvas to its place on the page, at the screen's own resolution. */
  function fitted(canvas, aspect) {
    const width = Math.max(canvas.clientWidth, 1);
    const height = width * aspect;
    const density = window.devicePixelRatio || 1;
    canvas.style.height = `${height}px`;
    canvas.width = Math.round(width * density);
    canvas.height = Math.round(height * density);
    const pen = canvas.getContext("2d");
    pen.setTransform(density, 0, 0, density, 0, 0);
    pen.clearRect(0, 0, width, height);
    return [pen, width, height];
  }

  function strokeEdges(pen, state, edges, colour, width, dash = []) {
    strokeLines(pen, edges.map((edge) => state.edges[edge][2]), colour, width, dash);
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

  /** Marks edges in their middle only, so that what is believed of them stays in sight. */
  function strokeMiddles(pen, state, edges, colour, width) {
    pen.beginPath();
    for (const edge of edges) {
      const [x1, y1, x2, y2] = state.edges[edge][2];
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

  /** The world as the planner knows it. */
  function map(canvas, family, world, state, colours) {
    if (!family.size) {
      const [pen, width, height] = fitted(canvas, 0.3);
      pen.fillStyle = colours.soft;
      pen.font = "13px sans-serif";
      pen.fillText("This roadmap does not lie in a plane.", 12, height / 2, width - 24);
      return;
    }
    const [across, down] = family.size;
    const [pen, width] = fitted(canvas, down / across);
    const scale = width / across;
    pen.scale(scale, scale);
    pen.lineCap = "round";
    pen.lineJoin = "round";
    // Line widths in pixels of the page, thinner on small screens.
    const px = Math.min(1, Math.max(0.55, width / 480)) / scale;

    if (world.obstacles) {
      pen.save();
      pen.transform(...world.obstacles.matrix);
      pen.fillStyle = colours.obstacle;
      pen.beginPath();
      const cells = world.obstacles.rectangles;
      for (let i = 0; i < cells.length; i += 4) pen.rect(cells[i], cells[i + 1], cells[i + 2], cells[i + 3]);
      pen.fill();
      pen.restore();
    }

    const shades = Array.from({ length: SHADES }, () => []);
    const [free, blocked, grown] = [[], [], []];
    for (let edge = 0; edge < state.count; edge += 1) {
      if (state.checked[edge] === 1) free.push(edge);
      else if (state.checked[edge] === 2) blocked.push(edge);
      else if (edge < state.given) shades[state.belief[edge]].push(edge);
      else grown.push(edge);
    }
    const crowd = Math.min(1, Math.max(0.35, Math.sqrt(1200 / state.count)));
    shades.forEach((edges, shade) => strokeEdges(pen, state, edges, colours.belief[shade], 1.1 * crowd * px));
    pen.globalAlpha = 0.45;
    strokeEdges(pen, state, grown, colours.grown, crowd * px);
    pen.globalAlpha = 1;
    if (state.sampled) strokeMiddles(pen, state, state.sampled.filter((e) => !state.checked[e]), colours.sampled, 1.8 * px);
    for (const edges of [blocked, free]) strokeEdges(pen, state, edges, colours.paper, 4.5 * px);
    strokeEdges(pen, state, free, colours.free, 2.4 * px);
    strokeEdges(pen, state, blocked, colours.blocked, 2.4 * px, [6 * px, 4 * px]);
    pen.fillStyle = colours.grown;
    for (let i = 0; i < state.dots.length; i += 2) {
      pen.fillRect(state.dots[i] - 1.6 * px, state.dots[i + 1] - 1.6 * px, 3.2 * px, 3.2 * px);
    }
    const best = state.way ? [state.way] : (state.best ?? []).map((edge) => state.edges[edge][2]);
    strokeLines(pen, best, colours.paper, 9 * px);
    strokeLines(pen, best, colours.best, 5 * px);
    state.tried.forEach(({ way, free }, place) => {
      pen.globalAlpha = (place + 1) / state.tried.length;
      strokeLines(pen, [way], free ? colours.tried : colours.blocked, 2.2 * px, [3 * px, 4 * px]);
    });
    pen.globalAlpha = 1;
    if (state.proposed) strokeEdges(pen, state, state.proposed, colours.proposed, 3.4 * px, [0.1 * px, 7 * px]);
    if (state.edge !== null) {
      const line = state.edges[state.edge][2];
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
   * The best length over the shortest against the cost so far, with a marker at the present; below
   * it the lower bound. Both curves of a pair have the same axes.
   */
  function curve(canvas, axes, state, colours, unit) {
    const narrow = canvas.clientWidth < 300;
    const [pen, width, height] = fitted(canvas, narrow ? 0.8 : 0.42);
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
    rule(pen, [left, y(1)], [right, y(1)], colours.soft, 1.2, [6, 4]);
    pen.fillText(`${unit} checked`, (left + right) / 2, height - size / 2 - 2);
    pen.textAlign = "left";
    pen.fillText(narrow ? "best / roadmap's shortest" : "best length / roadmap's shortest (thin: lower bound)", 0, size / 2 + 2);

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

  return { palette, map, curve };
})();
