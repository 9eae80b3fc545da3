import { describe, expect, it } from "vitest";
import type { Gates } from "../../../src/node/vm/gates.js";
import type { Machine } from "../../../src/node/vm/machine.js";
import { findPrecompile } from "../../../src/node/vm/precompiles/precompiles.js";
import { toWord, wordToBytes } from "../../../src/node/vm/word.js";
import { concatBytes, fromHex, toHex } from "../../../src/protocol/bytes.js";
import { keccak256, sha256 } from "../../../src/protocol/hash.js";
import { Account, Key, Permission } from "../../../src/protocol/messages.js";
import { addressOfPrivateKey, sign } from "../../../src/protocol/signature.js";
import {
	CALLER,
	CONTRACT,
	emptyState,
	latestGates,
	putTestContract,
	runContract,
} from "./machine-fixture.js";

const compatible: Gates = { ...latestGates, compatible: true };

async function machineOf(gates: Partial<Gates> = {}): Promise<Machine> {
	const state = await emptyState();
	putTestContract(state, CONTRACT, "00");
	return runContract(state, { gates }).machine;
}

async function ask(word: number, input: string | Uint8Array, gates: Gates = latestGates) {
	const precompile = findPrecompile(gates, word);
	if (!precompile) throw new Error("there is none");
	const bytes = typeof input === "string" ? fromHex(input) : input;
	const machine = await machineOf(gates);
	const { success, output } = precompile.run(bytes, { machine, caller: CALLER });
	return { success, output: toHex(output), energy: precompile.energy(bytes, gates) };
}

const w = (value: bigint | number) => toHex(wordToBytes(toWord(BigInt(value))));

describe("hash contracts", () => {
	it("call a double SHA-256 RIPEMD-160", async () => {
		expect(await ask(3, "")).toEqual({
			success: true,
			output: "02d9295ad678c9933a5aee391050c5196cd48d22d10f4ae128a15fb80eea8691",
			energy: 600n,
		});
	});

	it("have the real RIPEMD-160 under another address, only with #60", async () => {
		expect((await ask(0x20003, "616263", compatible)).output).toBe(
			`${"00".repeat(12)}8eb208f7e05d987a9b044a8e98c6b087f15a0bfc`,
		);
		expect(findPrecompile(latestGates, 0x20003)).toBeUndefined();
	});

	it("answer to the whole word only", () => {
		expect(findPrecompile(latestGates, toWord((0x41n << 160n) | 2n))).toBeUndefined();
		expect(findPrecompile(latestGates, 2)?.name).toBe("sha256");
	});
});

describe("ecrecover", () => {
	const key = fromHex("01".repeat(32));
	const hash = keccak256(fromHex("00"));
	const signature = sign(hash, key);
	const [r, s, v] = [toHex(signature.subarray(0, 32)), toHex(signature.subarray(32, 64)), signature[64] ?? 0];

	it("gives the address with the network's prefix", async () => {
		const { output } = await ask(1, toHex(hash) + w(v) + r + s);
		expect(output).toBe("00".repeat(11) + toHex(addressOfPrivateKey(key)));
	});

	it.each([
		["a v of 29", toHex(hash) + w(29) + r + s],
		["an r of zero", toHex(hash) + w(v) + w(0) + s],
		[
			"an s of the curve's order",
			`${toHex(hash)}${w(v)}${r}fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141`,
		],
		["less than 96 bytes", toHex(hash) + w(v)],
	])("succeeds with nothing for %s", async (_, input) => {
		expect(await ask(1, input)).toEqual({ success: true, output: "", energy: 3000n });
	});
});

describe("modexp", () => {
	it("costs 13056 for three 32-byte numbers with the exponent's top bit set", async () => {
		const input = `${w(32) + w(32) + w(32) + w(3)}80${"00".repeat(31)}${w(7)}`;
		expect((await ask(5, input)).energy).toBe(13_056n);
	});

	it.each([
		["3^2 mod 5", `${w(1) + w(1) + w(1)}030205`, "04"],
		["padding of the result to the modulus' length", `${w(1)}${w(1)}${w(4)}0302${"00000005"}`, "00000004"],
		["a modulus of zero", `${w(1) + w(1) + w(1)}030200`, ""],
		["a modulus that the input lacks", `${w(1) + w(1) + w(1)}0302`, ""],
		["an exponent of zero", `${w(1) + w(0) + w(1)}0305`, "01"],
		["a modulus of one", `${w(1) + w(0) + w(1)}0301`, "00"],
	])("computes %s", async (_, input, output) => {
		expect(await ask(5, input)).toMatchObject({ success: true, output });
	});
});

/** Points of the curve: the generator, its double, and generators of both groups for pairings. */
const G = w(1) + w(2);
const G2 =
	"030644e72e131a029b85045b68181585d97816a916871ca8d3c208c16d87cfd3" +
	"15ed738c0e0a7c92e7845f96b2ae9c0a68a6a449e3538fc7ff3ebf7a5a18a2c4";
