// Drives the page that compares planners in headless Chromium. Run: npm ci && node bench.mjs (from tests/browser; needs cargo and chromium)
//
// Rows are made first: planners of every kind in two sets of images, and for a small arm. Screenshots go to shots/.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { check, checkNames, checkQuiet, finish, must, mustFit, open, psmp, scratch, shots } from "./driver.mjs";

const file = (name) => join(scratch, name);
psmp("generate", "maze", "--worlds", "30", "--test", "6", "-o", file("mazes"));
psmp("generate", "one-wall", "--worlds", "30", "--test", "6", "-o", file("walls"));
psmp("bench", file("mazes"), file("walls"), "--planners", "psmp:fs,lazysp,lazysp+shortcut,ei:local+grow,rrtconnect+shortcut", "--seeds", "2",
  "--budget", "9000", "-o", file("rows.json"), "-o", file("rows.parquet"), "--page", file("results.html"));

const opened = await open(file("results.html"), "--disable-gpu");
const { page } = opened;
const rows = JSON.parse(readFileSync(file("rows.json"), "utf8"));
const lines = () => page.$$eval("#plot polyline", (all) => all.map((line) => line.getAttribute("points")));
const readout = () => page.$$eval("#readout tbody tr", (all) => all.map((row) => [...row.cells].map((cell) => cell.textContent.trim())));
const difference = () => page.textContent("#difference");
const box = (host, name) => page.locator(`#${host} label`, { hasText: name }).locator("input").first();

await check("all that was run is there", async () => {
  must((await page.title()).includes("mazes, walls"), await page.title());
  must((await page.textContent(".lead")).includes("120 runs of 5 planners in 2 sets"), await page.textContent(".lead"));
  must((await lines()).length === 5 && (await readout()).length === 5, "not a curve for each planner");
  must((await page.$$("#plot polygon")).length === 5, "no intervals");
  must((await page.$$("#summary-table tbody tr")).length === 5, "no summary");
});

await check("means are those of the rows, and intervals are around them", async () => {
  const own = rows.filter((row) => row.planner === "lazysp" && row.regret !== null);
  const mean = own.reduce((sum, row) => sum + row.regret, 0) / own.length;
  const cells = await page.$$eval("#summary-table tbody tr", (all) => all.map((row) => [...row.cells].map((cell) => cell.textContent.trim())));
  const [, , , , , , , , regret, interval] = cells.find(([name]) => name === "lazysp");
  must(Math.abs(Number(regret) - mean) < 0.0006, `${regret} instead of ${mean}`);
  const [low, high] = interval.split(" to ").map(Number);
  must(low < mean && mean < high && high - low < 1.5, interval);
});

await check("sets and planners can be left out", async () => {
  const all = await lines();
  await box("planners", "psmp:fs").uncheck();
  must((await lines()).length === 4 && (await page.$$("#world-table thead th")).length === 6, "the planner is still there");
  await box("planners", "psmp:fs").check();
  must(JSON.stringify(await lines()) === JSON.stringify(all), "another picture of the same choice");
  await box("sets", "walls").uncheck();
  must(JSON.stringify(await lines()) !== JSON.stringify(all), "the set makes no difference");
  must((await page.$$("#world-table tbody tr")).length === 6, "worlds of a set that was left out");
  await box("sets", "walls").check();
  for (const name of ["mazes", "walls"]) await box("sets", name).uncheck();
  must((await page.textContent("#plot")).includes("Nothing to draw"), "no words where there is nothing");
  for (const name of ["mazes", "walls"]) await box("sets", name).check();
});

await check("over checks and over time, as shares solved, on either axis", async () => {
  const seen = new Set();
  for (const measure of ["ratio", "solved"]) {
    for (const axis of ["cost", "time"]) {
      for (const powers of [true, false]) {
        await page.selectOption("#measure", measure);
        await page.selectOption("#axis", axis);
        await page.setChecked("#powers", powers);
        const drawn = await lines();
        must(drawn.length === 5 && !drawn.join().includes("NaN"), `${measure} ${axis} ${powers}`);
        seen.add(drawn.join("|"));
        const words = await page.textContent("#at-words");
        must(axis === "time" ? /s$/.test(words) : words.endsWith("configurations"), words);
      }
    }
  }
  must(seen.size === 8, `${seen.size} pictures of 8 choices`);
  // The share solved never falls.
  const ups = (await lines()).every((line) => {
    const heights = line.split(" ").map((point) => Number(point.split(",")[1]));
    return heights.every((y, i) => i === 0 || y <= heights[i - 1] + 0.11);
  });
  must(ups, "a share solved that falls");
  await page.setChecked("#powers", true);
});

await check("values are read anywhere on the axis, by key and by pointer", async () => {
  await page.selectOption("#measure", "solved");
  await page.focus("#at");
  await page.keyboard.press("Home");
  const before = await readout();
  await page.keyboard.press("End");
  const after = await readout();
  must(JSON.stringify(before) !== JSON.stringify(after), "the same at both ends");
  must(after.every((cells) => /^\d+%$/.test(cells[1]) && /^\d+% to \d+%$/.test(cells[2])), JSON.stringify(after));
  const plot = await page.$eval("#plot svg", (svg) => svg.getBoundingClientRect());
  await page.mouse.move(plot.left + plot.width / 2, plot.top + plot.height / 2);
  const middle = Number(await page.inputValue("#at"));
  must(middle > 20 && middle < 60, `the pointer reads at ${middle}`);
  await page.selectOption("#measure", "ratio");
  await page.selectOption("#axis", "cost");
});

