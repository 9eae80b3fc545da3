/** What strangers write as their contracts' interfaces, and the logs beside them. */

import { beforeEach, describe, expect, test } from "vitest";
import { type AbiItem, hashedSignature } from "../../../../src/abi/parameter.js";
import { PROXY_SLOTS } from "../../../../src/abi/proxy.js";
import { topicOf } from "../../../../src/abi/selector.js";
import {
	eventTopics,
	Implementations,
	type InterfaceNode,
	knownInterfaces,
	readStoredEvent,
} from "../../../../src/node/api/queries/stored-events.js";
import { writeSlot } from "../../../../src/node/vm/storage-keys.js";
import { wordFromBytes } from "../../../../src/node/vm/word.js";
import { addressPrefix } from "../../../../src/protocol/address.js";
import { fromHex, toHex } from "../../../../src/protocol/bytes.js";
import {
	SmartContract,
	SmartContractABI,
	SmartContractABIEntry,
	type TriggerSmartContract,
} from "../../../../src/protocol/messages.js";
import { address, SmallChain, topic } from "../jsonrpc/small-chain.js";

const EVENT = 3;

interface Input {
	readonly name: string;
	readonly type: string;
	readonly indexed?: boolean;
}

const entry = (name: string, inputs: readonly Input[]) =>
	SmartContractABIEntry.create({ type: EVENT, name, inputs: inputs as never });
const abiOf = (...entrys: SmartContractABIEntry[]) => SmartContractABI.create({ entrys });
const only = (...entrys: SmartContractABIEntry[]) => [abiOf(...entrys)];
const topicFor = (name: string, inputs: readonly Input[]): Uint8Array =>
	topicOf({ kind: "event", name, inputs });

const word = (value: number): Buffer => Buffer.from(value.toString(16).padStart(64, "0"), "hex");
const words = (...values: number[]): Buffer => Buffer.concat(values.map(word));

async function read(inputs: readonly Input[], data: Uint8Array, name = "E"): Promise<unknown> {
	const topics = [topicFor(name, inputs)];
	const event = await readStoredEvent(only(entry("Other", []), entry(name, inputs)), { topics, data });
	return event && (event.decoded?.args ?? "doesn't fit");
}

test("an event is read by its topic", async () => {
	const inputs = [
		{ name: "a", type: "uint256" },
		{ name: "list", type: "uint8[][2]" },
	];
	const data = words(5, 64, 64, 128, 1, 7, 0);
	expect(await read(inputs, data)).toEqual({ a: 5n, list: [[7n], []] });
	const strange = { topics: [new Uint8Array(32)], data };
	expect(await readStoredEvent(only(entry("E", inputs)), strange)).toBeUndefined();
	expect(await readStoredEvent([], strange)).toBeUndefined();
	expect(await readStoredEvent(only(), { topics: [], data })).toBeUndefined();
});

test("of two events with one topic the first counts", async () => {
	const topics = [topicFor("E", [{ name: "", type: "uint256" }])];
	const [one, two] = [
		entry("E", [{ name: "one", type: "uint256" }]),
		entry("E", [{ name: "two", type: "uint256" }]),
	];
	const event = await readStoredEvent(only(one, two), { topics, data: word(1) });
	expect(event?.decoded?.args).toEqual({ one: 1n });
});

describe("is not looked at", () => {
	test.each<[string, readonly Input[]]>([
		["a type of 300,000 characters", [{ name: "a", type: `uint${"1".repeat(300_000)}[]` }]],
		["a type of 100,000 dimensions", [{ name: "a", type: `uint8${"[]".repeat(100_000)}` }]],
		["a type of many elements of nothing", [{ name: "a", type: "uint8[0][9999]" }]],
		["an array longer than any", [{ name: "a", type: "uint8[4294967295]" }]],
		["a type that doesn't exist", [{ name: "a", type: "uint7" }]],
		["a name of 300,000 characters", [{ name: "a".repeat(300_000), type: "uint8" }]],
		["a thousand values", Array.from({ length: 1_000 }, () => ({ name: "a", type: "uint8" }))],
	])("%s", async (_, inputs) => {
		expect(await read(inputs, words(...Array.from({ length: 1_000 }, () => 1)))).toBeUndefined();
	});

	test("an event behind two thousand entries", async () => {
		const others = Array.from({ length: 2_000 }, (_, n) => entry(`Other${n}`, []));
		const topics = [topicFor("E", [])];
		const data = new Uint8Array(0);
		expect(await readStoredEvent(only(...others, entry("E", [])), { topics, data })).toBeUndefined();
		expect(hashedSignature({ kind: "event", name: "E", inputs: [] })).toBe("E()");
	});
});

