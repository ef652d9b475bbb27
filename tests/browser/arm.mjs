// Drives the report of an arm in headless Chromium. Run: npm ci && node arm.mjs (from tests/browser; needs cargo and chromium)
//
// A small real report is made first, or the one in ARM_REPORT is taken. Screenshots go to shots/.

import { join } from "node:path";
import { check, checkNames, checkQuiet, finish, must, mustFit, open, report, shots } from "./driver.mjs";

const folder = process.env.ARM_REPORT ?? report("--seven-dof", "--worlds", "20", "--test", "2",
  "--planners", "psmp:fs,lazysp,rrtconnect+straightened");

// Software draws what a graphics card would.
const opened = await open(folder, "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader");
const { page } = opened;

/** Waits until what was changed is drawn, and takes the view as text that differs where a pixel does. */
async function view() {
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  return page.evaluate(() => document.getElementById("motion-view").toDataURL());
}
/** How many pixels of the view are about one of the page's colours, by hue alone, and how many colours there are. */
const seen = () => page.evaluate(() => {
  const view = document.getElementById("motion-view");
  const copy = document.createElement("canvas");
  [copy.width, copy.height] = [view.width, view.height];
  const pen = copy.getContext("2d");
  pen.drawImage(view, 0, 0);
  const { data } = pen.getImageData(0, 0, copy.width, copy.height);
  const colours = new Set();
  let [blue, yellow] = [0, 0];
  for (let i = 0; i < data.length; i += 4) {
    const [r, g, b] = data.slice(i, i + 3);
    colours.add((r << 16) | (g << 8) | b);
    blue += b > r + 60 && b > g + 20;
    yellow += r > b + 60 && g > b + 40;
  }
  return { colours: colours.size, blue, yellow, all: data.length / 4 };
});
const slide = (value) => page.fill("#motion-time", String(value));

await page.$eval("#motion", (section) => section.scrollIntoView());

await check("the page has its parts", async () => {
  for (const part of ["#claims table", "#motion canvas", ".family figure svg", ".family table", "#settings dl"]) {
    must(await page.$(part), `${part} is missing`);
  }
  must(!(await page.isVisible("#player")), "a player without films is shown");
});

await check("arm, scene and path are drawn", async () => {
  await view();
  const { colours, blue, yellow, all } = await seen();
  must(colours > 200, `${colours} colours`);
  must(blue > 0.005 * all && blue < 0.5 * all, `${blue} of ${all} pixels are the arm's`);
  must(yellow > 50, `${yellow} pixels are the path's`);
  await (await page.$("#motion")).screenshot({ path: join(shots, "arm-light.png") });
});

await check("the slider moves the arm and brings it back", async () => {
  const start = await view();
  const pictures = new Set([start]);
  for (const place of [250, 500, 1000]) {
    await slide(place);
    pictures.add(await view());
  }
  must(pictures.size === 4, "the picture does not follow the slider");
  must((await page.getAttribute("#motion-time", "aria-valuetext")).startsWith("100%"), "the place is not said");
  await slide(0);
  must((await view()) === start, "the picture did not come back");
});

await check("it plays to the end and stops there", async () => {
  await slide(900);
  await page.click("#motion-play");
  must((await page.textContent("#motion-play")) === "Pause", "not playing");
  await page.waitForFunction(() => document.getElementById("motion-time").value === "1000");
  await page.waitForFunction(() => document.getElementById("motion-play").textContent === "Play");
  await slide(300);
});

await check("the mouse turns the view, the wheel zooms, and reset undoes both", async () => {
  const before = await view();
  const box = await (await page.$("#motion-view")).boundingBox();
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x + 120, y + 40, { steps: 4 });
  await page.mouse.up();
  const turned = await view();
  must(turned !== before, "dragging changes nothing");
  await page.mouse.wheel(0, -300);
  await page.waitForTimeout(100);
  must((await view()) !== turned, "the wheel changes nothing");
  await page.click("#motion-reset");
  must((await view()) === before, "the view did not come back");
});

await check("the keys turn the view and leave the page where it is", async () => {
  const before = await view();
  await page.focus("#motion-view");
  const scrolled = await page.evaluate(() => window.scrollY);
  for (const key of ["ArrowRight", "ArrowUp", "+"]) await page.keyboard.press(key);
  must((await view()) !== before, "keys change nothing");
  must((await page.evaluate(() => window.scrollY)) === scrolled, "the page scrolled");
  await page.keyboard.press("Home");
  must((await view()) === before, "Home does not come back");
});

await check("bends can be hidden, and another planner goes another way", async () => {
  const before = await view();
  await page.uncheck("#motion-ghosts");
  must((await view()) !== before, "the bends stay");
  await page.check("#motion-ghosts");
  must((await view()) === before, "the bends do not come back");
  await page.check("#motion-through");
  must((await view()) !== before, "things hide what is behind them");
  await page.uncheck("#motion-through");
  must((await view()) === before, "things do not come back");
  const words = await page.textContent("#motion-words");
  must(/length [\d.]+ rad, .* after [\d,]+ configurations/.test(words), words);
  // The last one plans without a roadmap.
  const planners = await page.$$eval("#motion-planner option", (all) => all.length);
  await page.selectOption("#motion-planner", { index: planners - 1 });
  must((await page.textContent("#motion-words")) !== words, "the words are the same");
  must((await view()) !== before, "the motion is the same");
  await page.selectOption("#motion-planner", { index: 0 });
});

await check("dark and light are both drawn", async () => {
  const light = await view();
  await page.click("#theme");
  must((await view()) !== light, "dark changes nothing");
  await (await page.$("#motion")).screenshot({ path: join(shots, "arm-dark.png") });
  await page.click("#theme");
  must((await view()) === light, "light does not come back");
});

await checkNames(page, "#motion button, #motion select, #motion input, #motion canvas");

await check("nothing runs over at 1280 and 360 pixels", async () => {
  await mustFit(page);
  await page.screenshot({ path: join(shots, "arm-1280.png"), fullPage: true });
  await page.setViewportSize({ width: 360, height: 740 });
  await view();
  await mustFit(page);
  const { blue, all } = await seen();
  must(blue > 0.005 * all, "no arm on a small screen");
  await (await page.$("#motion")).screenshot({ path: join(shots, "arm-360.png") });
  await page.setViewportSize({ width: 1280, height: 900 });
});

await checkQuiet(opened);

const without = await open(folder, "--disable-gpu", "--disable-3d-apis");
await check("without WebGL there is a still picture", async () => {
  must(!(await without.page.$("#motion-view")), "the canvas is still there");
  must(!(await without.page.isVisible("#motion-play")), "controls without a view");
  const still = await without.page.$("#motion .panel > svg");
  must(still && (await still.boundingBox()).width > 200, "no picture");
  await (await without.page.$("#motion")).screenshot({ path: join(shots, "arm-still.png") });
});
await checkQuiet(without, " without WebGL");
await finish();
