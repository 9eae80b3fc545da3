/**
 * The precompiles that take arrays of signatures, against the plain reading of the rule: copy every entry, then look
 * at the counts. Theirs looks first and copies nothing, and must answer the same.
 */

import { beforeAll, describe, expect, it } from "vitest";
import { installRecoverEngine } from "../../../src/node/signatures/engine.js";
import { toAddress } from "../../../src/node/vm/addresses.js";
import type { Machine } from "../../../src/node/vm/machine.js";
import { recoverSigner } from "../../../src/node/vm/precompiles/hashing.js";
import { batchValidateSign, validateMultiSign } from "../../../src/node/vm/precompiles/signatures.js";
import { sat32, toWord, wordFromBytes, wordToBytes } from "../../../src/node/vm/word.js";
import { concatBytes, equalBytes, fromHex, toHex } from "../../../src/protocol/bytes.js";
import { sha256 } from "../../../src/protocol/hash.js";
import { Account, Key, Permission } from "../../../src/protocol/messages.js";
import { addressOfPrivateKey, setRecoverEngine, sign } from "../../../src/protocol/signature.js";
import { processorMs } from "../../processor-time.js";
import { CALLER, CONTRACT, emptyState, putTestContract, runContract } from "./machine-fixture.js";
import { seededRandom } from "./random.js";

const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
const DATA = fromHex("44".repeat(32));
const HASH = sha256(concatBytes(CALLER, fromHex("00000002"), DATA));
const KEYS = [1, 2, 3, 4].map((byte) => new Uint8Array(32).fill(byte));
const SIGNATURES = KEYS.flatMap((key) => {
	const one = sign(HASH, key);
	const twin = Uint8Array.from(one);
	twin.set(wordToBytes(toWord(ORDER - BigInt(`0x${toHex(one.subarray(32, 64))}`))), 32);
	twin[64] = 55 - (one[64] as number);
	return [one, twin];
});
const ADDRESSES = KEYS.map(addressOfPrivateKey);

/** What the rules of a time say about these inputs. */
interface Rules {
	readonly restrictedSelfDestruct: boolean;
	readonly osaka: boolean;
}

/** The entries of an array as the network copies them; undefined for more than `most` of them, since #94. */
function plainArray(
	input: Uint8Array,
	at: number,
	{ restrictedSelfDestruct: fixed }: Rules,
	most: number,
): Uint8Array[] | undefined {
	const count = Math.floor(input.length / 32);
	const word = (index: number): number => {
		if (index < 0 || index >= count) throw new Error(`Index ${index} out of bounds for length ${count}`);
		return sat32(wordFromBytes(input.subarray(32 * index, 32 * index + 32)));
	};
	const index = Math.floor(word(at) / 32);
	if (fixed && word(index) > most) return undefined;
	if (index >= count - 1) return [];
	const list: Uint8Array[] = [];
	if (word(index) >= 2 ** 31 - 2) throw new Error("Unknown Throwable");
	for (let i = 0; i < word(index); i++) {
		const offset = Math.floor(word(index + i + 1) / 32);
		const length = fixed ? 65 : word(index + offset + 1);
		const from = 32 * (index + offset + 2);
		if (!fixed && from + length > 0x7fffffff) throw new Error("Unknown Throwable");
		if (from > 0x7fffffff) {
			throw new Error(`arraycopy: source index ${from - 2 ** 32} out of bounds for byte[${input.length}]`);
		}
		if (from > input.length) throw new Error(`arraycopy: length ${input.length - from} is negative`);
		const copy = new Uint8Array(length);
		copy.set(input.subarray(from, from + length));
		list.push(copy);
	}
	return list;
}

function plainSigner(hash: Uint8Array, signature: Uint8Array): Uint8Array | undefined {
	if (signature.length < 65) return undefined;
	const v = ((signature[64] as number) << 24) >> 24;
	return recoverSigner(hash, signature.subarray(0, 32), signature.subarray(32, 64), v < 27 ? v + 27 : v);
}

function hasShape(input: Uint8Array, each: number): boolean {
	return input.length > 160 && (input.length - 160) % (32 * each) === 0;
}

function plainBatch(input: Uint8Array, rules: Rules): string {
	if (rules.osaka && !hasShape(input, 6)) return "";
	const answer = new Uint8Array(32);
	try {
		const signatures = plainArray(input, 1, rules, 16) ?? [];
		const count = Math.floor(input.length / 32);
		const word = (index: number) => {
			if (index >= count) throw new Error("outside");
			return wordFromBytes(input.subarray(32 * index, 32 * index + 32));
		};
		const addresses = Math.floor(sat32(word(2)) / 32);
		const length = sat32(word(addresses));
		if (length === 0 || length > 16 || length !== signatures.length) return toHex(answer);
		const expected = signatures.map((_, i) => toAddress(word(addresses + i + 1)));
		for (const [i, signature] of signatures.entries()) {
			const signer = plainSigner(input.subarray(0, 32), signature);
			if (signer && equalBytes(signer, expected[i] as Uint8Array)) answer[i] = 1;
		}
		return toHex(answer);
	} catch {
		return "00".repeat(32);
	}
}