const NEGATIVE_G = `${w(1)}30644e72e131a029b85045b68181585d97816a916871ca8d3c208c16d87cfd45`;
const H =
	"198e9393920d483a7260bfb731fb5d25f1aa493335a9e71297e485b7aef312c2" +
	"1800deef121f1e76426a00665e5c4479674322d4f75edadd46debd5cd992f6ed" +
	"090689d0585ff075ec9e99ad690c3395bc4b313370b38ef355acdadcd122975b" +
	"12c85ea5db8c6deb4aab71808dcb408fe3d1e7690c43d37b4ce6cc0166fa7daa";

describe("the curve alt_bn128", () => {
	it.each([
		["adds", 6, G + G, G2],
		["adds the point at infinity", 6, G + w(0) + w(0), G],
		["takes missing input for zeros", 6, G, G],
		["adds opposites to infinity", 6, G + NEGATIVE_G, w(0) + w(0)],
		["multiplies", 7, G + w(2), G2],
		[
			"multiplies by the order of the group",
			7,
			`${G}30644e72e131a029b85045b68181585d2833e84879b9709143e1f593f0000001`,
			w(0) + w(0),
		],
		["pairs nothing to one", 8, "", w(1)],
		["pairs opposites to one", 8, G + H + NEGATIVE_G + H, w(1)],
		["pairs equals to another value", 8, G + H + G + H, w(0)],
		["pairs infinity to one", 8, w(0) + w(0) + H, w(1)],
	])("%s", async (_, word, input, output) => {
		expect(await ask(word, input)).toMatchObject({ success: true, output });
	});

	it.each([
		["a point off the curve", 6, w(1) + w(3) + G],
		[
			"a coordinate of the field's size",
			6,
			`${w(1)}30644e72e131a029b85045b68181585d97816a916871ca8d3c208c16d87cfd49`,
		],
		["a length that isn't whole pairs", 8, G],
	])("fails for %s", async (_, word, input) => {
		expect(await ask(word, input)).toMatchObject({ success: false, output: "" });
	});

	it("costs 113000 for two pairs since #41", async () => {
		expect((await ask(8, G + H + NEGATIVE_G + H)).energy).toBe(113_000n);
	});
});

describe("blake2f", () => {
	const tail =
		"48c9bdf267e6096a3ba7ca8485ae67bb2bf894fe72f36e3cf1361d5f3af54fa5" +
		"d182e6ad7f520e511f6c3e2b8c68059b6bbd41fbabd9831f79217e1319cde05b" +
		`616263${"00".repeat(125)}03${"00".repeat(15)}`;

	it.each([
		[
			"0000000c",
			"01",
			"ba80a53f981c4d0d6a2797b69f12f6e94c212f14685ac4b74b12bb6fdbffa2d17d87c5392aab792dc252d5de4533cc9518d38aa8dbf1925ab92386edd4009923",
		],
		[
			"0000000c",
			"00",
			"75ab69d3190a562c51aef8d88f1c2775876944407270c42c9844252c26d2875298743e7f6d5ea2f2d3e8d226039cd31b4e426ac4f2d3d666a610c2116fde4735",
		],
		[
			"00000000",
			"01",
			"08c9bcf367e6096a3ba7ca8485ae67bb2bf894fe72f36e3cf1361d5f3af54fa5d282e6ad7f520e511f6c3e2b8c68059b9442be0454267ce079217e1319cde05b",
		],
		[
			"00000001",
			"01",
			"b63a380cb2897d521994a85234ee2c181b5f844d2c624c002677e9703449d2fba551b3a8333bcdf5f2f7e08993d53923de3d64fcc68c034e717b9293fed7a421",
		],
	])("compresses with %s rounds, final block %s, as EIP-152 says", async (rounds, final, output) => {
		expect(await ask(0x20009, rounds + tail + final, compatible)).toEqual({
			success: true,
			output,
			energy: BigInt(`0x${rounds}`),
		});
	});

	it.each([[`0000000c${tail}02`], [`0000000c${tail}`]])(
		"fails with a word of zeros for malformed input",
		async (input) => {
			expect(await ask(0x20009, input, compatible)).toEqual({ success: false, output: w(0), energy: 0n });
		},
	);
});

const keys = [fromHex("01".repeat(32)), fromHex("02".repeat(32)), fromHex("03".repeat(32))];

/** ABI data of a dynamic array of 65-byte strings. */
function byteStrings(list: readonly Uint8Array[]): string {
	const each = 4 * 32;
	const offsets = list.map((_, i) => w(32 * list.length + each * i)).join("");
	const items = list.map((item) => w(item.length) + toHex(item).padEnd(192, "0")).join("");
	return w(list.length) + offsets + items;
}

