"use strict";
// Drawing in three dimensions, with WebGL 2: lit shapes with shadows, some of them see-through.
// Nothing here knows of robots, time or controls. All shapes are scaled from a few meshes: a cube, a
// ball and a cylinder of unit radius, and meshes as they are given. z is up, lengths are metres.

const Solid = (() => {
  const VERTEX = `#version 300 es
    layout(location = 0) in vec3 place;
    layout(location = 1) in vec3 normal;
    uniform mat4 camera;
    uniform mat4 sunlight;
    uniform mat3 turn;
    uniform vec3 shift;
    uniform vec3 size;
    out vec3 point;
    out vec3 facing;
    out vec3 lit;
    // Two programs must agree to the last bit on what is in front.
    invariant gl_Position;
    void main() {
      point = turn * (size * place) + shift;
      facing = turn * (normal / size);
      // A little off the surface, so that nothing shades itself.
      vec4 there = sunlight * vec4(point + 0.006 * normalize(facing), 1.0);
      lit = 0.5 * there.xyz / there.w + 0.5;
      gl_Position = camera * vec4(point, 1.0);
    }`;
  const FRAGMENT = `#version 300 es
    precision highp float;
    precision highp sampler2DShadow;
    in vec3 point;
    in vec3 facing;
    in vec3 lit;
    uniform vec4 colour;
    uniform vec3 eye;
    uniform vec3 sun;
    uniform vec3 paper;
    uniform float floored;
    uniform float reach;
    uniform sampler2DShadow shadow;
    out vec4 pixel;
    float sunshine() {
      if (any(lessThan(lit, vec3(0.0))) || any(greaterThan(lit, vec3(1.0)))) return 1.0;
      vec2 texel = 1.0 / vec2(textureSize(shadow, 0));
      float sum = 0.0;
      for (int i = -1; i <= 1; i++)
        for (int j = -1; j <= 1; j++) sum += texture(shadow, vec3(lit.xy + 1.2 * vec2(i, j) * texel, lit.z - 0.0008));
      return sum / 9.0;
    }
    void main() {
      vec3 n = normalize(facing);
      vec3 towards = normalize(eye - point);
      if (dot(n, towards) < 0.0) n = -n;
      if (floored > 0.5) {
        // Tiles of a quarter metre that fade into the page.
        vec2 tile = 4.0 * point.xy;
        vec2 line = abs(fract(tile - 0.5) - 0.5) / max(fwidth(tile), 1e-4);
        float ruled = 1.0 - min(min(line.x, line.y), 1.0);
        vec3 ground = mix(colour.rgb, paper, 0.62 - 0.45 * ruled) * mix(0.72, 1.0, sunshine());
        float far = smoothstep(0.45, 1.0, length(point.xy) / reach);
        pixel = vec4(mix(ground, paper, far), 1.0);
        return;
      }
      float sky = 0.5 + 0.5 * n.z;
      float key = max(dot(n, sun), 0.0) * sunshine();
      float gloss = pow(max(dot(n, normalize(sun + towards)), 0.0), 40.0) * key;
      vec3 shade = colour.rgb * (mix(0.34, 0.62, sky) + 0.55 * key) + 0.12 * gloss;
      pixel = vec4(shade * colour.a, colour.a);
    }`;
  const NOTHING = `#version 300 es
    precision lowp float;
    out vec4 pixel;
    void main() { pixel = vec4(0.0); }`;

  const SHADOW_SIZE = 2048;
  const SUN = normalised([0.35, -0.55, 1.15]);

  // Vectors are arrays of 3; turns are 3 x 3 and cameras 4 x 4 matrices, column after column.
  function normalised(v) {
    const length = Math.hypot(...v) || 1;
    return v.map((x) => x / length);
  }
  const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
  const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
  const minus = (a, b) => a.map((x, i) => x - b[i]);

  /** The turn of a quaternion x, y, z, w. */
  function turned([x, y, z, w]) {
    return [
      1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y),
      2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x),
      2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y),
    ];
  }
  const apply = (m, v) => [0, 1, 2].map((i) => m[i] * v[0] + m[i + 3] * v[1] + m[i + 6] * v[2]);
  const product3 = (a, b) => [0, 1, 2].flatMap((c) => apply(a, b.slice(3 * c, 3 * c + 3)));
  const product4 = (a, b) =>
    Array.from({ length: 16 }, (_, i) => [0, 1, 2, 3].reduce((sum, k) => sum + a[(i % 4) + 4 * k] * b[k + (i & 12)], 0));

  function looking(eye, target) {
    const back = normalised(minus(eye, target));
    const right = normalised(cross([0, 0, 1], back));
    const up = cross(back, right);
    return [
      right[0], up[0], back[0], 0, right[1], up[1], back[1], 0, right[2], up[2], back[2], 0,
      -dot(right, eye), -dot(up, eye), -dot(back, eye), 1,
    ];
  }
  /** How wide the view is from bottom to top, in radians. */
  const FIELD = 0.6;

  /** The direction from the eye to a place of the picture, which goes from -1 to 1 across and up. */
  function direction({ eye, target }, aspect, [across, up]) {
    const back = normalised(minus(eye, target));
    const right = normalised(cross([0, 0, 1], back));
    const upwards = cross(back, right);
    const wide = Math.tan(FIELD / 2);
    return normalised(back.map((b, i) => wide * (aspect * across * right[i] + up * upwards[i]) - b));
  }

  /** How far along a ray the box around a part begins, or nothing if it is missed. */
  function distance(eye, way, { shape, size, turn, shift }) {
    const from = minus(eye, shift);
    let [near, far] = [0, Infinity];
    for (let axis = 0; axis < 3; axis += 1) {
      const own = turn.slice(3 * axis, 3 * axis + 3);
      const [at, step] = [dot(own, from) / size[axis], dot(own, way) / size[axis]];
      const [a, b] = [shape.low[axis], shape.high[axis]].map((end) => (end - at) / (step || 1e-12));
      [near, far] = [Math.max(near, Math.min(a, b)), Math.min(far, Math.max(a, b))];
    }
    return near <= far ? near : null;
  }

  function perspective(field, aspect, near, far) {
    const f = 1 / Math.tan(field / 2);
    return [f / aspect, 0, 0, 0, 0, f, 0, 0, 0, 0, (far + near) / (near - far), -1, 0, 0, (2 * far * near) / (near - far), 0];
  }
  function parallel(half, near, far) {
    return [1 / half, 0, 0, 0, 0, 1 / half, 0, 0, 0, 0, -2 / (far - near), 0, 0, 0, -(far + near) / (far - near), 1];
  }

  // Shapes as corners of triangles: place and normal, six numbers each.
  function cube() {
    const corners = [];
    for (let axis = 0; axis < 3; axis++) {
      for (const side of [-1, 1]) {
        const at = (u, v) => {
          const p = [0, 0, 0];
          [p[axis], p[(axis + 1) % 3], p[(axis + 2) % 3]] = [side, u, v];
          const n = [0, 0, 0];
          n[axis] = side;
          return [...p, ...n];
        };
        for (const [u, v] of [[-1, -1], [1, -1], [1, 1], [-1, -1], [1, 1], [-1, 1]]) corners.push(...at(u, v));
      }
    }
    return corners;
  }
  function ball(rings = 12, sectors = 24) {
    const corners = [];
    const at = (i, j) => {
      const [down, round] = [(Math.PI * i) / rings, (2 * Math.PI * j) / sectors];
      const p = [Math.sin(down) * Math.cos(round), Math.sin(down) * Math.sin(round), Math.cos(down)];
      return [...p, ...p];
    };
    for (let i = 0; i < rings; i++) {
      for (let j = 0; j < sectors; j++) {
        for (const [a, b] of [[0, 0], [1, 0], [1, 1], [0, 0], [1, 1], [0, 1]]) corners.push(...at(i + a, j + b));
      }
    }
    return corners;
  }
  function cylinder(sectors = 28) {
    const corners = [];
    for (let j = 0; j < sectors; j++) {
      const [x, y, u, v] = [j, j + 1].flatMap((k) => [Math.cos((2 * Math.PI * k) / sectors), Math.sin((2 * Math.PI * k) / sectors)]);
      for (const [a, b, z] of [[x, y, -1], [u, v, -1], [u, v, 1], [x, y, -1], [u, v, 1], [x, y, 1]]) corners.push(a, b, z, a, b, 0);
      for (const z of [-1, 1]) {
        for (const [a, b] of [[0, 0], [x, y], [u, v]]) corners.push(a, b, z, 0, 0, z);
      }
    }
    return corners;
  }
  /** A mesh, smooth where its triangles meet at less than 40 degrees. */
  function mesh(places, triangles) {
    const at = (i) => places.slice(3 * i, 3 * i + 3);
    const faces = new Map();
    const flat = [];
    for (let t = 0; t < triangles.length; t += 3) {
      const [a, b, c] = [at(triangles[t]), at(triangles[t + 1]), at(triangles[t + 2])];
      flat.push(cross(minus(b, a), minus(c, a)));
      for (const p of [a, b, c]) {
        const key = p.join();
        if (!faces.has(key)) faces.set(key, []);
        faces.get(key).push(t / 3);
      }
    }
    const unit = flat.map(normalised);
    const corners = [];
    triangles.forEach((vertex, i) => {
      const own = unit[Math.floor(i / 3)];
      const near = faces.get(at(vertex).join()).filter((f) => dot(unit[f], own) > 0.77);
      const sum = near.reduce((n, f) => n.map((x, k) => x + flat[f][k]), [0, 0, 0]);
      corners.push(...at(vertex), ...normalised(sum));
    });
    return corners;
  }

  /** A renderer for a canvas, or null where there is no WebGL 2. */
  function renderer(canvas) {
    // What is drawn stays, so that the picture can be copied from the page.
    const gl = canvas.getContext("webgl2", { antialias: true, preserveDrawingBuffer: true });
    if (!gl) return null;

    function program(fragment) {
      const made = gl.createProgram();
      for (const [kind, source] of [[gl.VERTEX_SHADER, VERTEX], [gl.FRAGMENT_SHADER, fragment]]) {
        const shader = gl.createShader(kind);
        gl.shaderSource(shader, source);
        gl.compileShader(shader);
        gl.attachShader(made, shader);
      }
      gl.linkProgram(made);
      if (!gl.getProgramParameter(made, gl.LINK_STATUS)) return null;
      const count = gl.getProgramParameter(made, gl.ACTIVE_UNIFORMS);
      const names = Array.from({ length: count }, (_, i) => gl.getActiveUniform(made, i).name);
      return { made, at: Object.fromEntries(names.map((name) => [name, gl.getUniformLocation(made, name)])) };
    }
    const [bright, dark] = [program(FRAGMENT), program(NOTHING)];
    if (!bright || !dark) return null;

    const depths = gl.createTexture();
    gl.bindTexture(gl.TEXTURE_2D, depths);
    gl.texStorage2D(gl.TEXTURE_2D, 1, gl.DEPTH_COMPONENT24, SHADOW_SIZE, SHADOW_SIZE);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_COMPARE_MODE, gl.COMPARE_REF_TO_TEXTURE);
    for (const filter of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER]) gl.texParameteri(gl.TEXTURE_2D, filter, gl.LINEAR);
    for (const wrap of [gl.TEXTURE_WRAP_S, gl.TEXTURE_WRAP_T]) gl.texParameteri(gl.TEXTURE_2D, wrap, gl.CLAMP_TO_EDGE);
    const shadows = gl.createFramebuffer();
    gl.bindFramebuffer(gl.FRAMEBUFFER, shadows);
    gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.DEPTH_ATTACHMENT, gl.TEXTURE_2D, depths, 0);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);

    function loaded(corners) {
      const array = gl.createVertexArray();
      gl.bindVertexArray(array);
      gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
      gl.bufferData(gl.ARRAY_BUFFER, new Float32Array(corners), gl.STATIC_DRAW);
      for (const place of [0, 1]) {
        gl.enableVertexAttribArray(place);
        gl.vertexAttribPointer(place, 3, gl.FLOAT, false, 24, 12 * place);
      }
      gl.bindVertexArray(null);
      const [low, high] = [[Infinity, Infinity, Infinity], [-Infinity, -Infinity, -Infinity]];
      for (let i = 0; i < corners.length; i += 6) {
        for (let axis = 0; axis < 3; axis += 1) {
          low[axis] = Math.min(low[axis], corners[i + axis]);
          high[axis] = Math.max(high[axis], corners[i + axis]);
        }
      }
      return { array, count: corners.length / 6, low, high };
    }
    const shapes = { cube: loaded(cube()), ball: loaded(ball()), cylinder: loaded(cylinder()) };

    function part(using, { shape, size, turn, shift }) {
      gl.uniformMatrix3fv(using.at.turn, false, turn);
      gl.uniform3fv(using.at.shift, shift);
      gl.uniform3fv(using.at.size, size);
      gl.bindVertexArray(shape.array);
      gl.drawArrays(gl.TRIANGLES, 0, shape.count);
    }

    /**
     * Draws a picture: `solid` are bodies, `ghosts` see-through bodies, each a list of parts, a
     * colour (red, green and blue from 0 to 1) and how much of it covers what is behind.
     */
    function draw({ eye, target, reach, ground, floorColour, paper, solid, ghosts }) {
      const aspect = canvas.width / canvas.height;
      const camera = product4(perspective(FIELD, aspect, 0.05, 40), looking(eye, target));
      const above = SUN.map((x, i) => target[i] + 4 * x);
      const sunlight = product4(parallel(reach, 0.1, 8), looking(above, target));

      gl.enable(gl.DEPTH_TEST);
      gl.disable(gl.BLEND);
      gl.bindFramebuffer(gl.FRAMEBUFFER, shadows);
      gl.viewport(0, 0, SHADOW_SIZE, SHADOW_SIZE);
      gl.clear(gl.DEPTH_BUFFER_BIT);
      gl.useProgram(dark.made);
      gl.uniformMatrix4fv(dark.at.camera, false, sunlight);
      for (const body of solid) if (body.casts !== false) body.parts.forEach((p) => part(dark, p));

      gl.bindFramebuffer(gl.FRAMEBUFFER, null);
      gl.viewport(0, 0, canvas.width, canvas.height);
      gl.clearColor(...paper, 1);
      gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
      gl.useProgram(dark.made);
      gl.uniformMatrix4fv(dark.at.camera, false, camera);
      gl.useProgram(bright.made);
      gl.uniformMatrix4fv(bright.at.camera, false, camera);
      gl.uniformMatrix4fv(bright.at.sunlight, false, sunlight);
      gl.uniform3fv(bright.at.eye, eye);
      gl.uniform3fv(bright.at.sun, SUN);
      gl.uniform3fv(bright.at.paper, paper);
      gl.uniform1f(bright.at.reach, 2.2 * reach);
      const paint = ({ parts, colour, cover = 1 }) => {
        gl.uniform4fv(bright.at.colour, [...colour, cover]);
        parts.forEach((p) => part(bright, p));
      };
      gl.uniform1f(bright.at.floored, 1);
      const flat = [1, 0, 0, 0, 1, 0, 0, 0, 1];
      paint({ parts: [{ shape: shapes.cube, size: [2.2 * reach, 2.2 * reach, 0.001], turn: flat, shift: [0, 0, ground - 0.001] }], colour: floorColour });
      gl.uniform1f(bright.at.floored, 0);
      solid.forEach(paint);

      // A ghost is one surface: its depth comes first, then only what is in front is painted.
      gl.enable(gl.BLEND);
      gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
      const distance = (body) => Math.hypot(...minus(body.parts[body.parts.length - 1].shift, eye));
      for (const ghost of [...ghosts].sort((a, b) => distance(b) - distance(a))) {
        gl.colorMask(false, false, false, false);
        gl.useProgram(dark.made);
        ghost.parts.forEach((p) => part(dark, p));
        gl.colorMask(true, true, true, true);
        gl.useProgram(bright.made);
        gl.depthFunc(gl.LEQUAL);
        paint(ghost);
        gl.depthFunc(gl.LESS);
      }
      gl.bindVertexArray(null);
    }

    return { draw, shapes, mesh: (places, triangles) => loaded(mesh(places, triangles)) };
  }

  return { renderer, turned, apply, product: product3, direction, distance };
})();