function plainMultiSign(input: Uint8Array, rules: Rules): string {
	if (rules.osaka && !hasShape(input, 5)) return "";
	const words = Math.floor(input.length / 32);
	if (words < 4) return `Index ${words} out of bounds for length ${words}`;
	let signatures: Uint8Array[];
	try {
		signatures = plainArray(input, 3, rules, 5) ?? [];
	} catch (error) {
		return (error as Error).message;
	}
	if (signatures.length === 0 || signatures.length > 5) return "0";
	const seen = new Map<string, string[]>();
	let weight = 0;
	for (const signature of signatures) {
		const signer = plainSigner(HASH, signature);
		if (!signer) return "0";
		const earlier = seen.get(toHex(signer)) ?? [];
		if (earlier.includes(toHex(signature))) continue;
		if (earlier.length > 0) return "CPU timeout for 0x0a executing";
		if (!ADDRESSES.slice(0, 3).some((address) => equalBytes(address, signer))) return "0";
		weight++;
		seen.set(toHex(signer), [...earlier, toHex(signature)]);
	}
	return weight >= 2 ? "1" : "0";
}

/** An input with an array at word `head` and others mixed in: odd and overlapping pointers, wrong lengths, cut ends. */
function hostileInput(random: (limit: number) => number, batch: boolean): Uint8Array {
	const odd = (value: number): number => (random(12) === 0 ? value + random(64) - 31 : value);
	const count = random(8) === 0 ? random(40) : random(7);
	const start = 128;
	const head = batch
		? [HASH, odd(start), 0, 0]
		: [Buffer.concat([Buffer.alloc(11), CALLER]), 2, DATA, random(20) === 0 ? random(4000) : odd(start)];
	const body: (number | Uint8Array)[] = [random(15) === 0 ? random(60) : count];
	const items: (number | Uint8Array)[] = [];
	const places: number[] = [];
	for (let i = 0; i < count; i++) {
		if (places.length > 0 && random(4) === 0) {
			body.push(odd(places[random(places.length)] as number));
			continue;
		}
		const place = 32 * (count + items.length);
		places.push(place);
		body.push(
			random(25) === 0 ? ([2 ** 31 - 1, 2 ** 40, 96 + random(9000)][random(3)] as number) : odd(place),
		);
		const signature = SIGNATURES[random(SIGNATURES.length)] as Uint8Array;
		const lengths = [64, 0, 66, 96, 100, 160, 5000, 100_000];
		items.push(random(8) === 0 ? (lengths[random(lengths.length)] as number) : 65);
		items.push(signature.subarray(0, 32), signature.subarray(32, 64));
		const last = new Uint8Array(32);
		last[0] = random(20) === 0 ? random(256) : (signature[64] as number) - (random(2) === 0 ? 27 : 0);
		if (random(6) === 0) last[1 + random(31)] = 1;
		items.push(last);
	}
	const parts = [...head, ...body, ...items];
	if (batch) {
		parts[2] = odd(32 * parts.length);
		parts.push(random(8) === 0 ? random(20) : count);
		for (let i = 0; i < count; i++)
			parts.push(Buffer.concat([Buffer.alloc(12), ADDRESSES[i % 4]?.subarray(1) as Uint8Array]));
	}
	const bytes = Buffer.concat(
		parts.map((part) => (typeof part === "number" ? wordToBytes(toWord(BigInt(part))) : part)),
	);
	const cut = random(5) === 0 ? random(bytes.length) : bytes.length - (random(3) === 0 ? random(64) : 0);
	return bytes.subarray(0, Math.max(0, cut));
}

/** The input with zeros up to the next length that #96 wants. */
function shaped(input: Uint8Array, each: number): Uint8Array {
	const size = 32 * each;
	return concatBytes(input, new Uint8Array((((160 - input.length) % size) + size) % size));
}

const TIMES: readonly [string, Rules][] = [
	["before #94", { restrictedSelfDestruct: false, osaka: false }],
	["since #94", { restrictedSelfDestruct: true, osaka: false }],
	["since #96", { restrictedSelfDestruct: true, osaka: true }],
];

