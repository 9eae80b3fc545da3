/**
 * Walks through the explorer of a development chain in a real browser, on a desk's width and a phone's, light and dark: every
 * view is there, nothing is wider than the screen, axe finds nothing, no request leaves the node, and a stranger's text stays text.
 *
 * `npm run test:browser`. The browser comes from the package registry into a folder of its own; where it can't be had, the
 * walk is skipped with a sentence.
 */

import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { makeChain } from "./chain.js";

const FOLDER = process.env["COIN_BROWSER_FOLDER"] ?? join(homedir(), ".cache", "coin-browser");
const PACKAGES = ["@sparticuz/chromium@153.0.0", "puppeteer-core@25.16.0", "axe-core@4.14.1"];

/** What is used of a page of puppeteer-core. */
interface Page {
	on(event: string, listener: (value: { url(): string; message: string }) => void): void;
	goto(url: string): Promise<unknown>;
	setViewport(size: { width: number; height: number }): Promise<void>;
	emulateMediaFeatures(features: { name: string; value: string }[]): Promise<void>;
	waitForFunction(code: string): Promise<unknown>;
	evaluate(code: string): Promise<unknown>;
	type(selector: string, text: string): Promise<void>;
	keyboard: { press(key: string): Promise<void> };
	screenshot(options: { path: string; quality: number; type: "webp" }): Promise<unknown>;
}
interface Browser {
	newPage(): Promise<Page>;
	close(): Promise<void>;
}

async function openBrowser(): Promise<{ browser: Browser; axe: string } | undefined> {
	mkdirSync(FOLDER, { recursive: true });
	const require = createRequire(join(FOLDER, "x.js"));
	const load = async (name: string) =>
		(await import(pathToFileURL(require.resolve(name)).href)) as { default: unknown };
	try {
		require.resolve("puppeteer-core");
	} catch {
		const args = ["install", "--ignore-scripts", "--no-save", "--prefix", FOLDER, ...PACKAGES];
		spawnSync("npm", args, { stdio: "ignore", timeout: 300_000 });
	}
	try {
		const chromium = (await load("@sparticuz/chromium")).default as {
			args: string[];
			executablePath(): Promise<string>;
		};
		const puppeteer = (await load("puppeteer-core")).default as { launch(options: object): Promise<Browser> };
		const executablePath = process.env["COIN_BROWSER"] ?? (await chromium.executablePath());
		const args = [...chromium.args, "--no-sandbox"];
		const browser = await puppeteer.launch({ args, executablePath, headless: "shell" });
		return { browser, axe: readFileSync(require.resolve("axe-core/axe.min.js"), "utf8") };
	} catch (error) {
		process.stdout.write(`skipped: there is no browser here (${String(error).split("\n")[0]})\n`);
		return undefined;
	}
}

interface RunningNode {
	readonly gateway: string;
	stop(): void;
}

async function startNode(): Promise<RunningNode> {
	const folder = mkdtempSync(join(tmpdir(), "coin-browser-"));
	const ready = join(folder, "ready");
	const flags = ["port", "http-port", "solidity-port", "jsonrpc-port", "grpc-port", "grpc-solidity-port"];
	const ports = flags.flatMap((flag, index) => [`--${flag}`, String(29_790 + index)]);
	const child = spawn(
		process.execPath,
		["bin/coin.js", "node", "start", "--dev", "--ready-file", ready, ...ports],
		{ stdio: "ignore" },
	);
	const stop = (): void => {
		child.kill();
		rmSync(folder, { recursive: true, force: true });
	};
	for (let tries = 0; tries < 100; tries++) {
		try {
			const record = JSON.parse(readFileSync(ready, "utf8")) as { ports: { gateway: number } };
			return { gateway: `http://127.0.0.1:${record.ports.gateway}`, stop };
		} catch {
			await delay(200);
		}
	}
	stop();
	throw new Error("the node doesn't start");
}

const faults: string[] = [];

async function look(page: Page, url: string, axe: string, where: string): Promise<string> {
	await page.goto(url);
	await page.waitForFunction(
		"document.querySelector('main h1') && !document.querySelector('main').hasAttribute('aria-busy')",
	);
	await delay(300);
	const text = String(await page.evaluate("document.querySelector('main').innerText"));
	if (text.startsWith("Not shown")) faults.push(`${where}: ${text}`);
	if (await page.evaluate("document.documentElement.scrollWidth > window.innerWidth"))
		faults.push(`${where}: too wide`);
	await page.evaluate(axe);
	const found = await page.evaluate(
		"axe.run().then((r) => r.violations.map((v) => v.id + ': ' + v.nodes[0].html))",
	);
	for (const each of found as string[]) faults.push(`${where}: axe ${each}`);
	return text;
}

const SIZES = [
	[1280, "light"],
	[380, "dark"],
] as const;

async function walk(browser: Browser, axe: string, gateway: string): Promise<number> {
	const page = await browser.newPage();
	page.on("pageerror", (error) => faults.push(`script: ${error.message}`));
	page.on("request", (request) => {
		if (!request.url().startsWith(gateway) && !request.url().startsWith("data:"))
			faults.push(`asked ${request.url()}`);
	});
	const chain = await makeChain(gateway);
	const expected: readonly (readonly [path: string, text: string])[] = [
		["", "Last blocks"],
		["block/1", "Block 1"],
		[`tx/${chain.reverted}`, chain.reason],
		[`tx/${chain.called}`, "Transfer(address,address,uint256)"],
		[`account/${chain.account}`, "Permissions"],
		[`account/${chain.contract}`, "Created by"],
		...["pending", "tokens", "witnesses", "proposals", "parameters", "peers", "charts", "development"].map(
			(name) => [name, ""] as const,
		),
	];
	for (const [width, scheme] of SIZES) {
		await page.setViewport({ width, height: 800 });
		await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
		for (const [path, text] of expected) {
			const where = `${width} ${path || "home"}`;
			const shown = await look(page, `${gateway}/explorer/#/${path}`, axe, where);
			if (!shown.includes(text)) faults.push(`${where}: lacks "${text}"`);
			const shots = process.env["COIN_SCREENSHOTS"];
			const name = `${shots}/${width}-${path.split("/")[0] || "home"}.webp`;
			if (shots !== undefined) await page.screenshot({ path: name, type: "webp", quality: 50 });
		}
	}
	await search(page, gateway, chain.called);
	if (await page.evaluate("document.querySelector('main b') !== null"))
		faults.push("a stranger's text became an element");
	return SIZES.length * expected.length;
}

/** By keyboard alone: from the search field to the transaction. */
async function search(page: Page, gateway: string, id: string): Promise<void> {
	await page.goto(`${gateway}/explorer/#/`);
	await page.waitForFunction("document.querySelector('main h1')");
	await page.type("#query", id);
	await page.keyboard.press("Enter");
	await page
		.waitForFunction(`location.hash === '#/tx/${id}'`)
		.catch(() => faults.push("the search finds no transaction"));
}

const opened = await openBrowser();
if (opened) {
	const node = await startNode();
	try {
		const views = await walk(opened.browser, opened.axe, node.gateway);
		process.stdout.write(`${views} views, ${faults.length} faults\n${faults.join("\n")}\n`);
	} finally {
		node.stop();
		await opened.browser.close();
	}
	process.exitCode = faults.length > 0 ? 1 : 0;
}
