// Drives a report in headless Chromium. Run: npm ci && node test.mjs (from tests/browser; needs cargo and chromium)
//
// A small real report is made first, or the one in REPORT is taken. Screenshots go to shots/.

import { join } from "node:path";
import { check, checkNames, checkQuiet, finish, must, mustFit, open, report, shots } from "./driver.mjs";

const folder = process.env.REPORT ?? report("--families", "one-wall,maze", "--worlds", "80", "--test", "8");
const opened = await open(folder, "--disable-gpu");
const { page } = opened;

/** What a canvas shows, as text that differs where a pixel does. */
const picture = (id) => page.evaluate((id) => document.getElementById(id).toDataURL(), id);
const words = (side) => page.textContent(`#event-${side}`);
const time = () => page.$eval("#time", (slider) => Number(slider.value));
const last = () => page.$eval("#time", (slider) => Number(slider.max));
const options = (id) => page.$$eval(`#${id} option`, (all) => all.map((option) => option.textContent));
/** Moves the focus to the page itself, where no control takes the keys. */
const letGo = () => page.evaluate(() => document.activeElement.blur());
/** How many pixels of the map are of about a colour. */
const count = (id, rgb) => page.evaluate(([id, rgb]) => {
  const canvas = document.getElementById(id);
  const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  let count = 0;
  for (let i = 0; i < data.length; i += 4) count += rgb.every((value, c) => Math.abs(data[i + c] - value) < 12);
  return count;
}, [id, rgb]);

await check("the page has its parts", async () => {
  for (const part of ["#claims table", "#player", ".family figure svg", ".family table", "#settings dl"]) {
    must(await page.$(part), `${part} is missing`);
  }
  const figures = await page.$$eval(".panel > svg", (all) => all.map((svg) => svg.getBoundingClientRect().width));
  must(figures.length >= 10 && figures.every((width) => width > 200), `figures are ${figures} wide`);
});

await check("on a laptop the film comes first, with its controls in sight", async () => {
  await page.setViewportSize({ width: 1366, height: 768 });
  await page.waitForTimeout(100);
  const box = (id) => page.$eval(`#${id}`, (e) => e.getBoundingClientRect());
  for (const id of ["map-0", "map-1", "play", "time", "speed"]) {
    const { top, bottom } = await box(id);
    must(top >= 0 && bottom <= 768, `${id} is at ${top} to ${bottom}`);
  }
  must((await box("player")).top < 200, "the film is not first");
  await page.screenshot({ path: join(shots, "1366-light.png") });
  await page.setViewportSize({ width: 1280, height: 900 });
});

await check("our own planner is filmed, and shown first", async () => {
  must((await options("planner-0"))[0] === "ei:ensemble", `${await options("planner-0")}`);
  must((await page.$eval("#planner-0", (select) => select.value)) === "0", "another is shown first");
});

await check("the claims unfold", async () => {
  must(!(await page.isVisible("#claims table")), "they are unfolded from the beginning");
  must(/\d+ (hold|not)/.test(await page.textContent("#claims summary")), "not said how many hold");
  await page.click("nav a[href='#claims']");
  // The page hears of the link in an event of its own.
  const unfolded = page.waitForSelector("#claims table", { state: "visible", timeout: 5000 });
  must(await unfolded.catch(() => null), "the link does not unfold them");
  await page.click("#claims summary");
  must(!(await page.isVisible("#claims table")), "they do not fold up again");
  await page.evaluate(() => window.scrollTo(0, 0));
});

await check("both planners are drawn from the start", async () => {
  must((await time()) === 0 && (await last()) > 20, "no timeline");
  must((await words(0)).includes("not yet begun"), await words(0));
  must((await count("map-0", [74, 82, 92])) > 1000, "no obstacles");
});

await check("stepping forward and back by button changes the picture and comes back", async () => {
  const before = [await picture("map-0"), await picture("map-1")];
  await page.click("#forward");
  await page.click("#forward");
  const after = [await picture("map-0"), await picture("map-1")];
  must(before[0] !== after[0] || before[1] !== after[1], "nothing changed");
  await page.click("#back");
  await page.click("#back");
  must((await picture("map-0")) === before[0], "the picture did not come back");
});

