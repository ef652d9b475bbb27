// Drives the pages of single runs in headless Chromium. Run: npm ci && node run.mjs (from tests/browser; needs cargo and chromium)
//
// The runs are made first: one in a map, one for an arm, and a long one. Screenshots go to shots/.

import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { check, checkNames, checkQuiet, finish, must, mustFit, open, psmp, scratch, shots } from "./driver.mjs";

const file = (name) => join(scratch, name);
psmp("generate", "maze", "--worlds", "2", "--test", "1", "-o", file("maze"));
const map = file("maze/environment_images/world_1.png");
const inMap = ["plan", "--map", map, "--start", "0.05,0.05", "--goal", "0.95,0.95"];

psmp(...inMap, "--robot-radius", "0.01", "--configurations", "10000", "--page", file("map.html"));
const opened = await open(file("map.html"), "--disable-gpu");
const { page } = opened;
const picture = (id) => page.evaluate((id) => document.getElementById(id).toDataURL(), id);
const words = () => page.textContent("#event-0");
const time = () => page.$eval("#time", (slider) => Number(slider.value));
const last = () => page.$eval("#time", (slider) => Number(slider.max));
const count = (rgb) => page.evaluate((rgb) => {
  const canvas = document.getElementById("map-0");
  const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  let count = 0;
  for (let i = 0; i < data.length; i += 4) count += rgb.every((value, c) => Math.abs(data[i + c] - value) < 12);
  return count;
}, rgb);
const letGo = () => page.evaluate(() => document.activeElement.blur());

await check("the run is there from its beginning", async () => {
  must((await page.title()).includes("ei:ensemble in"), await page.title());
  must((await words()) === "not yet begun" && (await last()) > 50, `${await words()}, ${await last()} frames`);
  must((await count([74, 82, 92])) > 1000, "no obstacles");
  must((await count([195, 201, 209])) > 300, "no margin around them");
  must(!(await page.isVisible("#family")) && !(await page.isVisible("#planner-0")), "choices where there is nothing to choose");
  must(!(await page.isVisible("#motion")), "an arm where there is none");
});

await check("map, curve and controls are in sight together on a laptop", async () => {
  for (const height of [768, 640]) {
    await page.setViewportSize({ width: 1366, height });
    await page.waitForTimeout(100);
    for (const id of ["map-0", "play", "time"]) {
      const box = await page.$eval(`#${id}`, (e) => e.getBoundingClientRect());
      must(box.top >= 0 && box.bottom <= height, `${id} is at ${box.top} to ${box.bottom} of ${height}`);
    }
  }
  await page.setViewportSize({ width: 1366, height: 768 });
  await page.waitForTimeout(100);
  await page.screenshot({ path: join(shots, "run-laptop.png") });
});

await check("it plays, pauses and reaches its end", async () => {
  await page.click("#play");
  await page.waitForFunction(() => Number(document.getElementById("time").value) > 3);
  await page.click("#play");
  const stopped = await time();
  await page.waitForTimeout(200);
  must((await time()) === stopped, "not paused");
  await letGo();
  await page.keyboard.press("End");
  must((await words()).startsWith("over"), await words());
  must((await count([0, 114, 178])) > 200, "no best path at the end");
  await page.screenshot({ path: join(shots, "run-end.png") });
});

await check("scrubbing back and forth shows the same again", async () => {
  const at = [0.2, 0.5, 0.8];
  const seen = [];
  for (const share of [...at, ...at]) {
    await page.fill("#time", String(Math.round(share * (await last()))));
    seen.push(await picture("map-0"));
  }
  must(new Set(seen).size === 3, "the pictures are not three");
  must(seen.slice(0, 3).every((one, i) => one === seen[i + 3]), "another picture at the same moment");
});

await check("events are said in words, and the curve goes down", async () => {
  await letGo();
  await page.keyboard.press("Home");
  const said = new Set();
  for (let i = 0; i < (await last()); i += 1) {
    await page.keyboard.press("ArrowRight");
    said.add((await words()).split(/[:;,]/)[0].replace(/\d[\d,]*/g, "n"));
    if (said.size > 5) break;
  }
  must(said.has("better path"), `never a better path, but ${[...said]}`);
  must(said.size > 3, `only ${[...said]}`);
});

await check("dark, and narrow", async () => {
  const light = await picture("map-0");
  await page.click("#theme");
  must((await picture("map-0")) !== light, "dark changes nothing");
  await page.screenshot({ path: join(shots, "run-dark.png") });
  await page.setViewportSize({ width: 360, height: 740 });
  await page.waitForTimeout(100);
  await mustFit(page);
  await page.screenshot({ path: join(shots, "run-360.png"), fullPage: true });
  await page.click("#theme");
  await page.setViewportSize({ width: 1280, height: 900 });
});

await checkNames(page, "button, select, input, canvas");
await checkQuiet(opened);

