/** Keys of a signer that are on a device: somebody confirms there, and nobody else waits for it. */

import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { DeviceKey } from "../../../src/keystore/private-key.js";
import { keysOfSigner, type SignerKey, type TransactionAnswer } from "../../../src/keystore/signer/client.js";
import { type Policies, parsePolicies } from "../../../src/keystore/signer/policies.js";
import { PolicyDesk } from "../../../src/keystore/signer/policy-desk.js";
import { LOG_NAME, Signer } from "../../../src/keystore/signer/server.js";
import { toBase58Check } from "../../../src/protocol/address.js";
import { equalBytes, toHex, utf8 } from "../../../src/protocol/bytes.js";
import { contractType } from "../../../src/protocol/contract-types.js";
import { sha256 } from "../../../src/protocol/hash.js";
import { TransferContract } from "../../../src/protocol/messages.js";
import { addressOfPrivateKey, messageHash, recoverAddress, sign } from "../../../src/protocol/signature.js";
import { buildTransaction } from "../../../src/protocol/transaction.js";

/** As long as a busy machine takes. */
const PATIENCE_MS = 600_000;
const KEY = new Uint8Array(32).fill(7);
const ADDRESS = addressOfPrivateKey(KEY);
const OTHER = new Uint8Array(32).fill(9);
const OTHER_ADDRESS = addressOfPrivateKey(OTHER);
const NOW_MS = Date.UTC(2026, 5, 2, 12);
const AGREED = { client: "payroll", id: expect.any(String), key: toBase58Check(ADDRESS) };

type Confirm = DeviceKey["confirm"];

let directory: string;
let signer: Signer;
let nowMs: number;
const at = (client: string) => ({ at: join(directory, client) });

/** A question at the device, and the person's answer. */
interface Question {
	readonly bytes: Uint8Array;
	answer(signature: Uint8Array | undefined): void;
	fail(reason: string): void;
}
const questions: Question[] = [];
const confirm: Confirm = (_, bytes) =>
	new Promise((answer, reject) => {
		questions.push({ bytes, answer, fail: (reason) => reject(new Error(reason)) });
	});

async function asked(): Promise<Question> {
	await expect.poll(() => questions.length).toBeGreaterThan(0);
	return questions.shift() as Question;
}

/** @param coins that a transaction may pay */
function policiesOf(coins = 10): Policies {
	const rules = `
		fees { transactionFee = 0, createNewAccountFeeInSystemContract = 0, createAccountFee = 0 }
		clients { payroll { socket = "${at("payroll").at}" }, ops { socket = "${at("ops").at}" }
		          node { socket = "${at("node").at}", node = true } }
		rules = [
			{ name = payments, keys = ["ledger:0", hot], clients = [payroll, ops], types = [Transfer], recipients = ["*"]
			  transaction { coin = ${coins} }, day { coin = 15 } }
			{ name = logins, keys = ["ledger:0"], clients = [payroll], messages { texts = [hello] }, day { messages = 2 } }
		]`;
	const names = new Map([
		["ledger:0", toBase58Check(ADDRESS)],
		["hot", toBase58Check(OTHER_ADDRESS)],
	]);
	return parsePolicies(rules, "policies.conf", names);
}

async function start(confirmMs = PATIENCE_MS): Promise<void> {
	signer = await Signer.start({
		keys: [{ address: ADDRESS, confirmMs, confirm }, OTHER.slice()],
		directory: join(directory, "state"),
		socketPath: at("local").at,
		desk: new PolicyDesk(policiesOf()),
		now: () => nowMs,
	});
}

beforeEach(async () => {
	directory = mkdtempSync(join(tmpdir(), "coin-signer-"));
	questions.length = 0;
	nowMs = NOW_MS;
	await start();
});
afterEach(async () => {
	vi.restoreAllMocks();
	await signer.close().catch(() => undefined);
	rmSync(directory, { recursive: true, force: true });
});

function payment(coins: number, order = 0, owner = ADDRESS): Uint8Array {
	const amount = BigInt(coins) * 1_000_000n;
	const transfer = TransferContract.create({ owner_address: owner, to_address: OTHER_ADDRESS, amount });
	const reference = { refBlockBytes: new Uint8Array(2), refBlockHash: new Uint8Array(8) };
	const times = { expirationMs: BigInt(NOW_MS + 3_600_000), timestampMs: BigInt(order) };
	return buildTransaction(contractType("TransferContract"), transfer, { ...reference, ...times }).rawBytes;
}