await check("keys step, jump, play and pause", async () => {
  await page.$eval("#player", (player) => player.scrollIntoView());
  await letGo();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  must((await time()) === 3, `at ${await time()} after three steps`);
  await page.keyboard.press("ArrowLeft");
  must((await time()) === 2, `at ${await time()} after a step back`);
  await page.keyboard.press("End");
  must((await time()) === (await last()), "End does not go to the end");
  must((await words(0)).includes("over"), await words(0));
  must((await count("map-0", [0, 114, 178])) > 200, "no best path at the end");
  await page.keyboard.press("Home");
  must((await time()) === 0, "Home does not go to the beginning");
  await page.keyboard.press(" ");
  await page.waitForFunction(() => Number(document.getElementById("time").value) > 2);
  must((await page.textContent("#play")) === "Pause", "not playing");
  await page.keyboard.press(" ");
  const stopped = await time();
  await page.waitForTimeout(300);
  must((await time()) === stopped, "not paused");
});

await check("playing fast reaches the end and stops there", async () => {
  await page.selectOption("#speed", { label: "very fast" });
  await page.click("#play");
  await page.waitForFunction(() => document.getElementById("time").value === document.getElementById("time").max);
  await page.waitForFunction(() => document.getElementById("play").textContent === "Play");
  await page.selectOption("#speed", { label: "usual" });
});

await check("the mouse scrubs, and both films stay together", async () => {
  const box = await (await page.$("#time")).boundingBox();
  const seen = new Set();
  for (const share of [0.15, 0.4, 0.65, 0.9]) {
    await page.mouse.click(box.x + share * box.width, box.y + box.height / 2);
    seen.add(await picture("map-0") + await picture("map-1"));
    const spent = [];
    for (const side of [0, 1]) {
      const found = (await words(side)).match(/([\d,]+) configurations in all/);
      spent.push(found ? Number(found[1].replace(",", "")) : null);
    }
    const said = await page.getAttribute("#time", "aria-valuetext");
    const now = Number(said.match(/[\d,]+/)[0].replace(",", ""));
    must(spent.every((cost) => cost === null || cost <= now), `${spent} after ${now}`);
  }
  must(seen.size === 4, "the picture does not follow the slider");
});

await check("checks are said in words and drawn in their colours", async () => {
  await letGo();
  const said = [];
  // Every edge of a path is checked in part before one is seen to its end: that comes sooner from behind.
  for (const [first, step] of [["Home", "ArrowRight"], ["End", "ArrowLeft"]]) {
    await page.keyboard.press(first);
    for (let i = 0; i < 40; i++) {
      await page.keyboard.press(step);
      said.push(await words(0), await words(1));
    }
  }
  const all = said.join("\n");
  for (const event of [/path proposed, \d+ edges/, /check \d+: edge free, \d+ configurations/, /check \d+: edge in collision/]) {
    must(event.test(all), `never said ${event}`);
  }
  must((await count("map-1", [213, 94, 0])) > 20, "no blocked edge is drawn");
  must((await count("map-1", [0, 158, 115])) > 20, "no free edge is drawn");
});

await check("another planner, world and family are other pictures", async () => {
  const planners = await options("planner-0");
  must(planners.length >= 3, `only ${planners}`);
  const first = await picture("map-0");
  await page.selectOption("#planner-0", { label: planners[planners.length - 1] });
  const second = await picture("map-0");
  must(first !== second, "the planner makes no difference");
  await page.selectOption("#world", { index: 1 });
  const third = await picture("map-0");
  must(second !== third, "the world makes no difference");
  await page.selectOption("#family", { index: 1 });
  must((await picture("map-0")) !== third, "the family makes no difference");
  must((await time()) === 0, "another family begins at the beginning");
  await page.selectOption("#family", { index: 0 });
});