const events = (page) => page.evaluate(() => {
  const [{ films }] = JSON.parse(document.getElementById("films").textContent);
  return films[0].frames.reduce((sum, frame) => sum + 1 + (frame.y ?? 0), 0);
});

psmp(...inMap, "--configurations", "800000", "--page", file("long.html"));
await check("a run of a hundred thousand events opens in two seconds, in less than ten megabytes", async () => {
  const size = statSync(file("long.html")).size / 1e6;
  must(size < 10, `${size} MB`);
  const begun = Date.now();
  const long = await open(file("long.html"), "--disable-gpu");
  await long.page.waitForFunction(() => document.getElementById("event-0").textContent === "not yet begun");
  const shown = await long.page.evaluate(() => performance.now());
  const happened = await events(long.page);
  must(happened >= 100000, `only ${happened} events`);
  must(shown < 2000, `${shown} ms after ${Date.now() - begun} ms`);
  await long.page.click("#time");
  await long.page.keyboard.press("End");
  must((await long.page.textContent("#event-0")).startsWith("over"), "not at its end");
  await long.page.screenshot({ path: join(shots, "run-long.png") });
  console.log(`        ${happened} events, ${size.toFixed(1)} MB, shown after ${Math.round(shown)} ms`);
  await checkQuiet(long, " in a long run");
});

psmp("generate", "clutter", "--worlds", "1", "-o", file("clutter"));
psmp("plan", "--robot", "panda-like", "--scene", file("clutter/scene0001.yaml"), "--request", file("clutter/request0001.yaml"),
  "--vertices", "1000", "--configurations", "20000", "--page", file("arm.html"));
const arm = await open(file("arm.html"), "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader");

/** Waits until what was changed is drawn, and takes the view as text that differs where a pixel does. */
async function view() {
  await arm.page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  return arm.page.evaluate(() => document.getElementById("motion-view").toDataURL());
}
const said = () => arm.page.textContent("#motion-words");

await check("an arm moves in its own time", async () => {
  must(await arm.page.isVisible("#motion-view"), "no view");
  const start = await view();
  const [, seconds] = (await said()).match(/; 0.00 of ([\d.]+) s/) ?? [];
  must(seconds > 0, await said());
  await arm.page.fill("#motion-time", "700");
  // Timed by the frames that are drawn, however long each of them takes without a graphics card.
  const [shown, passed] = await arm.page.evaluate(() => new Promise((done) => {
    const button = document.getElementById("motion-play");
    const slider = document.getElementById("motion-time");
    const frames = [];
    button.click();
    const watch = (time) => {
      if (button.textContent === "Play") {
        const [first, last] = [frames[0], frames.at(-1)];
        done([last.at - first.at, (last.time - first.time) / 1000]);
        return;
      }
      frames.push({ time, at: Number(slider.value) / Number(slider.max) });
      requestAnimationFrame(watch);
    };
    requestAnimationFrame(watch);
  }));
  must(shown > 0.05 && Math.abs(passed - shown * seconds) < 0.1, `${passed} s for ${shown} of a motion of ${seconds} s`);
  must((await view()) !== start, "the arm stands where it was");
  await arm.page.screenshot({ path: join(shots, "run-arm.png") });
});

await check("earlier paths are ghosts, and can be played too", async () => {
  const paths = await arm.page.$$eval("#motion-planner option", (all) => all.map((option) => option.textContent));
  must(paths.length >= 2 && paths[0] === "best path", `paths are ${paths}`);
  const all = await view();
  await arm.page.uncheck("#motion-earlier");
  must((await view()) !== all, "no earlier path is drawn");
  await arm.page.check("#motion-earlier");
  await arm.page.selectOption("#motion-planner", { index: paths.length - 1 });
  must((await said()).startsWith("earlier path 1"), await said());
});

await check("an arm's film has its curve and no map", async () => {
  must(!(await arm.page.isVisible("#map-0")) && (await arm.page.isVisible("#curve-0")), "a map of what has none");
  await arm.page.focus("#time");
  await arm.page.keyboard.press("End");
  must((await arm.page.textContent("#event-0")).startsWith("over"), await arm.page.textContent("#event-0"));
});

await checkNames(arm.page, "button, select, input, canvas");
await checkQuiet(arm, " with an arm");

// As a notebook shows it: in a frame that may run scripts and nothing else.
const escaped = readFileSync(file("map.html"), "utf8").replaceAll("&", "&amp;").replaceAll('"', "&quot;");
writeFileSync(file("notebook.html"), `<!doctype html><iframe srcdoc="${escaped}" sandbox="allow-scripts" width="900" height="640"></iframe>`);
const notebook = await open(file("notebook.html"), "--disable-gpu");
await check("a film within a notebook plays", async () => {
  const frame = notebook.page.frames()[1];
  await frame.waitForFunction(() => document.getElementById("event-0").textContent === "not yet begun");
  await frame.click("#play");
  await frame.waitForFunction(() => Number(document.getElementById("time").value) > 3);
});
await checkQuiet(notebook, " within a notebook");
await finish();
