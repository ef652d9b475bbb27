// Drives `psmp plan --live` in headless Chromium. Run: npm ci && node live.mjs (from tests/browser; needs cargo and chromium)
//
// A run in a map whose goal is dragged, and one for an arm whose scene is. Screenshots go to shots/.

import { request } from "node:http";
import { join } from "node:path";
import { check, checkNames, checkQuiet, finish, live, must, mustFit, open, psmp, scratch, shots } from "./driver.mjs";

const file = (name) => join(scratch, name);
psmp("generate", "maze", "--worlds", "2", "--test", "1", "-o", file("maze"));
const map = file("maze/environment_images/world_1.png");
const served = await live("plan", "--map", map, "--start", "0.05,0.05", "--goal", "0.95,0.95",
  "--robot-radius", "0.01", "--configurations", "100000");
const opened = await open(served.address, "--disable-gpu");
const { page } = opened;

const standing = (page) => page.textContent("#standing");
const said = (page) => page.textContent("#said");
/** Waits until a run is over that has this number at least, and what it came to is drawn, which is in the frame after. */
const over = async (page, number) => {
  await page.waitForFunction((number) => {
    const [, run] = document.getElementById("standing").textContent.match(/^Run (\d+), over/) ?? [];
    return Number(run) >= number;
  }, number);
  await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))));
};
const picture = () => page.evaluate(() => document.getElementById("map-0").toDataURL());
/** How many pixels of a colour there are around a place of the map, given in shares of it. */
const count = (rgb, at = [0.5, 0.5], around = 1) => page.evaluate(([rgb, at, around]) => {
  const canvas = document.getElementById("map-0");
  const { width, height } = canvas;
  const box = [(at[0] - around) * width, (at[1] - around) * height, 2 * around * width, 2 * around * height];
  const { data } = canvas.getContext("2d").getImageData(...box.map(Math.round));
  let count = 0;
  for (let i = 0; i < data.length; i += 4) count += rgb.every((value, c) => Math.abs(data[i + c] - value) < 12);
  return count;
}, [rgb, at, around]);
const [OBSTACLE, BEST] = [[74, 82, 92], [0, 114, 178]];
/** Drags a handle to a place of the map, given in shares of it. */
async function drag(name, [x, y]) {
  const handle = await page.$(`#handle-${name}`);
  await handle.scrollIntoViewIfNeeded();
  const from = await handle.boundingBox();
  const box = await page.$eval("#map-0", (canvas) => {
    const { left, top } = canvas.getBoundingClientRect();
    return { left: left + canvas.clientLeft, top: top + canvas.clientTop, width: canvas.clientWidth, height: canvas.clientHeight };
  });
  await page.mouse.move(from.x + from.width / 2, from.y + from.height / 2);
  await page.mouse.down();
  await page.mouse.move(box.left + x * box.width, box.top + y * box.height, { steps: 4 });
  await page.mouse.up();
}
/** Where the map is darkest: the middle of an obstacle. Edges are drawn over obstacles, and which are checked by when follows from the clock, so that
    no one row is sure to have a place that is dark enough. */
async function obstacle() {
  let [most, where] = [40, undefined];
  for (const y of [0.35, 0.5, 0.65, 0.8]) {
    for (let x = 0.15; x < 0.9; x += 0.01) {
      const dark = await count(OBSTACLE, [x, y], 0.008);
      if (dark > most) [most, where] = [dark, [x, y]];
    }
  }
  must(where !== undefined, "no obstacle to drag into");
  return where;
}
/** A place near to the start, and another, that no wall is about. */
const [NEAR, NEARER] = [[0.35, 0.55], [0.35, 0.65]];

await check("a run is there while it goes on, and ends with a path", async () => {
  await over(page, 1);
  const words = await standing(page);
  for (const part of ["Run 1", "checks", "best", "at least", "thinking", "stop"]) must(words.includes(part), `${part} in ${words}`);
  must((await count(OBSTACLE)) > 1000, "no obstacles");
  must((await count(BEST)) > 200, "no best path");
  must((await page.textContent("#event-0")).startsWith("over"), await page.textContent("#event-0"));
  must((await page.$eval("#time", (slider) => Number(slider.max))) > 3, "hardly a frame");
});