async function keyOf(client: string, address = ADDRESS): Promise<SignerKey> {
	const keys = await keysOfSigner(at(client), PATIENCE_MS);
	return keys.find((key) => equalBytes(key.address, address)) as SignerKey;
}
const pay = async (raw: Uint8Array, client = "payroll"): Promise<TransactionAnswer> =>
	(await keyOf(client)).signTransaction(raw);

const lines = (): Record<string, string>[] =>
	readFileSync(join(directory, "state", LOG_NAME), "utf8")
		.trim()
		.split("\n")
		.map((line) => JSON.parse(line))
		.filter(({ asked }) => asked !== "policies");
const decisions = (): (string | undefined)[] => lines().map(({ decision }) => decision);

test("what is allowed is signed once somebody has confirmed the same bytes, and both are lines of the log", async () => {
	const raw = payment(10);
	const paid = pay(raw);
	const question = await asked();
	expect(toHex(question.bytes)).toBe(toHex(raw));
	expect(decisions()).toEqual(["allowed"]);
	question.answer(sign(sha256(raw), KEY));
	const { signature } = (await paid) as { readonly signature: Uint8Array };
	expect(recoverAddress(sha256(raw), signature)).toEqual(ADDRESS);
	expect(lines()).toMatchObject([
		{ asked: "transaction", decision: "allowed", rule: "payments", sum: "10000000sun", ...AGREED },
		{ asked: "transaction", decision: "signed", ...AGREED },
	]);
	expect(lines()[0]?.["id"]).toBe(lines()[1]?.["id"]);
});

test("a text is signed there, and structured data aren't", async () => {
	const [key, text] = [await keyOf("payroll"), utf8("hello")];
	const signed = key.signMessage("text", text, messageHash(text));
	(await asked()).answer(sign(messageHash(text), KEY));
	expect(recoverAddress(messageHash(text), await signed)).toEqual(ADDRESS);
	expect(decisions()).toEqual(["allowed", "signed"]);
	await expect(key.signMessage("typed", utf8("{}"), new Uint8Array(32))).rejects.toMatchObject({
		message: expect.stringContaining("a device signs texts only"),
		isRefusal: true,
	});
});

test("while somebody is asked other keys sign, and the device's are busy for everybody, without a line", async () => {
	const raw = payment(1);
	const paid = pay(raw);
	const question = await asked();
	const hot = await keyOf("payroll", OTHER_ADDRESS);
	expect(await hot.signTransaction(payment(1, 1, OTHER_ADDRESS))).toHaveProperty("signature");
	expect(await (await keyOf("local", OTHER_ADDRESS)).sign("hello", BigInt(NOW_MS))).toHaveLength(65);
	for (const client of ["payroll", "ops"])
		await expect(pay(payment(1, 2), client)).rejects.toMatchObject({
			message: expect.stringContaining("the device is busy"),
			isRefusal: false,
		});
	expect(decisions()).toEqual(["allowed", "signed", "signed"]);
	question.answer(sign(sha256(raw), KEY));
	expect(await paid).toHaveProperty("signature");
	const second = payment(1, 2);
	const later = pay(second);
	(await asked()).answer(sign(sha256(second), KEY));
	expect(await later).toHaveProperty("signature");
});

test("what somebody refuses there is told and written down, and counts, through a restart, once", async () => {
	const raw = payment(10);
	for (const decision of ["allowed", "allowed again"]) {
		const paid = pay(raw);
		(await asked()).answer(undefined);
		await expect(paid).rejects.toMatchObject({
			message: expect.stringContaining("refused on the device"),
			isRefusal: true,
		});
		expect(decisions().slice(-2)).toEqual([decision, "refused on the device"]);
		nowMs += 60_000;
	}
	await signer.close();
	await start();
	await expect(pay(payment(6, 1))).rejects.toThrow("of which 10000000sun are used");
	const other = payment(5, 1);
	const paid = pay(other);
	(await asked()).answer(sign(sha256(other), KEY));
	expect(await paid).toHaveProperty("signature");
	await signer.close();
	await start();
	await expect(pay(payment(1, 2))).rejects.toThrow("of which 15000000sun are used");
});

test("a client that somebody refused asks nobody for a minute, also with other bytes; another one does", async () => {
	const refused = pay(payment(1));
	(await asked()).answer(undefined);
	await expect(refused).rejects.toThrow("refused on the device");
	nowMs += 59_999;
	await expect(pay(payment(1, 1))).rejects.toMatchObject({
		message: expect.stringContaining("it can ask again after a minute"),
		isRefusal: true,
	});
	expect(decisions()).toEqual(["allowed", "refused on the device"]);
	const others = pay(payment(1, 2), "ops");
	(await asked()).answer(sign(sha256(payment(1, 2)), KEY));
	expect(await others).toHaveProperty("signature");
	nowMs++;
	const again = pay(payment(1, 1));
	(await asked()).answer(sign(sha256(payment(1, 1)), KEY));
	expect(await again).toHaveProperty("signature");
});

