import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { random } from "../../../bench/chance/random.js";
import { answerBatch, writeQuestion } from "../../../src/node/signatures/batch.js";
import { installRecoverEngine } from "../../../src/node/signatures/engine.js";
import {
	KnownSigners,
	keySourceOf,
	QUESTION_LENGTH,
	SOURCE_LENGTH,
	writeSource,
} from "../../../src/node/signatures/known-signers.js";
import { MAIN_PREFIX } from "../../../src/protocol/address.js";
import { toHex } from "../../../src/protocol/bytes.js";
import {
	Any,
	TransactionContract,
	TransactionRaw,
	TransferAssetContract,
} from "../../../src/protocol/messages.js";
import {
	addressOfPrivateKey,
	CURVE_ORDER,
	recoverEngine,
	setRecoverEngine,
	setSignEngine,
	sign,
} from "../../../src/protocol/signature.js";

interface Signed {
	readonly hash: Uint8Array;
	readonly signature: Uint8Array;
	readonly account: Uint8Array;
}

const privateKeyAt = (number: number): Buffer => Buffer.alloc(32, 1 + (number % 250));

/** Keys and signatures are made slowly, and the same ones over and over: they are kept. */
const accounts = new Map<number, Uint8Array>();
const signatures = new Map<string, Uint8Array>();

function accountAt(number: number): Uint8Array {
	const account = accounts.get(number) ?? addressOfPrivateKey(privateKeyAt(number));
	accounts.set(number, account);
	return account;
}

function signedBy(key: number, hash: Uint8Array, account = key): Signed {
	const name = `${key} ${toHex(hash)}`;
	const signature = signatures.get(name) ?? sign(hash, privateKeyAt(key));
	signatures.set(name, signature);
	return { hash, signature, account: accountAt(account) };
}

function batchOf(signed: readonly Signed[]) {
	const questions = new Uint8Array(signed.length * QUESTION_LENGTH);
	const sources = new Uint8Array(signed.length * SOURCE_LENGTH);
	for (const [at, { hash, signature, account }] of signed.entries()) {
		writeQuestion(questions, at, hash, signature);
		writeSource(sources, at * SOURCE_LENGTH, { account, permission: 0 }, 0);
	}
	return { questions, sources };
}

/** Answers a batch with expectations. @returns what it says, beside what is said without them, and what checks came out as */
function answersOf(signed: readonly Signed[], known: KnownSigners) {
	const { questions, sources } = batchOf(signed);
	const plain = answerBatch(questions, MAIN_PREFIX);
	const engine = recoverEngine();
	const checks: boolean[] = [];
	setRecoverEngine("watched", {
		...(engine as NonNullable<typeof engine>),
		checkSigners: (claims, keys) => {
			const holds = engine?.checkSigners?.(claims, keys) ?? false;
			checks.push(holds);
			return holds;
		},
	});
	const answer = answerBatch(questions, MAIN_PREFIX, { known, sources });
	setRecoverEngine("again", engine);
	const said = ({ answers, errors }: typeof plain) => ({ answers: toHex(answers), errors });
	return { said: said(answer), expected: said(plain), checks };
}

const hashAt = (number: number): Buffer => Buffer.alloc(32, number + 1);
const honest = (count: number): Signed[] =>
	Array.from({ length: count }, (_, i) => signedBy(i % 20, hashAt(i % 200)));

const number32 = (value: bigint): Buffer => Buffer.from(value.toString(16).padStart(64, "0"), "hex");

/** Has keys expected: they have to be seen once. */
function meet(signed: readonly Signed[], known: KnownSigners): void {
	answersOf(signed, known);
}

/** The same signature with -s, and the other parity: it is right. */
function mirrored(signature: Uint8Array): Uint8Array {
	const s = BigInt(`0x${toHex(signature.subarray(32, 64))}`);
	const header = signature[64] === 27 ? 28 : 27;
	return Buffer.concat([signature.subarray(0, 32), number32(CURVE_ORDER - s), Uint8Array.of(header)]);
}