await check("map, handles and controls are in sight together on a laptop", async () => {
  await page.setViewportSize({ width: 1366, height: 768 });
  await page.waitForTimeout(150);
  for (const id of ["map-0", "handle-start", "handle-goal", "play", "time", "standing"]) {
    const box = await page.$eval(`#${id}`, (e) => e.getBoundingClientRect());
    must(box.height > 0 && box.top >= 0 && box.bottom <= 768, `${id} is at ${box.top} to ${box.bottom}`);
  }
  await page.screenshot({ path: join(shots, "live-laptop.png") });
});

await check("a dragged goal is planned to", async () => {
  const before = await picture();
  await drag("goal", NEAR);
  await over(page, 2);
  must((await said(page)) === "", await said(page));
  must((await standing(page)).includes("best"), await standing(page));
  must((await picture()) !== before, "the same picture");
  await page.waitForTimeout(150);
  must((await count(BEST, NEAR, 0.04)) > 10, "the path does not lead there");
});

await check("a goal in an obstacle is refused in words, and the last run stays", async () => {
  const before = await picture();
  await drag("goal", await obstacle());
  await page.waitForFunction(() => document.getElementById("said").textContent !== "");
  must((await said(page)).includes("goal would not be free"), await said(page));
  await page.screenshot({ path: join(shots, "live-refused.png") });
  await page.waitForTimeout(200);
  must((await standing(page)).startsWith("Run 2, over"), await standing(page));
  must((await picture()) === before, "the goal is not back where it was");
});

await check("arrow keys move the start", async () => {
  await page.focus("#handle-start");
  for (const key of ["ArrowRight", "ArrowUp"]) await page.keyboard.press(key);
  await over(page, 3);
  must((await said(page)) === "", await said(page));
});

await check("a film can be looked at again, and a page opened later shows all of it", async () => {
  await page.focus("#time");
  await page.keyboard.press("Home");
  must((await page.textContent("#event-0")) === "not yet begun", await page.textContent("#event-0"));
  await page.reload();
  await over(page, 3);
  must((await count(BEST)) > 100, "no best path");
});

await check("dark, and narrow", async () => {
  const light = await picture();
  await page.click("#theme");
  must((await picture()) !== light, "dark changes nothing");
  await page.screenshot({ path: join(shots, "live-dark.png") });
  await page.setViewportSize({ width: 400, height: 800 });
  await page.waitForTimeout(200);
  await mustFit(page);
  await page.screenshot({ path: join(shots, "live-400-dark.png") });
  await page.click("#theme");
  await page.screenshot({ path: join(shots, "live-400.png") });
  await drag("goal", NEARER);
  await over(page, 4);
});

/** The status of the answer to a request with another path, or other headers. */
const asked = (path, headers = {}, method = "GET", body = "") => new Promise((done, fail) => {
  const { hostname, port } = new URL(served.address);
  const sent = request({ hostname, port, path, method, headers }, (answer) => {
    answer.destroy();
    done(answer.statusCode);
  });
  sent.on("error", fail);
  sent.end(body);
});
const { pathname, host, origin } = new URL(served.address);

await check("nothing else answers", async () => {
  const others = ["/", "/etc/passwd", `/${"0".repeat(32)}/`, `${pathname}../../etc/passwd`, `${pathname}%2e%2e/%2e%2e/etc/passwd`, `${pathname}index.html`];
  for (const path of others) must((await asked(path)) === 404, `${path}: ${await asked(path)}`);
  must((await asked(pathname)) === 200, "the page itself is not there");
  must((await asked(pathname, { Host: "evil.example" })) === 403, "another name leads here");
  const goal = JSON.stringify({ what: "goal", to: [0.5, 0.5] });
  must((await asked(`${pathname}move`, { Origin: "http://evil.example" }, "POST", goal)) === 403, "another page may move things");
  for (const wrong of ["nonsense", "{}", JSON.stringify({ what: "goal", to: [7, 7] }), JSON.stringify({ what: "goal", to: [1] }),
    JSON.stringify({ what: "object", object: 0, by: [0, 0, 0] })]) {
    const status = await asked(`${pathname}move`, { Host: host, Origin: origin }, "POST", wrong);
    must(status === 400, `${wrong}: ${status}`);
  }
});

