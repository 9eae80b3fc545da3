/**
 * Walks through the explorer of a development chain in a real browser, on the width of a desk, a tablet and a phone, light and dark: every
 * view is there with what it is for, nothing is wider than the screen, axe finds nothing, no request leaves the node, a stranger's text
 * stays text, the first view is there within a second and the script within its size; then uses it: forms, storage, history,
 * the owner's methods, live blocks, search, keyboard.
 *
 * `npm run test:browser`. The browser comes from the package registry into a folder of its own; where it can't be had, the
 * walk is skipped with a sentence.
 */

import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import {
	ownChain,
	search,
	useChart,
	useContract,
	useExtension,
	useHistory,
	watchHead,
	watchPayment,
} from "./actions.js";
import { type Browser, openBrowser } from "./browser.js";
import { type Chain, makeChain } from "./chain.js";
import { Walk } from "./walk.js";

const MAX_SCRIPT_BYTES = 60_000;
const FIRST_VIEW_MS = 1_000;

interface RunningNode {
	readonly gateway: string;
	readonly http: string;
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
			const { ports } = JSON.parse(readFileSync(ready, "utf8")) as { ports: Record<string, number> };
			const at = (name: string): string => `http://127.0.0.1:${ports[name]}`;
			return { gateway: at("gateway"), http: at("full"), stop };
		} catch {
			await delay(200);
		}
	}
	stop();
	throw new Error("the node doesn't start");
}

/** Each view, and what people come to it for. */
function views(chain: Chain): readonly (readonly [path: string, texts: readonly string[]])[] {
	return [
		[
			"",
			["Last blocks", "Last transactions", "Transactions a second", "the head itself", "votes count anew in"],
		],
		["blocks/9", ["Blocks 0 to 8", "Newer"]],
		["block/9", ["Block 9", "Bandwidth", "As the chain keeps it"]],
		[`tx/${chain.payment}`, ["succeeded, final", "12.5 coin", "rent for May", "signed", "+12.5 coin"]],
		[
			`tx/${chain.called}`,
			[
				"calls set(next: 7, note: seven) of",
				"set(uint256,string)",
				"Changed(address,uint256,string)",
				"energy of its own",
				"As the chain keeps it",
				"paid[T",
			],
		],
		[`tx/${chain.custom}`, ["failed", "TooLarge(given: 5000, limit: 1000)"]],
		[`tx/${chain.panic}`, ["division by zero (panic 0x12)"]],
		[`tx/${chain.reverted}`, [chain.reason]],
		[`tx/${chain.tokenPayment}`, ["Tokens moved", "12.34", "Acorns"]],
		[`tx/${chain.twoKeys}`, ["3 of 3 needed", "didn't sign"]],
		[`account/${chain.shared}`, ["Enough is any of these", "always needed", "The line stands at 3 of 4"]],
		[`account/${chain.staker}`, ["QR code", "50 coin", "can be withdrawn", "Votes", "in 6 h"]],
		[`account/${chain.payer}`, ["Acorns", "10,000"]],
		[
			`account/${chain.store}`,
			[
				"Created by",
				"tab:Transactions",
				"History",
				"tab:Events",
				"Changed",
				"tab:Storage",
				"mapping(address => uint256)",
				"tab:Code",
				"pragma solidity",
			],
		],
		[`account/${chain.hostile}`, ["tab:Code", "Nobody has given this node sources"]],
		["pending", []],
		["tokens", ["Acorns", "Tokens of contracts, seen lately", "No node lists all"]],
		[
			`token/${chain.token}`,
			["<i>nuts</i>", "javascript:alert(1)", "Transfers from and to its issuer", "12.34"],
		],
		["witnesses", ["Missed", "coin"]],
		[`witness/${chain.producer}`, ["Blocks missed", "Reward to withdraw"]],
		["proposals", ["ENERGY_FEE = 110 (0.00011 coin)", "APPROVED"]],
		["proposal/1", ["Approvals", chain.producer]],
		["parameters", ["110 since", "proposal 1"]],
		["peers", ["Release"]],
		["charts", ["Block fill", "block 0", "0 %", "Time between blocks", "Price of an energy: 0.00011 coin"]],
		["development", ["Faucet", "Impersonation"]],
	];
}