describe.each(["native", "wasm"])("signatures by keys that are expected, with the engine %s", (name) => {
	beforeAll(() => {
		expect(installRecoverEngine(name)).toBe(name);
	});
	afterAll(() => {
		setRecoverEngine("noble", undefined);
		setSignEngine(undefined);
	});

	test.each([16, 120, 520])("%i of them are checked at once when their keys have been seen", (count) => {
		const known = new KnownSigners();
		expect(answersOf(honest(count), known).checks).toEqual([]);
		const { said, expected, checks } = answersOf(honest(count), known);
		expect(said).toEqual(expected);
		expect(checks.length).toBeGreaterThan(0);
		expect(checks.every(Boolean)).toBe(true);
	});

	test("one that is wrong leaves all to recovery, whatever is wrong with it", () => {
		const pick = random(5);
		const changed = (one: Signed, at: number, bytes: Uint8Array): Signed => {
			const signature = Buffer.from(one.signature);
			signature.set(bytes, at);
			return { ...one, signature };
		};
		const faults: readonly ((one: Signed) => Signed)[] = [
			(one) => ({ ...one, hash: hashAt(201) }),
			(one) => changed(one, 64, Uint8Array.of((one.signature[64] as number) === 27 ? 28 : 27)),
			(one) => changed(one, 64, Uint8Array.of((one.signature[64] as number) + 2)),
			(one) => changed(one, 64, Uint8Array.of(100)),
			(one) => changed(one, 0, Buffer.alloc(32)),
			(one) => changed(one, 32, Buffer.alloc(32)),
			(one) => changed(one, 0, number32(CURVE_ORDER)),
			(one) => changed(one, 32, number32(CURVE_ORDER)),
			(one) => changed(one, 0, Buffer.alloc(32, 255)),
			(one) => changed(one, 0, Buffer.alloc(32, 5)),
			(one) => changed(one, pick(64), Uint8Array.of(pick(256))),
			(one) => ({ ...one, signature: sign(one.hash, privateKeyAt(77)) }),
		];
		for (const [at, fault] of faults.entries()) {
			const known = new KnownSigners();
			meet(honest(40), known);
			const signed = honest(40);
			const place = pick(40);
			signed[place] = fault(signed[place] as Signed);
			const { said, expected, checks } = answersOf(signed, known);
			expect(said, `fault ${at}`).toEqual(expected);
			expect(checks, `fault ${at}`).toEqual([false]);
		}
	});

	test("two whose faults cancel each other out are found", () => {
		const known = new KnownSigners();
		meet(honest(20), known);
		const signed = honest(20);
		const [first, second] = [signed[0] as Signed, signed[1] as Signed];
		signed[0] = { ...first, signature: second.signature };
		signed[1] = { ...second, signature: first.signature };
		const { said, expected, checks } = answersOf(signed, known);
		expect(said).toEqual(expected);
		expect(checks).toEqual([false]);
	});

	test("the other form of a signature, and header bytes of both kinds, are right", () => {
		const known = new KnownSigners();
		meet(honest(40), known);
		const signed = honest(40).map((one, at) => {
			const signature = Buffer.from(at % 2 ? mirrored(one.signature) : one.signature);
			signature[64] = (signature[64] as number) - 27 + ([0, 27, 31][at % 3] as number);
			return { ...one, signature };
		});
		const { said, expected, checks } = answersOf(signed, known);
		expect(said).toEqual(expected);
		expect(said.errors).toEqual([]);
		expect(checks).toEqual([true]);
	});

	test("an account whose key changed is recovered until the key has been the same for long", () => {
		const known = new KnownSigners();
		meet(honest(20), known);
		const others = honest(20).slice(1);
		const changed = [signedBy(77, hashAt(3), 0), ...others];
		expect(answersOf(changed, known).checks).toEqual([false]);
		expect(answersOf(changed, known).checks).toEqual([]);
		for (let i = 0; i < 40; i++) {
			const { said, expected, checks } = answersOf(changed, known);
			expect(said).toEqual(expected);
			expect(checks).toEqual([true]);
		}
	});

	test("an account that changed keys is not forgotten because another falls on its slot", () => {
		const known = new KnownSigners();
		const twin = Buffer.from(accountAt(0));
		twin[5] = (twin[5] as number) ^ 1;
		const others = honest(20).slice(1);
		meet(honest(20), known);
		expect(answersOf([signedBy(77, hashAt(3), 0), ...others], known).checks).toEqual([false]);
		for (let i = 0; i < 4; i++) answersOf([{ ...signedBy(1, hashAt(4)), account: twin }, ...others], known);
		for (const key of [77, 0, 77]) {
			const { said, expected, checks } = answersOf([signedBy(key, hashAt(3), 0), ...others], known);
			expect(said).toEqual(expected);
			expect(checks).toEqual([true]);
		}
	});

	test("after wrong guesses ever more batches aren't tried", () => {
		const known = new KnownSigners();
		const made = honest(20);
		const other = signedBy(77, hashAt(3));
		let tried = 0;
		for (let group = 0; group < 60; group++) {
			const ofGroup = (one: Signed, at: number): Signed => {
				const account = Buffer.from(accountAt(at));
				account.writeUInt16BE(20 * group + at, 19);
				return { ...one, account };
			};
			meet(made.map(ofGroup), known);
			tried += answersOf([other, ...made.slice(1)].map(ofGroup), known).checks.length;
		}
		expect(tried).toBeGreaterThan(2);
		expect(tried).toBeLessThan(12);
	});
});

describe("what a key is remembered under", () => {
	const owner_address = accountAt(3);
	const transfer = TransferAssetContract.create({
		asset_name: Buffer.from("1000001"),
		owner_address,
		to_address: accountAt(4),
		amount: 1n,
	});
	const rawOf = (value: Uint8Array, Permission_id: number): Uint8Array => {
		const contract = [TransactionContract.create({ parameter: Any.create({ value }), Permission_id })];
		return TransactionRaw.encode(TransactionRaw.create({ contract }));
	};
	const value = TransferAssetContract.encode(transfer);

	test("is account, permission and place", () => {
		const source = keySourceOf(rawOf(value, 2));
		expect(source?.permission).toBe(2);
		const target = new Uint8Array(SOURCE_LENGTH);
		if (source) writeSource(target, 0, source, 1);
		expect(toHex(target)).toBe(`${toHex(owner_address)}0201`);
	});

	test("is nothing for the sixth signature of a transaction", () => {
		const target = new Uint8Array(SOURCE_LENGTH);
		writeSource(target, 0, { account: owner_address, permission: 0 }, 5);
		expect(toHex(target)).toBe("00".repeat(SOURCE_LENGTH));
	});

	test.each([
		["no contract", Buffer.alloc(0)],
		["a contract that isn't one", Buffer.from("5a020a05", "hex")],
		["no account", rawOf(new Uint8Array(0), 0)],
		["a permission that keys of witnesses have, or one above", rawOf(value, 255)],
		["a negative permission", rawOf(value, -1)],
		[
			"an account behind four fields",
			rawOf(Buffer.concat([Buffer.from("0801080108010801", "hex"), value]), 0),
		],
	])("is nothing for %s", (_, raw) => {
		expect(keySourceOf(raw)).toBeUndefined();
	});
});