describe("is named, and not read", () => {
	const lists = [{ name: "a", type: "uint8[][]" }];

	test("data that becomes much more than it is", async () => {
		const count = 300;
		const outer = Array.from({ length: count }, () => 32 * count);
		const inner = Array.from({ length: count }, () => 1);
		expect(await read(lists, words(32, count, ...outer, count, ...inner))).toBe("doesn't fit");
	});

	test("data of more than 32 KiB", async () => {
		const count = 1_025;
		const data = words(32, count, ...Array.from({ length: count }, () => 1));
		expect(await read([{ name: "a", type: "uint8[]" }], data)).toBe("doesn't fit");
		expect(await read([{ name: "a", type: "uint8[]" }], words(32, 1, 1))).toEqual({ a: [1n] });
	});
});

test("events with structures are read by an interface that knows their members, behind one that doesn't", () => {
	const point = {
		type: "tuple",
		components: [
			{ name: "x", type: "uint8" },
			{ name: "to", type: "address" },
		],
	};
	const inputs = [
		{ name: "one", ...point },
		{ name: "many", type: "tuple[]", components: [{ name: "at", ...point }] },
	];
	const item: AbiItem = { kind: "event", name: "Drawn", inputs };
	const data = words(1, 2, 96, 1, 3, 4);
	const log = { topics: [topicOf(item)], data };
	const chain = abiOf(
		entry(
			"Drawn",
			inputs.map(({ name, type }) => ({ name, type })),
		),
	);
	expect(readStoredEvent([chain], log)).toBeUndefined();
	const holds = (x: bigint) => ({ x, to: expect.stringMatching(/^T/) });
	expect(readStoredEvent([chain, [item]], log)?.decoded?.args).toEqual({
		one: holds(1n),
		many: [{ at: holds(3n) }],
	});
	expect(eventTopics([chain, [item]], "Drawn").map(toHex)).toEqual([toHex(topicOf(item))]);
});

describe("beacons", () => {
	const IMPLEMENTATION = 250;
	let chain: SmallChain;
	let asked: number[];
	const account = (n: number): Uint8Array => Buffer.concat([Uint8Array.of(addressPrefix()), address(n)]);
	const inWord = (n: number): Buffer => Buffer.concat([Buffer.alloc(12), address(n)]);
	const nodeWith = (supportConstant: boolean, isFork = false, rules = {}): InterfaceNode =>
		({
			config: { vm: { supportConstant } },
			isFork,
			rules,
			forks: () => ({}),
			machine: {
				call: (_: unknown, { parameter }: { readonly parameter: TriggerSmartContract }) => {
					asked.push(parameter.contract_address[1] as number);
					return { reverted: false, output: inWord(IMPLEMENTATION) };
				},
			},
		}) as unknown as InterfaceNode;
	beforeEach(async () => {
		chain = await SmallChain.create();
		chain.add(1n);
		asked = [];
		chain.state.abi.put(account(IMPLEMENTATION), abiOf(entry("E", [])));
	});

	function proxy(n: number, slot: keyof typeof PROXY_SLOTS, holds: number): void {
		for (const each of [n, holds]) {
			const contract = SmartContract.create({ contract_address: account(each), trx_hash: topic(each) });
			chain.state.contract.put(account(each), contract);
		}
		const storing = { address: account(n), creationId: topic(n), version: 0 };
		writeSlot(chain.state, storing, wordFromBytes(fromHex(PROXY_SLOTS[slot].slice(2))), inWord(holds));
	}
	const known = (node: InterfaceNode, n: number, behind?: Implementations): number =>
		[...knownInterfaces(node, chain.state, account(n), behind)].length;

	test("are asked once at a head, whoever wants to know it of whichever proxy", () => {
		const node = nodeWith(true);
		for (const n of [1, 2]) proxy(n, "beacon", 100);
		for (const n of [1, 2, 1]) expect(known(node, n)).toBe(1);
		expect(asked).toEqual([100]);
		chain.add(2n);
		expect(known(node, 1)).toBe(1);
		chain.add(2n, [], { salt: 1 });
		expect(known(node, 1)).toBe(1);
		expect(asked).toEqual([100, 100, 100]);
	});

	test("are asked for one answer to a number; what another one asks for counts", () => {
		const node = nodeWith(true);
		const proxies = Array.from({ length: 25 }, (_, n) => n + 1);
		for (const n of proxies) proxy(n, "beacon", 100 + n);
		const found = (): number => {
			const behind = new Implementations();
			return proxies.reduce((sum, n) => sum + known(node, n, behind), 0);
		};
		expect([found(), asked.length]).toEqual([20, 20]);
		expect([found(), asked.length]).toEqual([25, 25]);
	});

	test("are asked each time on a development chain, whose owner edits the state between blocks", () => {
		const node = nodeWith(true, false, { development: {} });
		proxy(1, "beacon", 100);
		for (const n of [1, 1]) expect(known(node, n)).toBe(1);
		expect(asked).toEqual([100, 100]);
	});

	test.each([
		["where the operator allows no calls", nodeWith(false)],
		["on a fork", nodeWith(true, true)],
	])("are not asked %s, and what stands in a slot is read all the same", (_, node) => {
		proxy(1, "beacon", 100);
		proxy(2, "implementation", IMPLEMENTATION);
		expect([known(node, 1), known(node, 2), asked.length]).toEqual([0, 1, 0]);
	});
});