await check("differences of pairs are those of the rows", async () => {
  const options = await page.$$eval("#one option", (all) => all.map((option) => option.textContent));
  await page.selectOption("#one", { label: options.find((name) => name.startsWith("psmp:fs")) });
  await page.selectOption("#other", { label: "lazysp" });
  const of = (planner) => new Map(rows.filter((row) => row.planner === planner).map((row) => [`${row.dataset} ${row.world} ${row.seed}`, row.regret]));
  const [a, b] = [of("psmp:fs"), of("lazysp")];
  const keys = [...a.keys()].filter((key) => a.get(key) !== null);
  const mean = keys.reduce((sum, key) => sum + a.get(key) - b.get(key), 0) / keys.length;
  const [, told] = (await difference()).match(/regret: ([+−-]?[\d.]+) in the mean/) ?? [];
  must(Math.abs(Number(told) - mean) < 0.0006, `${await difference()} instead of ${mean}`);
  const circles = (await page.$$("#pairs circle")).length;
  must(circles === keys.length / 2, `${circles} dots`);
  const before = await difference();
  await page.selectOption("#other", { label: "rrtconnect+shortcut" });
  must((await difference()) !== before, "another planner makes no difference");
  await page.selectOption("#scalar", "seconds");
  must((await difference()).includes("time in all"), await difference());
  await page.selectOption("#one", { label: "lazysp" });
  await page.selectOption("#other", { label: "lazysp" });
  must((await difference()) === "Choose two planners.", await difference());
  await page.selectOption("#other", { label: "rrtconnect+shortcut" });
  await page.selectOption("#scalar", "regret");
});

await check("worlds are sorted by their difference", async () => {
  const order = () => page.$$eval("#world-table tbody tr", (all) => all.map((row) => `${row.cells[0].textContent} ${row.cells[1].textContent}`));
  const byWorld = await order();
  await page.selectOption("#order", "difference");
  must((await order()).join() !== byWorld.join() && (await order()).length === byWorld.length, "the same order");
  await page.selectOption("#order", "world");
  await page.selectOption("#value", "first");
  must((await page.textContent("#world-table tbody td:nth-child(3)")).match(/\d/), "no value");
});

await check("a laptop and a phone, light and dark", async () => {
  for (const [width, height] of [[1366, 768], [400, 800]]) {
    await page.setViewportSize({ width, height });
    await page.waitForTimeout(150);
    await mustFit(page);
    const plot = await page.$eval("#plot svg", (svg) => svg.getBoundingClientRect());
    must(plot.width <= width && plot.width > 0.6 * width, `a plot of ${plot.width} in ${width}`);
    for (const look of ["light", "dark"]) {
      const paper = await page.evaluate(() => getComputedStyle(document.querySelector("section")).backgroundColor);
      must((paper === "rgb(255, 255, 255)") === (look === "light"), `${look} paper is ${paper}`);
      await page.screenshot({ path: join(shots, `bench-${width}-${look}.png`), fullPage: true });
      await page.click("#theme");
    }
  }
  await page.setViewportSize({ width: 1366, height: 768 });
});

await checkNames(page, "button, select, input");
await checkQuiet(opened);

await check("the link of a world opens the film of that run, and it plays", async () => {
  const link = page.locator("#world-table a").nth(3);
  const whose = await link.getAttribute("aria-label");
  await link.click();
  await page.waitForFunction(() => document.getElementById("event-0")?.textContent === "not yet begun");
  must(whose.includes(`world ${(await page.title()).match(/world (\d+)/)[1]} `), `${await page.title()} for ${whose}`);
  must((await page.textContent("#facts")).includes("the same paths as in the row"), await page.textContent("#facts"));
  await page.click("#play");
  await page.waitForFunction(() => Number(document.getElementById("time").value) > 2);
  await page.evaluate(() => document.activeElement.blur());
  await page.keyboard.press("End");
  must((await page.textContent("#event-0")).startsWith("over"), await page.textContent("#event-0"));
  await page.goBack();
  must((await lines()).length === 5, "the page is gone");
  const films = opened.requests.filter((url) => url !== pathToFileURL(file("results.html")).href);
  must(films.length === 1 && films[0].startsWith(pathToFileURL(file("results_films")).href), films.join());
  must(opened.complaints.length === 0, opened.complaints.join());
});

// Rows of several runs, one of an arm; the worlds of one are gone.
psmp("generate", "clutter", "--worlds", "5", "-o", file("clutter"));
psmp("bench", file("clutter"), "--robot", "panda-like", "--planners", "lazysp,rrtconnect+shortcut", "--budget", "30000", "-o", file("arm.parquet"));
const gone = readFileSync(file("rows.json"), "utf8").replaceAll(file("walls"), file("gone"));
writeFileSync(file("gone.json"), gone);
psmp("page", file("gone.json"), file("arm.parquet"), "-o", file("several.html"));
const several = await open(file("several.html"), "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader");

await check("rows of several files are one page, and a run whose world is gone says how it is filmed", async () => {
  const sets = await several.page.$$eval("#sets label", (all) => all.map((label) => label.textContent));
  must(sets.join() === "mazes,walls,clutter", sets.join());
  const button = several.page.locator("#world-table tr", { hasText: "walls" }).locator("button").first();
  await button.click();
  const command = await several.page.inputValue("#how-command");
  must(/^psmp replay \S*gone\.json \d+ --page film\.html$/.test(command), command);
  await several.page.keyboard.press("Escape");
  must(!(await several.page.isVisible("#how")), "the dialog stays");
});

await check("an arm's film has its motion", async () => {
  await several.page.locator("#world-table tr", { hasText: "clutter" }).locator("a[aria-label*=rrtconnect]").click();
  await several.page.waitForSelector("#motion-view");
  must((await several.page.textContent("#motion-words")).includes("best path"), await several.page.textContent("#motion-words"));
  must(several.complaints.length === 0, several.complaints.join());
});
await finish();
