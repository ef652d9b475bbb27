// What the tests share: a report, made small unless one is given; a page of it in headless Chromium;
// and checks that are counted.

import { chromium } from "playwright-core";
import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
export const shots = join(here, "shots");
mkdirSync(shots, { recursive: true });
export const scratch = mkdtempSync(join(tmpdir(), "psmp-report-"));

let program = process.env.PSMP;

const root = join(here, "../..");

/**
 * The program in PSMP, or as the tests have built it, so that nothing is built once more: with an example in it cargo
 * takes the features of dependencies that tests have.
 */
function built() {
  if (!program) {
    const build = ["build", "--quiet", "--workspace", "--locked", "--bin", "psmp", "--example", "events"];
    execFileSync("cargo", build, { cwd: root, stdio: "inherit" });
    program = join(process.env.CARGO_TARGET_DIR ?? join(root, "target"), "debug", "psmp");
  }
  return program;
}

/** Runs psmp. */
export function psmp(...options) {
  execFileSync(built(), options, { cwd: root, stdio: ["ignore", "ignore", "inherit"] });
}

/** Starts psmp with `--live`; returns it with its address, and with a promise of how it ends. */
export async function live(...options) {
  const child = spawn(built(), [...options, "--live"], { cwd: root, stdio: ["ignore", "ignore", "pipe"] });
  children.push(child);
  const ended = new Promise((done) => child.on("exit", (code, signal) => done(code ?? signal)));
  let said = "";
  const address = await new Promise((done, fail) => {
    child.stderr.on("data", (data) => {
      said += data;
      const told = said.match(/http:\/\/127\.0\.0\.1:\d+\/[0-9a-f]{32}\//);
      if (told) done(told[0]);
    });
    child.on("exit", () => fail(new Error(`psmp has ended: ${said}`)));
  });
  return { child, address, ended };
}

/** Makes a small real report with these options; returns its folder. */
export function report(...options) {
  const folder = join(scratch, "report");
  psmp("reproduce", "--quick", "-o", folder, ...options);
  return folder;
}

const contexts = [];
const children = [];

/**
 * Opens a page, that of a report's folder, or an address; what the console complains about and what is requested from
 * elsewhere is collected.
 */
export async function open(path, ...args) {
  const isAddress = path.startsWith("http://");
  const url = isAddress ? path : pathToFileURL(path.endsWith(".html") ? path : join(path, "index.html")).href;
  const context = await chromium.launchPersistentContext(join(scratch, `profile-${contexts.length}`), {
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    headless: true,
    args: ["--no-sandbox", "--disable-quic", "--no-first-run", "--disable-background-networking",
      "--disable-component-update", "--disable-sync", ...args],
    viewport: { width: 1280, height: 900 },
    colorScheme: "light",
  });
  contexts.push(context);
  const page = context.pages()[0] ?? (await context.newPage());
  page.setDefaultTimeout(15000);
  const complaints = [];
  const requests = [];
  // Reading pixels back, as these tests do, is what the warnings let pass are about.
  const ours = (text) => /willReadFrequently|GPU stall due to ReadPixels/.test(text);
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type()) && !ours(message.text())) complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("request", (request) => {
    const isOwn = isAddress ? request.url().startsWith(url) : request.url() === url;
    if (!isOwn && !request.url().startsWith("data:")) requests.push(request.url());
  });
  await page.goto(url);
  return { page, complaints, requests };
}

let passed = 0;
let failed = 0;
export async function check(name, body) {
  try {
    await body();
    passed += 1;
    console.log(`ok      ${name}`);
  } catch (error) {
    failed += 1;
    console.log(`FAILED  ${name}\n        ${String(error).split("\n")[0]}`);
  }
}
export function must(condition, what) {
  if (!condition) throw new Error(what);
}

/** The page is not wider than its window. */
export async function mustFit(page) {
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  must(overflow <= 0, `${overflow} pixels too wide`);
}

/** Whether everything that `selector` selects has a name. */
export async function checkNames(page, selector) {
  await check("every control has a name", async () => {
    const nameless = await page.$$eval(selector, (all) =>
      all.filter((e) => !(e.getAttribute("aria-label") || e.closest("label")?.textContent.trim() || e.textContent.trim())).map((e) => e.outerHTML.slice(0, 80)));
    must(nameless.length === 0, nameless.join(" "));
  });
}

/** Whether nothing was complained about and nothing requested. */
export async function checkQuiet({ complaints, requests }, where = "") {
  await check(`no complaint on the console and no request${where}`, async () => {
    must(complaints.length === 0, complaints.join("; "));
    must(requests.length === 0, requests.join("; "));
  });
}

/** Cleans up, says how it went, and ends. */
export async function finish() {
  for (const context of contexts) await context.close();
  for (const child of children) child.kill("SIGKILL");
  rmSync(scratch, { recursive: true, force: true });
  console.log(`${passed} passed, ${failed} failed`);
  process.exit(failed ? 1 : 0);
}