test("what former policies allowed isn't signed any more once others hold", async () => {
	const raw = payment(10);
	const paid = pay(raw);
	const question = await asked();
	expect(await signer.adopt(policiesOf(5))).toBe(true);
	question.answer(sign(sha256(raw), KEY));
	await expect(paid).rejects.toThrow("the policies have changed meanwhile");
	expect(decisions()).toEqual(["allowed", "the policies have changed meanwhile"]);
});

test("whatever fails at the device is the reason, and the next request asks it again", async () => {
	const raw = payment(1);
	for (const [answer, reason] of [
		[(question: Question) => question.fail("the device was disconnected"), "the device was disconnected"],
		[(question: Question) => question.answer(sign(sha256(raw), OTHER)), "the device signed something else"],
		[(question: Question) => question.answer(new Uint8Array(65)), "the device signed something else"],
	] as const) {
		const paid = pay(raw);
		answer(await asked());
		await expect(paid).rejects.toMatchObject({ message: expect.stringContaining(reason), isRefusal: false });
		expect(decisions().at(-1)).toBe(reason);
	}
	const paid = pay(raw);
	(await asked()).answer(sign(sha256(raw), KEY));
	expect(await paid).toHaveProperty("signature");
});

test("a signature that comes too late is nobody's, and the device is busy until somebody has answered there", async () => {
	await signer.close();
	await start(1);
	const raw = payment(1);
	await expect(pay(raw)).rejects.toThrow("nobody confirmed it on the device within 0.001 s");
	await expect(pay(raw)).rejects.toThrow("the device is busy");
	(await asked()).answer(sign(sha256(raw), KEY));
	await expect.poll(() => decisions().at(-1)).toBe("signed too late, for nobody");
	await expect(pay(raw)).rejects.toThrow("nobody confirmed it");
	(await asked()).answer(undefined);
	await expect.poll(() => signer["confirming"]).toBeUndefined();
	await expect(pay(raw)).rejects.toThrow("it can ask again after a minute");
	expect(decisions().slice(-2)).toEqual([
		"allowed again",
		"nobody confirmed it on the device within 0.001 s",
	]);
});

test("an end of the signer waits for nobody at the device", async () => {
	const paid = pay(payment(1)).catch((error: unknown) => error);
	const question = await asked();
	expect(await signer.close()).toBe(true);
	expect(await paid).toMatchObject({ message: expect.stringContaining("the signer ended before anybody") });
	expect(decisions()).toEqual(["allowed", expect.stringContaining("the signer ended before anybody")]);
	question.answer(sign(sha256(payment(1)), KEY));
	await new Promise((done) => setImmediate(done));
	expect(decisions()).toHaveLength(2);
	await start();
	expect(await signer.close()).toBe(false);
});

test("nodes don't see it, and get no block of it", async () => {
	for (const client of ["local", "node"])
		expect((await keysOfSigner(at(client), PATIENCE_MS)).map(({ address }) => address)).toEqual([
			OTHER_ADDRESS,
		]);
	const key = await keyOf("payroll");
	await expect(key.sign("hello", BigInt(NOW_MS))).rejects.toThrow("unknown request");
	const hello = { do: "hello", address: toBase58Check(ADDRESS), data: String(NOW_MS) };
	expect(await signer["answer"](JSON.stringify(hello), undefined)).toEqual({
		error: "a device's key signs no blocks or votes: somebody would have to confirm each",
	});
	expect(decisions()).toEqual([]);
});

test("a client and its connection wait as long as the person may, and other requests as long as before", async () => {
	const key = await keyOf("payroll");
	const timers = vi.spyOn(globalThis, "setTimeout");
	const paid = key.signTransaction(payment(1));
	(await asked()).answer(sign(sha256(payment(1)), KEY));
	await paid;
	const waits = timers.mock.calls.map(([, ms]) => ms);
	expect(waits.filter((ms) => ms === 15_000 + PATIENCE_MS)).toHaveLength(2);
	const before = timers.mock.calls.length;
	await (await keyOf("payroll", OTHER_ADDRESS)).signTransaction(payment(1, 1, OTHER_ADDRESS));
	expect(timers.mock.calls.slice(before).map(([, ms]) => ms)).toContain(15_000);
});
