// Opens addresses in Chromium at two widths, light and dark, and prints as JSON what is to be seen there.
// node look.js FOLDER ADDRESS.. : pictures go to FOLDER, unless that is `-`.
"use strict";

const { chromium } = require("playwright-core");

const MODES = [[1920, "light"], [1920, "dark"], [390, "light"], [390, "dark"]];
const WITHIN = { timeout: 60_000 };

/** How many charts have something in them that is not grey. */
function filled() {
  return [...document.querySelectorAll("canvas")].filter((canvas) => {
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    return data.some((red, at) => at % 4 === 0 && data[at + 3] > 99 && Math.abs(red - data[at + 2]) > 99);
  }).length;
}

/** What the page says while it is held still, and whether another question lets it go. */
async function hold(page) {
  await page.click("#pause");
  const said = await page.innerText("#status");
  await page.selectOption("#since", "15m");
  return [said.split(" ")[0], await page.getAttribute("#pause", "aria-pressed")];
}

/** Asks about each metric in turn by the keyboard alone, and says at what the keyboard is then. */
async function choose(page) {
  await page.focus("#question select");
  for (let turn = 0; turn < 2; turn += 1) {
    const before = page.url();
    await page.keyboard.press("ArrowDown");
    await page.waitForFunction((before) => location.href !== before, before, WITHIN);
  }
  return page.evaluate(() => document.activeElement.name);
}

/** Looks at one address. */
async function look(context, address, picture) {
  const page = await context.newPage();
  const [errors, requests] = [[], []];
  page.on("console", (message) => ["error", "warning"].includes(message.type()) && errors.push(message.text()));
  page.on("pageerror", (error) => errors.push(String(error)));
  page.on("dialog", (dialog) => { errors.push("a dialog opened"); dialog.dismiss(); });
  page.on("request", (request) => requests.push(request.url()));
  await page.goto(address, WITHIN);
  await page.waitForSelector(".panel", WITHIN);
  // Two frames later all of it is drawn.
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  await page.evaluate(() => document.querySelectorAll("details").forEach((details) => { details.open = true; }));
  const seen = await page.evaluate(() => ({
    text: document.body.innerText,
    status: document.getElementById("status").innerText,
    made: document.querySelectorAll("#panels script, #panels img, #panels iframe, #panels b i").length,
    charts: document.querySelectorAll("canvas").length,
    overflows: document.documentElement.scrollWidth > innerWidth,
    offered: document.querySelectorAll("#question option").length,
    links: [...document.querySelectorAll("#panels a[href]")].length,
  }));
  seen.filled = await page.evaluate(filled);
  // From the top, the keyboard comes to the link past the navigation first.
  await page.keyboard.press("Tab");
  seen.first = await page.evaluate(() => document.activeElement.innerText);
  const title = await page.title();
  await page.keyboard.press("Enter");
  const at = await page.evaluate(() => document.activeElement.id);
  seen.skips = at === "panels" && await page.title() === title;
  await page.evaluate(() => document.querySelectorAll("details").forEach((details) => { details.open = false; }));
  if (picture) await page.screenshot({ path: picture, fullPage: true });
  if (address.startsWith("http:")) seen.held = await hold(page);
  if (address.endsWith("/metric") && seen.offered > 2) seen.chosen = await choose(page);
  await page.close();
  return { ...seen, errors, requests };
}

async function main() {
  const [folder, ...addresses] = process.argv.slice(2);
  const args = ["--no-sandbox", "--disable-dev-shm-usage"];
  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM || "/usr/bin/chromium", args });
  const looks = [];
  for (const [width, colorScheme] of MODES) {
    const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme });
    for (const address of addresses) {
      const name = new URL(address.replace("#", "/")).pathname.split("/").pop() || "fleet";
      const picture = folder === "-" ? "" : `${folder}/${name}-${width}-${colorScheme}.png`;
      looks.push({ address, width, colorScheme, ...await look(context, address, picture) });
    }
    await context.close();
  }
  await browser.close();
  console.log(JSON.stringify(looks));
}

main();
