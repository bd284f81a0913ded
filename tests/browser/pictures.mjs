// Takes the pictures of README.md: node pictures.mjs FOLDER PICTURES, with FOLDER/league and FOLDER/league.txt.
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const [folder, pictures] = process.argv.slice(2).map((path) => resolve(path));
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM, args: process.getuid() === 0 ? ["--no-sandbox"] : [] });
const report = pathToFileURL(join(folder, "league", "report.html")).href;

const take = async (name, url, options, prepare) => {
  const page = await browser.newPage(options);
  await page.goto(url);
  await prepare?.(page);
  await page.screenshot({ path: join(pictures, `${name}.png`) });
  await page.close();
};

const loaded = (page) => page.waitForFunction(() => ArenaReplay.state()?.loaded);
await take("report", report, { viewport: { width: 1100, height: 900 } }, loaded);
await take("replay", `${report}#game=3&turn=12`, { viewport: { width: 1100, height: 620 } }, async (page) => {
  await loaded(page);
  await page.evaluate(() => document.querySelector(".ar-stage").scrollIntoView({ behavior: "instant" }));
});
// What a terminal shows: letters with the colours and weights that the program asked for.
const CLASSES = { 1: "font-weight:bold", 2: "opacity:.6", 31: "color:#ff8078", 32: "color:#52c78c", 33: "color:#e3bd3f" };
const escaped = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
const lines = `$ arena run league.toml\n${readFileSync(join(folder, "league.txt"), "utf8")}`.trimEnd().replace(/\S*browser\/league/, "results/league");
let style = "";
const coloured = lines.split(/\x1b\[([\d;]*)m/).map((part, at) => {
  if (at % 2 === 0) return `<span style="${style}">${escaped(part)}</span>`;
  style = part === "0" || part === "" ? "" : `${style};${part.split(";").map((code) => CLASSES[code] ?? "").join(";")}`;
  return "";
}).join("");
const terminal = `<pre style="margin:0;padding:16px 24px;background:#14161a;color:#e4e6ea;font:15px/1.35 monospace">${coloured}</pre>`;
const height = 40 + Math.ceil(lines.split("\n").length * 15 * 1.35);
await take("terminal", "about:blank", { viewport: { width: 1180, height } }, (page) => page.setContent(`<body style="margin:0;background:#14161a">${terminal}`));
await browser.close();