describe("validatemultisign", () => {
	const data = fromHex("44".repeat(32));
	const hash = sha256(concatBytes(CALLER, fromHex("00000002"), data));

	it("hashes address, permission and data as the network does", () => {
		expect(toHex(hash)).toBe("9257b3b9984636e5062c2c1199cc7dd11b7b6aa18ed0f8c78cac2d9206211f1d");
	});

	async function validate(signatures: readonly Uint8Array[], gates: Partial<Gates> = {}) {
		const state = await emptyState();
		putTestContract(state, CONTRACT, "00");
		const permission = Permission.create({
			id: 2,
			threshold: 2n,
			keys: keys.slice(0, 2).map((key) => Key.create({ address: addressOfPrivateKey(key), weight: 1n })),
		});
		state.account.put(CALLER, Account.create({ address: CALLER, active_permission: [permission] }));
		const { machine } = runContract(state, { gates });
		const input = fromHex(
			`${"00".repeat(12)}${"22".repeat(20)}${w(2)}${toHex(data)}${w(128)}${byteStrings(signatures)}`,
		);
		const precompile = findPrecompile(machine.gates, 10);
		return {
			output: toHex(precompile?.run(input, { machine, caller: CONTRACT }).output ?? new Uint8Array(0)),
			energy: precompile?.energy(input, machine.gates),
		};
	}

	const by = (...signers: number[]) => signers.map((i) => sign(hash, keys[i] as Uint8Array));

	it.each([
		["enough weight", by(0, 1), 1],
		["too little weight", by(0), 0],
		["the same signature twice", by(0, 0), 0],
		["a foreign signer", by(0, 1, 2), 0],
		["a signature that is too short", [...by(0, 1), fromHex("00".repeat(64))], 0],
		["no signature", [], 0],
		["six signatures", by(0, 1, 0, 1, 0, 1), 0],
	])("tells %s", async (_, signatures, result) => {
		expect((await validate(signatures)).output).toBe(w(result));
	});

	it("costs 1500 a signature", async () => {
		expect((await validate(by(0, 1, 2))).energy).toBe(4500n);
	});

	it("ends the transaction where one address signs twice in two ways", async () => {
		const [first] = by(0) as [Uint8Array];
		const twin = Uint8Array.from(first);
		const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
		const s = order - BigInt(`0x${toHex(first.subarray(32, 64))}`);
		twin.set(wordToBytes(toWord(s)), 32);
		twin[64] = (first[64] as number) === 27 ? 28 : 27;
		await expect(validate([first, twin])).rejects.toThrow("CPU timeout for 0x0a executing");
		// Before block version 27 both counted.
		const old = await validate([first, twin], { oneSignaturePerAddress: false });
		expect(old.output).toBe(w(1));
	});

	it.each([0, 1, 2, 3])("breaks on an input of %s words", async (words) => {
		await expect(ask(10, "00".repeat(32 * words))).rejects.toThrow(
			`Index ${words} out of bounds for length ${words}`,
		);
	});
});

describe("batchvalidatesign", () => {
	const hash = sha256(fromHex("aa"));
	const addresses = keys.map((key) => toHex(addressOfPrivateKey(key).subarray(1)).padStart(64, "0"));

	function input(signatures: readonly Uint8Array[], expected: readonly string[]): string {
		const array = byteStrings(signatures);
		return toHex(hash) + w(96) + w(96 + array.length / 2) + array + w(expected.length) + expected.join("");
	}

	it("marks each signature that is its address's", async () => {
		const signatures = keys.map((key) => sign(hash, key));
		const { output, energy } = await ask(
			9,
			input(signatures, [addresses[0] ?? "", addresses[0] ?? "", addresses[2] ?? ""]),
		);
		expect(output).toBe(`010001${"00".repeat(29)}`);
		expect(energy).toBe(4500n);
	});

	it.each([
		["unequal numbers", input([sign(hash, keys[0] as Uint8Array)], addresses)],
		[
			"seventeen signatures",
			input(
				Array.from({ length: 17 }, () => sign(hash, keys[0] as Uint8Array)),
				Array.from({ length: 17 }, () => addresses[0] ?? ""),
			),
		],
		["an offset beyond the input", toHex(hash) + w(1n << 40n) + w(1n << 40n)],
		["no input", ""],
	])("gives zeros for %s", async (_, data) => {
		expect(await ask(9, data)).toMatchObject({ success: true, output: w(0) });
	});
});

describe("merkleHash while proofs aren't checked", () => {
	it.each([
		[0, true],
		[62, true],
		[63, false],
	])("answers level %s: %s", async (level, success) => {
		const answer = await ask(0x1000004, w(level) + w(1) + w(2));
		expect(answer).toMatchObject({ success, output: success ? w(0) : "" });
	});

	it.each([
		["95 bytes", (w(0) + w(1) + w(2)).slice(2), false],
		["a word more", w(0) + w(1) + w(2) + w(3), true],
	])("takes three words or more: %s", async (_, data, success) => {
		expect(await ask(0x1000004, data)).toMatchObject({ success });
	});
});