await check("Ctrl-C ends it, and the page says so", async () => {
  served.child.kill("SIGINT");
  must((await served.ended) === 0, `ended with ${await served.ended}`);
  await page.waitForFunction(() => document.getElementById("standing").textContent.includes("psmp has ended"));
});

await checkNames(page, "button, select, input, canvas");
await checkQuiet(opened);

psmp("generate", "clutter", "--worlds", "1", "-o", file("clutter"));
const arm = await live("plan", "--robot", "panda-like", "--scene", file("clutter/scene0001.yaml"),
  "--request", file("clutter/request0001.yaml"), "--vertices", "1000", "--configurations", "20000");
const inScene = await open(arm.address, "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader");

/** Waits until what was changed is drawn, and takes the view as text that differs where a pixel does. */
async function view() {
  await inScene.page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  return inScene.page.evaluate(() => document.getElementById("motion-view").toDataURL());
}

await check("an arm finds a path while one looks", async () => {
  await over(inScene.page, 1);
  must((await inScene.page.textContent("#motion-words")).startsWith("best path"), await inScene.page.textContent("#motion-words"));
  await view();
  await inScene.page.screenshot({ path: join(shots, "live-arm.png") });
});

await check("an object is dragged, and it is planned again", async () => {
  const before = await view();
  const box = await (await inScene.page.$("#motion-view")).boundingBox();
  const { mouse } = inScene.page;
  const isOver = () => inScene.page.$eval("#motion-view", (canvas) => canvas.style.cursor === "move");
  let run = 1;
  // Somewhere there is an object that can be moved a little without being in the way of start or goal.
  search: for (let x = 0.2; x < 0.85; x += 0.1) {
    for (let y = 0.3; y < 0.9; y += 0.1) {
      const at = [box.x + x * box.width, box.y + y * box.height];
      await mouse.move(...at);
      if (!(await isOver())) continue;
      await mouse.down();
      await mouse.move(at[0] + 15, at[1] + 5, { steps: 3 });
      await mouse.up();
      await inScene.page.waitForFunction(() => document.getElementById("said").textContent || document.getElementById("standing").textContent.startsWith("Run 2"));
      if ((await said(inScene.page)) === "") {
        run = 2;
        break search;
      }
      must((await said(inScene.page)).includes("stays where it was"), await said(inScene.page));
    }
  }
  must(run === 2, `no object can be moved: ${await said(inScene.page)}`);
  await over(inScene.page, 2);
  must((await view()) !== before, "the same picture");
});

await check("a joint's slider moves the goal", async () => {
  await inScene.page.click("#joints summary");
  const slider = "#joints-goal input >> nth=-1";
  const value = await inScene.page.$eval(slider, (input) => Number(input.value));
  const shown = await view();
  await inScene.page.focus(slider);
  await inScene.page.keyboard.press("ArrowLeft");
  await over(inScene.page, 3);
  must((await inScene.page.$eval(slider, (input) => Number(input.value))) !== value, "the slider is where it was");
  must((await view()) !== shown, "the same picture");
  await inScene.page.screenshot({ path: join(shots, "live-joints.png"), fullPage: true });
  await inScene.page.setViewportSize({ width: 400, height: 800 });
  await view();
  await mustFit(inScene.page);
  await inScene.page.screenshot({ path: join(shots, "live-arm-400.png") });
});

await checkNames(inScene.page, "button, select, input, canvas");
await checkQuiet(inScene, " with an arm");
arm.child.kill("SIGTERM");
await check("it ends when it is told to", async () => must((await arm.ended) === 0, `ended with ${await arm.ended}`));
await finish();
