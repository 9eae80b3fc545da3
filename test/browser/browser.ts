/** A browser from the package registry, in a folder of its own, and the little of it that is used. */

import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { homedir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const FOLDER = process.env["COIN_BROWSER_FOLDER"] ?? join(homedir(), ".cache", "coin-browser");
const PACKAGES = ["@sparticuz/chromium@153.0.0", "puppeteer-core@25.16.0", "axe-core@4.14.1"];

interface Shot {
	readonly path: string;
	readonly quality: number;
	readonly type: "webp";
	readonly fullPage?: boolean;
}

/** What is used of a page of puppeteer-core. */
export interface Page {
	on(event: string, listener: (value: { url(): string; message: string }) => void): void;
	goto(url: string): Promise<unknown>;
	reload(): Promise<unknown>;
	setViewport(size: { width: number; height: number }): Promise<void>;
	emulateMediaFeatures(features: { name: string; value: string }[]): Promise<void>;
	waitForFunction(code: string, options?: { timeout: number }): Promise<unknown>;
	evaluate(code: string): Promise<unknown>;
	evaluateOnNewDocument(code: string): Promise<unknown>;
	type(selector: string, text: string): Promise<void>;
	click(selector: string): Promise<void>;
	keyboard: { press(key: string): Promise<void> };
	screenshot(options: Shot): Promise<unknown>;
	close(): Promise<void>;
}

export interface Browser {
	newPage(): Promise<Page>;
	close(): Promise<void>;
}

/** The browser, and the script of axe; undefined where there is none, which is told. */
export async function openBrowser(): Promise<{ browser: Browser; axe: string } | undefined> {
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
