import { describe, expect, it } from "vitest";
import { parseConfig } from "../../../src/node/config/config.js";

const NATIVE = "native { useNativeQueue = true }";
const parse = (section: string, options = { events: true }) =>
	parseConfig(`storage {}\nevent.subscribe { ${section} }`, "f", options);
const topic = (kind: string, name: string): string =>
	`topics = [{ triggerName = ${kind}, enable = true, topic = "${name}" }]`;
const events = (section: string) => {
	const { events } = parse(section);
	if (!events) throw new Error("no events");
	return events;
};
const filter = (from: string, to: string, more = 'contractAddress = [""], contractTopic = [""]') =>
	events(`${NATIVE}, filter { fromblock = "${from}", toblock = "${to}", ${more} }`).filter;

describe("event.subscribe", () => {
	it("is used only where the start asks for events", () => {
		expect(parse(NATIVE, { events: false }).events).toBeUndefined();
		const file = (release: string) =>
			`storage {}\nnode.release = "${release}"\nevent.subscribe { enable = true, ${NATIVE} }`;
		expect(parseConfig(file("4.8.1")).events).toBeUndefined();
		expect(parseConfig(file("4.8.2")).events).toBeDefined();
	});

	it("has the defaults of the network's node", () => {
		expect(events(NATIVE)).toEqual({
			version: 0,
			startBlock: 0n,
			parsesLogs: true,
			tellsRemoved: true,
			topics: new Map(),
			filter: undefined,
			receivers: [
				{
					is: "zeromq",
					name: "the native queue",
					topics: new Map(),
					archive: undefined,
					hasPosition: false,
					port: 5555,
					config: { port: 5555, highWaterMark: 1000 },
				},
			],
		});
	});

	it("reads topics as texts; the later of two counts, and an unknown one for nothing", () => {
		const { topics } = events(`${NATIVE}, topics = [
			{ triggerName = Block, enable = TRUE, topic = a, solidified = true }
			{ triggerName = nothing, enable = true, topic = a }
			{ triggerName = solidity, enable = true, topic = a }
			{ triggerName = solidity, enable = false, topic = a }
			{ triggerName = contractlog, enable = "yes", topic = a }
			{ triggerName = transaction, enable = true, topic = a, ethCompatible = "true", redundancy = "1" }
		]`);
		expect([...topics]).toEqual([
			["block", { redundancy: false, ethCompatible: false, solidified: true }],
			["transaction", { redundancy: false, ethCompatible: true, solidified: false }],
		]);
	});

	it.each([
		["", "", { fromBlock: 0n, toBlock: undefined }],
		["earliest", "latest", { fromBlock: 0n, toBlock: undefined }],
		["7", "9", { fromBlock: 7n, toBlock: 9n }],
		["latest", "", { fromBlock: 1n, toBlock: 0n }],
		["", "earliest", { fromBlock: 1n, toBlock: 0n }],
		["+7", "-1", { fromBlock: 7n, toBlock: undefined }],
		["0", "9223372036854775807", { fromBlock: 0n, toBlock: 9223372036854775807n }],
		["-1", "9", { fromBlock: 1n, toBlock: 0n }],
		["5", "0", { fromBlock: 1n, toBlock: 0n }],
		["-9223372036854775808", "-2", { fromBlock: -9223372036854775808n, toBlock: -2n }],
	])('reads a filter from "%s" to "%s"', (from, to, expected) => {
		expect(filter(from, to)).toEqual({ ...expected, addresses: new Set(), topics: new Set() });
	});

	it("leaves a filter out whose bounds are no numbers of 64 bits, and says so", () => {
		for (const text of ["0x7", "1.5", "--1", "+", "9223372036854775808", "-9223372036854775809"]) {
			expect(filter(text, "")).toBeUndefined();
			expect(filter("", text)).toBeUndefined();
		}
		const { warnings } = parse(
			`${NATIVE}, filter { fromblock = x, toblock = "", contractAddress = [], contractTopic = [] }`,
		);
		expect(warnings.join()).toContain("the filter is not used");
	});

	it("compares addresses in any case and topics as they are", () => {
		expect(filter("", "", 'contractAddress = [TAbC, ""], contractTopic = [aB]')).toMatchObject({
			addresses: new Set(["tabc"]),
			topics: new Set(["aB"]),
		});
	});

	it("has webhooks even where the start doesn't ask for events", () => {
		const hook = 'webhooks = [{ name = a, url = "https://a.example/in", kinds = [solidity], fromBlock = 5 }]';
		expect(parse(`${NATIVE}, ${hook}`, { events: false }).events).toMatchObject({
			receivers: [{ is: "webhook", name: "a", fromBlock: 5n, config: { secretFile: undefined } }],
		});
		const [all] = events('webhooks = [{ name = a, url = "http://a" }]').receivers;
		expect([...(all?.topics.keys() ?? [])]).toEqual([
			...["block", "transaction", "solidity", "solidityevent", "soliditylog"],
		]);
		expect(all?.fromBlock).toBeUndefined();
	});

	it.each([
		['{ name = "../a", url = "http://a" }', "must be letters, digits"],
		['{ name = a, url = "http://a" }, { name = a, url = "http://b" }', "another one for each"],
		['{ name = a, url = "ftp://a" }', "must be an http or https address"],
		['{ name = a, url = "http://user:word@a" }', "without user and password"],
		['{ name = a, url = "http://a", kinds = [contractevent] }', "are block, transaction, solidity"],
	])("refuses the webhooks %s", (hooks, message) => {
		expect(() => parse(`webhooks = [${hooks}]`)).toThrow(message);
	});

	it("has Kafka for an archive of that name, with its topics and without that of blocks where it is empty", () => {
		const { receivers } = events(
			`path = "/opt/Plugin-Kafka-1.0.zip", server = "a:1, b:2", dbconfig = "x|y|z",
			topics = [${topic("block", "").slice(10, -1)}, ${topic("contractevent", "calls").slice(10, -1)}]`,
		);
		const plain = { redundancy: false, ethCompatible: false, solidified: false };
		expect(receivers).toEqual([
			{
				is: "kafka",
				name: "kafka",
				topics: new Map([["contractevent", plain]]),
				archive: "/opt/Plugin-Kafka-1.0.zip",
				hasPosition: true,
				config: {
					brokers: ["a:1", "b:2"],
					names: new Map([["contractevent", "calls"]]),
					key: "none",
					login: undefined,
					tls: false,
				},
			},
		]);
	});

	it("has MongoDB for an archive of that name, and shows its password nowhere", () => {
		const config = parse(
			`path = mongodb.zip, server = "a:1", dbconfig = " log|me|word|2 ", positions = false`,
		);
		expect(config.events).toMatchObject({ receivers: [{ hasPosition: false }] });
		expect(config.events?.receivers[0]?.config).toMatchObject({
			database: "log",
			login: { user: "me", password: "word", passwordFile: undefined },
			version: 2,
		});
		expect(JSON.stringify(config.settings, (_, value) => String(value))).not.toContain("word");
		expect(config.settings.find(({ path }) => path === "event.subscribe.dbconfig")?.value).toBe("***");
	});

	it("has MongoDB without blocks where their topic is empty, as Kafka", () => {
		const section = `path = mongodb.zip, server = "a:1", dbconfig = "a|b|c",
			topics = [${topic("block", "").slice(10, -1)}, ${topic("solidity", "final").slice(10, -1)}]`;
		const [receiver] = events(section).receivers;
		expect([...(receiver?.topics.keys() ?? [])]).toEqual(["solidity"]);
		expect(receiver?.config).toMatchObject({ names: new Map([["solidity", "final"]]) });
	});

	it("lets at least as many messages wait for a subscriber as the network's node", () => {
		const waiting = (length: number) =>
			events(`native { useNativeQueue = true, sendqueuelength = ${length} }`);
		expect([-1, 1, 1000, 1001].map((length) => waiting(length).receivers[0]?.config)).toMatchObject(
			[1000, 1000, 1000, 1001].map((highWaterMark) => ({ highWaterMark })),
		);
	});

	it("prefers the native queue to a plugin, as the network's node does", () => {
		expect(events(`${NATIVE}, path = kafka.zip, server = "a:1"`).receivers.map(({ is }) => is)).toEqual([
			"zeromq",
		]);
	});

	it("has NATS even where the start doesn't ask for events, and then no plugin", () => {
		const section = 'path = kafka.zip, server = "a:1", nats { server = "b:1", kinds = [block] }';
		const { receivers } = parse(section, { events: false }).events ?? {};
		expect(receivers?.map(({ name, topics }) => [name, [...topics.keys()]])).toEqual([["nats", ["block"]]]);
	});

	it("refuses receivers with a position on a node without receipts", () => {
		const text = 'storage.transHistory.switch = off\nevent.subscribe { nats.server = "a:1" }';
		expect(() => parseConfig(text)).toThrow("storage.transHistory.switch must be on");
		expect(parseConfig(text.replace("{", "{ positions = false,")).events?.receivers).toHaveLength(1);
	});

	it("refuses webhooks on a node without receipts", () => {
		const text =
			'storage.transHistory.switch = off\nevent.subscribe.webhooks = [{ name = a, url = "http://a" }]';
		expect(() => parseConfig(text)).toThrow("storage.transHistory.switch must be on");
	});

	it.each([
		["version = 1", "event.subscribe.native.useNativeQueue must be true, or"],
		["path = plugin.zip", "event.subscribe.path names an archive"],
		["path = plugin-kafka.zip", "event.subscribe.server must be host:port of a broker"],
		['path = plugin-kafka.zip, server = "a:1", kafka.key = other', "must be none or entity"],
		[`path = kafka.zip, server = "a:1", ${topic("contractlog", "")}`, "must name topics of Kafka"],
		['path = mongodb.zip, server = "a"', "must be host:port of MongoDB"],
		['path = mongodb.zip, server = "a:1", dbconfig = "log|me"', "must be database|user|password"],
		['path = mongodb.zip, server = "a:1", dbconfig = "log|me|word|3"', "must end with version 1 or 2"],
		[
			`path = mongodb.zip, server = "a:1", dbconfig = "a|b|c", ${topic("solidity", "")}`,
			"must name collections",
		],
		['nats.server = "nats://me:word@a:1"', "must be host:port of a server"],
		['nats { server = "a:1", kinds = [blocks] }', "are block, transaction, contractlog"],
		['nats { server = "a:1", subject = "a.>" }', "must be words of letters"],
		['nats { server = "a:1", stream = "a.b" }', "must be letters, digits"],
		["native { useNativeQueue = true, bindport = 70000 }", "must be at most 65535"],
		[`${NATIVE}, topics = [{ triggerName = block, enable = false }]`, "topic"],
		[`${NATIVE}, filter { fromblock = "" }`, "toblock"],
	])("refuses %s", (section, message) => {
		expect(() => parse(section)).toThrow(message);
	});
});
