// Takes the picture of README.md: node pictures.mjs REPORT PICTURE, with the paths of a page and of the picture.
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const [report, picture] = process.argv.slice(2).map((path) => resolve(path));
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM, args: process.getuid() === 0 ? ["--no-sandbox"] : [] });
const page = await browser.newPage({ viewport: { width: 1100, height: 900 } });
await page.goto(pathToFileURL(report).href);
await page.waitForFunction(() => ArenaReplay.state()?.loaded);
await page.screenshot({ path: picture });
await browser.close();