describe.each(TIMES)("arrays of signatures, %s", (_, rules) => {
	let machine: Machine;

	beforeAll(async () => {
		installRecoverEngine();
		const state = await emptyState();
		putTestContract(state, CONTRACT, "00");
		const permission = Permission.create({
			id: 2,
			threshold: 2n,
			keys: ADDRESSES.slice(0, 3).map((address) => Key.create({ address, weight: 1n })),
		});
		state.account.put(CALLER, Account.create({ address: CALLER, active_permission: [permission] }));
		machine = runContract(state, { gates: rules }).machine;
	});

	function answer(run: () => Uint8Array): string {
		try {
			return toHex(run());
		} catch (error) {
			return (error as Error).message;
		}
	}

	const multiSign = (input: Uint8Array): string => {
		const result = answer(() => validateMultiSign.run(input, { machine, caller: CONTRACT }).output);
		return result.length === 64 && /^0{63}[01]$/.test(result) ? result.slice(63) : result;
	};

	it("are answered by validatemultisign as if each had been copied", () => {
		const random = seededRandom(7);
		const seen = new Map<string, number>();
		for (let i = 0; i < 4000; i++) {
			const hostile = hostileInput(random, false);
			const input = rules.osaka && i % 8 > 0 ? shaped(hostile, 5) : hostile;
			const expected = plainMultiSign(input, rules);
			expect(multiSign(input), toHex(input)).toBe(expected);
			const kind = expected.replace(/\d+/g, "#");
			seen.set(
				expected.length === 1 ? expected : kind,
				(seen.get(expected.length === 1 ? expected : kind) ?? 0) + 1,
			);
		}
		// Each kind of answer came up often enough to mean something.
		const outside = rules.restrictedSelfDestruct
			? ["arraycopy: length -# is negative", "arraycopy: source index -# out of bounds for byte[#]"]
			: ["Unknown Throwable"];
		for (const kind of ["0", "1", "CPU timeout for #x#a executing", ...outside]) {
			expect(seen.get(kind) ?? 0, kind).toBeGreaterThan(10);
		}
		if (rules.osaka) expect(seen.get("")).toBeGreaterThan(100);
	});

	it("are answered by batchvalidatesign as if each had been copied", () => {
		const random = seededRandom(11);
		let marked = 0;
		for (let i = 0; i < 4000; i++) {
			const hostile = hostileInput(random, true);
			const input = rules.osaka && i % 8 > 0 ? shaped(hostile, 6) : hostile;
			const expected = plainBatch(input, rules);
			expect(
				answer(() => batchValidateSign.run(input, { machine, caller: CONTRACT }).output),
				toHex(input),
			).toBe(expected);
			if (expected.includes("1")) marked++;
		}
		expect(marked).toBeGreaterThan(200);
	});

	it("have one recovery for an entry that stands there several times", async () => {
		const at = (value: number): Uint8Array => wordToBytes(value);
		// Three offsets to one signature, and a fourth to the next.
		const [one, other] = [SIGNATURES[0], SIGNATURES[2]].map((signature) =>
			Buffer.concat([at(65), signature as Uint8Array, new Uint8Array(31)]),
		) as [Buffer, Buffer];
		const [first, second] = [32 * 4, 32 * 4 + one.length];
		const array = [4, first, first, first, second].map(at);
		// With a last word, it is a header and whole entries of six words, too.
		const input = Buffer.concat([HASH, at(96), at(96), ...array, one, other, at(0)]);
		let recoveries = 0;
		setRecoverEngine("counting", {
			recover: () => {
				recoveries++;
				return new Uint8Array(65).fill(4);
			},
			isPoint: () => true,
		});
		batchValidateSign.run(input, { machine, caller: CONTRACT });
		installRecoverEngine();
		expect(recoveries).toBe(2);
	});

	it("take neither time nor memory for entries beyond the limits", () => {
		const count = 32_768;
		const input = Buffer.alloc(160 + 960 * 2_600);
		const write = (index: number, value: number): void => {
			input.writeUIntBE(value, 32 * index + 26, 6);
		};
		input.set(HASH);
		for (const head of [1, 2, 3]) write(head, 128);
		write(4, count);
		for (let i = 0; i < count; i++) write(5 + i, 32 * (count + 1));
		write(5 + count + 1, 1_500_000);
		const before = process.memoryUsage().arrayBuffers;
		const ms = processorMs(() => {
			expect(answer(() => batchValidateSign.run(input, { machine, caller: CONTRACT }).output)).toBe(
				"00".repeat(32),
			);
			expect(multiSign(input)).toBe("0");
		});
		expect(ms).toBeLessThan(2000);
		expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(1_000_000);
	});

	it("end in time", () => {
		const late = {
			...machine,
			gates: machine.gates,
			options: { ...machine.options, deadlineMs: 0 },
		} as Machine;
		const input = shaped(hostileInput(seededRandom(3), false), 5);
		expect(() => validateMultiSign.run(input, { machine: late, caller: CONTRACT })).toThrow("CPU timeout");
	});
});