await check("a roadmap that grows is seen to grow", async () => {
  const key = () => page.$eval(".key .growing", (line) => line.hidden);
  must(await key(), "what grows is explained where nothing does");
  const before = await page.$eval("#planner-0", (select) => select.value);
  const growing = (await options("planner-0")).find((name) => name.includes("(growing)"));
  must(growing, `no growing film among ${await options("planner-0")}`);
  await page.selectOption("#planner-0", { label: growing });
  must(!(await key()), "what grows is not explained");
  await letGo();
  await page.keyboard.press("Home");
  const none = await count("map-0", [136, 85, 187]);
  const said = new Set();
  let flashed = 0;
  for (let i = 0; i < (await last()); i++) {
    await page.keyboard.press("ArrowRight");
    const now = await words(0);
    said.add(now.split(/[:;,]/)[0].replace(/\d[\d,]*/g, "n"));
    if (/tried: free/.test(now)) flashed = Math.max(flashed, await count("map-0", [45, 155, 216]));
    if (flashed > 5 && i > 600) break;
  }
  for (const event of ["shortcut tried", "the roadmap grows by n vertices and n edges", "better path"]) {
    must(said.has(event), `never said ${event}, but ${[...said]}`);
  }
  must(flashed > 5, "no shortcut flashes");
  await page.keyboard.press("End");
  must((await count("map-0", [136, 85, 187])) > none + 100, "nothing has grown on the map");
  must((await count("map-0", [0, 114, 178])) > 200, "no best path at the end");
  await (await page.$("#player")).screenshot({ path: join(shots, "growing.png") });
  await page.selectOption("#planner-0", before);
});

await check("dark and light are both drawn, by button and by preference", async () => {
  await page.fill("#time", String(Math.round((await last()) / 2)));
  const paper = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const [light, drawn] = [await paper(), await picture("map-0")];
  await page.click("#theme");
  must((await paper()) !== light && (await picture("map-0")) !== drawn, "the button changes nothing");
  must((await page.getAttribute("#theme", "aria-pressed")) === "true", "the button is not pressed");
  await page.screenshot({ path: join(shots, "1280-dark.png"), fullPage: true });
  await page.click("#theme");
  must((await picture("map-0")) === drawn, "light does not come back");
  await page.evaluate(() => delete document.documentElement.dataset.theme);
  await page.emulateMedia({ colorScheme: "dark" });
  await page.waitForFunction(() => document.getElementById("theme").textContent === "Light");
  must((await paper()) !== light, "the preference changes nothing");
  await page.emulateMedia({ colorScheme: "light" });
});

await checkNames(page, "button, select, input, canvas, [role=img]");

await check("nothing runs over at 1280 pixels", async () => {
  await mustFit(page);
  await page.screenshot({ path: join(shots, "1280-light.png"), fullPage: true });
});

await check("nothing runs over at 360 pixels", async () => {
  await page.setViewportSize({ width: 360, height: 740 });
  await page.waitForTimeout(200);
  await mustFit(page);
  const map = await page.$eval("#map-0", (canvas) => canvas.getBoundingClientRect());
  must(map.width > 100 && Math.abs(map.height / map.width - 1) < 0.1, `the map is ${map.width} x ${map.height}`);
  await page.screenshot({ path: join(shots, "360-light.png"), fullPage: true });
  await page.click("#theme");
  await page.screenshot({ path: join(shots, "360-dark.png"), fullPage: true });
  await page.click("#theme");
  await page.setViewportSize({ width: 1280, height: 900 });
});

await check("printed, it is white and without the player", async () => {
  await page.emulateMedia({ media: "print", colorScheme: "dark" });
  must(!(await page.isVisible("#player")), "the player is printed");
  must((await page.evaluate(() => getComputedStyle(document.body).backgroundColor)) === "rgb(255, 255, 255)", "not white");
  await page.emulateMedia({ media: "screen", colorScheme: "light" });
});

await checkQuiet(opened);
await finish();