const SIZES = [
	[1280, "light"],
	[1280, "dark"],
	[768, "light"],
	[768, "dark"],
	[390, "light"],
	[390, "dark"],
] as const;

async function lookAtAll(walk: Walk, chain: Chain): Promise<void> {
	const shots = process.env["COIN_SCREENSHOTS"];
	for (const [width, scheme] of SIZES) {
		await walk.page.setViewport({ width, height: 800 });
		await walk.page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
		for (const [index, [path, texts]] of views(chain).entries()) {
			await walk.look(path, texts, `${width} ${scheme} ${path || "home"}`);
			const name = `${width}-${scheme}-${String(index).padStart(2, "0")}-${path.split("/")[0] || "home"}`;
			if (shots !== undefined)
				await walk.page.screenshot({
					path: `${shots}/${name}.webp`,
					type: "webp",
					quality: 50,
					fullPage: true,
				});
		}
	}
	for (const element of ["b", "i"])
		if (await walk.page.evaluate(`document.querySelector('main ${element}') !== null`))
			walk.faults.push("a stranger's text became an element");
}

/** How long the first view takes in a browser that has seen nothing yet, and how large the script is. */
async function measure(browser: Browser, gateway: string, faults: string[]): Promise<string> {
	const page = await browser.newPage();
	await page.evaluateOnNewDocument(
		`new MutationObserver(() => {
			if (document.querySelector("main table") && window.shownMs === undefined) window.shownMs = performance.now();
		}).observe(document, { childList: true, subtree: true })`,
	);
	await page.goto(`${gateway}/explorer/`);
	await page.waitForFunction("window.shownMs !== undefined");
	const ms = Math.round(Number(await page.evaluate("window.shownMs")));
	await page.close();
	const script = Buffer.from(await (await fetch(`${gateway}/explorer/explorer.js`)).arrayBuffer());
	const bytes = gzipSync(script, { level: 9 }).length;
	if (bytes > MAX_SCRIPT_BYTES) faults.push(`the script has ${bytes} bytes compressed`);
	if (ms > FIRST_VIEW_MS) faults.push(`the first view takes ${ms} ms`);
	return `script ${bytes} bytes compressed, first view ${ms} ms`;
}

async function walkThrough(browser: Browser, axe: string, node: RunningNode): Promise<Walk> {
	const walk = new Walk(await browser.newPage(), node.gateway, axe);
	const chain = await makeChain(node.gateway);
	process.stdout.write(`${await measure(browser, node.gateway, walk.faults)}\n`);
	await lookAtAll(walk, chain);
	await watchHead(walk);
	await watchPayment(walk, chain);
	await useContract(walk, chain);
	await useExtension(walk, chain);
	await useHistory(walk, chain);
	await useChart(walk);
	await search(walk, chain);
	await ownChain(walk, chain);
	return walk;
}

/** The plain HTTP server has no JSON-RPC of its own: the page asks over its WebSocket. */
async function otherPort(browser: Browser, axe: string, node: RunningNode, faults: string[]): Promise<void> {
	const walk = new Walk(await browser.newPage(), node.http, axe);
	await walk.look("block/1", ["Block 1"], "HTTP server");
	const live = "document.getElementById('head').textContent.endsWith('live')";
	await walk.page.waitForFunction(live).catch(() => faults.push("the head of the HTTP server is not live"));
	await walk.look("development", ["The development methods are on the gateway's port"], "HTTP server");
	faults.push(...walk.faults);
}

const opened = await openBrowser();
if (opened) {
	const node = await startNode();
	let faults: readonly string[] = ["the walk ended early"];
	try {
		const walk = await walkThrough(opened.browser, opened.axe, node);
		await otherPort(opened.browser, opened.axe, node, walk.faults);
		faults = walk.faults;
		process.stdout.write(`${walk.views} views, ${faults.length} faults\n${faults.join("\n")}\n`);
	} finally {
		node.stop();
		await opened.browser.close();
	}
	process.exitCode = faults.length > 0 ? 1 : 0;
}
