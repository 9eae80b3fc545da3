import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { configurationPage } from "../../../scripts/configuration-page.js";
import { parseConfig } from "../../../src/node/config/config.js";
import { isIdle } from "../../../src/node/config/setting.js";
import { allSettings, settingOf } from "../../../src/node/config/settings-table.js";

const ROOM = join("src", "node", "config");
const sources = readdirSync("src", { recursive: true, encoding: "utf8" })
	.filter((path) => path.endsWith(".ts") && !path.includes("generated"))
	.map((path) => ({ path: join("src", path), text: readFileSync(join("src", path), "utf8") }));
const room = sources.filter(({ path }) => path.startsWith(ROOM));
/** Outside of the room, without comments in lines of their own. */
const others = sources
	.filter(({ path, text }) => !path.startsWith(ROOM) && /config|limits|options/i.test(text))
	.map(({ text }) => ({ text: text.replace(/^\s*(\/?\*|\/\/).*$/gm, "") }));

/** Members of the room's interfaces whose names end in Config, and of the sections in them. */
function membersOf(files: readonly { readonly text: string }[]): { owner: string; member: string }[] {
	return files.flatMap(({ text }) =>
		[
			...text.matchAll(
				/export interface (\w*(?:Config|Section|Listeners|Witness|Asset))\b[^{]*\{\n([\s\S]*?)\n\}/g,
			),
		].flatMap(([, owner = "", body = ""]) =>
			[...body.matchAll(/^\treadonly (\w+)\??:/gm)].map(([, member = ""]) => ({ owner, member })),
		),
	);
}

/** Whether a file outside of the room takes a member of a configuration: `.member`, or a name in `{ … }`. */
function isRead(member: string, readers: readonly { readonly text: string }[]): boolean {
	const taken = new RegExp(
		`[\\w)\\]]\\??\\.${member}\\b(?!\\()|\\{[^{}\\n]*\\b${member}\\b[^{}\\n]*\\}+[^{}\\n]*(=|Config|Options|Genesis)`,
	);
	return readers.some(({ text }) => taken.test(text));
}

describe("the table of settings", () => {
	it("has no key with an effect that the configuration doesn't read", () => {
		const config = parseConfig(
			`storage {}
			node { maxActiveNodes = 2, connectFactor = 0.5, activeConnectFactor = 0.5 }
			log.level { root = info }
			genesis.block {
				timestamp = 0, parentHash = 00
				assets = [{ accountName = a, accountType = Normal, address = TErGVpctkrkeAoEbYpDito5edEKsQDYt9X, balance = 1 }]
				witnesses = [{ address = TErGVpctkrkeAoEbYpDito5edEKsQDYt9X, url = a, voteCount = 1 }]
			}
			rate.limiter.http = [{ component = a, strategy = QpsRateLimiterAdapter, paramString = "qps=1" }]
			rate.limiter.rpc = [{ component = a, strategy = QpsRateLimiterAdapter, paramString = "qps=1" }]
			event.subscribe { topics = [{ triggerName = block, enable = true, topic = a }], webhooks = [{ name = a, url = "http://a" }] }
			dev.seal = instant`,
		);
		const plain = parseConfig("storage {}");
		const read = new Set(
			[...config.settings, ...plain.settings].map(({ path }) => settingOf(path)?.path ?? `? ${path}`),
		);
		const unread = allSettings.filter(({ path, row }) => !isIdle(row) && !read.has(path));
		expect(unread.map(({ path }) => path)).toEqual([]);
		expect([...read].filter((path) => path.startsWith("?"))).toEqual([]);
	});

	it("has no value that is read and dropped: each member of the configuration is used outside of its room", () => {
		const members = membersOf(room);
		expect(members.length).toBeGreaterThan(100);
		expect(members.filter(({ member }) => !isRead(member, others))).toEqual([]);
	});

	it("would find a planted one", () => {
		const planted = [{ text: "export interface RpcConfig {\n\treadonly plantedThreads: number;\n}" }];
		expect(membersOf(planted).filter(({ member }) => !isRead(member, others))).toEqual([
			{ owner: "RpcConfig", member: "plantedThreads" },
		]);
	});

	it("names every key of a development chain that is not a flag as unknown", () => {
		expect(parseConfig("storage {}\ndev.blokTime = 3").unknownKeys).toEqual([
			{ path: "dev.blokTime", line: 2 },
		]);
	});

	it("is what npm run document writes into docs/configuration.md", () => {
		expect(readFileSync("docs/configuration.md", "utf8")).toBe(configurationPage());
	});
});
