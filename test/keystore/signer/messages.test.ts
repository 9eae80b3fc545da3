/** Messages that a signer's policies allow. */

import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { keysOfSigner, type SignerKey } from "../../../src/keystore/signer/client.js";
import type { MessageKind } from "../../../src/keystore/signer/messages.js";
import { type Policies, parsePolicies } from "../../../src/keystore/signer/policies.js";
import { PolicyDesk } from "../../../src/keystore/signer/policy-desk.js";
import { LOG_NAME, Signer } from "../../../src/keystore/signer/server.js";
import { toBase58Check } from "../../../src/protocol/address.js";
import { concatBytes, fromHex, toHex, utf8 } from "../../../src/protocol/bytes.js";
import { sha256 } from "../../../src/protocol/hash.js";
import { addressOfPrivateKey, messageHash, recoverAddress } from "../../../src/protocol/signature.js";
import { typedDataDigest } from "../../../src/wallet/transaction/signed-message.js";

/** As long as a busy machine takes. */
const PATIENCE_MS = 600_000;
const KEY = new Uint8Array(32).fill(7);
const ADDRESS = addressOfPrivateKey(KEY);
const CONTRACT = concatBytes(Uint8Array.of(0x41), new Uint8Array(20).fill(4));
const KEYS = new Map([["treasury", toBase58Check(ADDRESS)]]);
const NOW_MS = Date.UTC(2026, 5, 2, 12);

let directory: string;
let signer: Signer;
const place = (): string => join(directory, "payroll");

function policies(rules: string): Policies {
	return parsePolicies(`clients { payroll { socket = "${place()}" } }, rules = [${rules}]`, "p.conf", KEYS);
}

const RULES = `
	{ name = payments, keys = [treasury], clients = [payroll], types = [Transfer], recipients = ["*"]
	  transaction { coin = 10 }, day { coin = 10 } }
	{ name = logins, keys = [treasury], clients = [payroll], day { messages = 2 }
	  messages { texts = ["I own this account"], prefixes = ["Sign in to exchange.example: "] } }
	{ name = orders, keys = [treasury], clients = [payroll], hours = ["mon-fri"], day { messages = unlimited }
	  messages { typed = [{ chainId = 728126428, contracts = [${toBase58Check(CONTRACT)}], types = [Order] }] } }`;

async function start(rules = RULES): Promise<void> {
	signer = await Signer.start({
		keys: [KEY.slice()],
		directory: join(directory, "state"),
		desk: new PolicyDesk(policies(rules)),
		now: () => NOW_MS,
	});
}

beforeEach(async () => {
	directory = mkdtempSync(join(tmpdir(), "coin-signer-"));
	await start();
});
afterEach(async () => {
	await signer.close().catch(() => undefined);
	rmSync(directory, { recursive: true, force: true });
});

async function signed(kind: MessageKind, message: Uint8Array): Promise<Uint8Array> {
	const [key] = (await keysOfSigner({ at: place() }, PATIENCE_MS)) as [SignerKey];
	const hash = kind === "text" ? messageHash(message) : typedDataDigest(Buffer.from(message).toString()).hash;
	return key.signMessage(kind, message, hash);
}

/** A document of one order. */
const order = (domain: object, primaryType = "Order", more: object = {}): Uint8Array =>
	utf8(
		JSON.stringify({
			types: { [primaryType]: [{ name: "amount", type: "uint256" }] },
			primaryType,
			domain,
			message: { amount: 5 },
			...more,
		}),
	);
const DOMAIN = { name: "Shop", chainId: 728126428, verifyingContract: `0x${toHex(CONTRACT.subarray(1))}` };

describe("a message at a signer", () => {
	test("is signed where a rule names it, or what it begins with, and is a line of the log", async () => {
		const message = utf8("I own this account");
		const signature = await signed("text", message);
		expect(recoverAddress(messageHash(message), signature)).toEqual(ADDRESS);
		expect([27, 28]).toContain(signature[64]);
		expect(recoverAddress(sha256(message), signature)).not.toEqual(ADDRESS);
		await signed("text", utf8("Sign in to exchange.example: 42"));
		const lines = readFileSync(join(directory, "state", LOG_NAME), "utf8")
			.trim()
			.split("\n");
		expect(lines.slice(1).map((line) => JSON.parse(line))).toMatchObject([
			{
				asked: "message",
				client: "payroll",
				kind: "text",
				text: "I own this account",
				rule: "logins",
				decision: "signed",
			},
			{ text: "Sign in to exchange.example: 42", id: toHex(sha256(utf8("Sign in to exchange.example: 42"))) },
		]);
	});

	test("counts to the day, through a restart", async () => {
		await signed("text", utf8("I own this account"));
		await signed("text", utf8("I own this account"));
		await signer.close();
		await start();
		await expect(signed("text", utf8("I own this account"))).rejects.toThrow("its 2 messages a day are used");
	});

	test("of structured data is signed by domain and type, whatever form its addresses have", async () => {
		const base58 = order({ ...DOMAIN, verifyingContract: toBase58Check(CONTRACT) });
		const hex = order(DOMAIN);
		const signature = await signed("typed", hex);
		expect(await signed("typed", base58)).toEqual(signature);
		expect(recoverAddress(typedDataDigest(Buffer.from(hex).toString()).hash, signature)).toEqual(ADDRESS);
	});

	test.each<[string, MessageKind, Uint8Array, string]>([
		["another text", "text", utf8("I own that account"), "is not one of its texts"],
		["what a prefix stands within", "text", utf8("x Sign in to exchange.example: "), "begins with none"],
		["what nobody sees", "text", utf8("Sign in to exchange.example: \u202e"), "characters that nobody sees"],
		[
			"a line that other readers of the log begin",
			"text",
			utf8("I own\u2028it"),
			"characters that nobody sees",
		],
		["bytes that are no text", "text", fromHex("ff"), "is not a text in UTF-8"],
		["a text that is too long", "text", utf8("I".repeat(16_385)), "more than 16384 bytes"],
		["another chain", "typed", order({ ...DOMAIN, chainId: 1 }), "on the chain 1 is not of its typed data"],
		[
			"another contract",
			"typed",
			order({ ...DOMAIN, verifyingContract: toBase58Check(ADDRESS) }),
			"is not of its",
		],
		["another type", "typed", order(DOMAIN, "Permit"), "Permit of"],
		["no contract", "typed", order({ chainId: 728126428 }), "lacks chainId or verifyingContract"],
		[
			"a chain that only looks like one",
			"typed",
			order(DOMAIN, "Order", {
				types: {
					Order: [{ name: "amount", type: "uint256" }],
					EIP712Domain: [
						{ name: "name", type: "string" },
						{ name: "chainId", type: "uint64" },
						{ name: "verifyingContract", type: "address" },
					],
				},
			}),
			"lacks chainId or verifyingContract",
		],
	])("is refused with %s", async (_, kind, message, reason) => {
		const [key] = (await keysOfSigner({ at: place() }, PATIENCE_MS)) as [SignerKey];
		await expect(key.signMessage(kind, message, new Uint8Array(32))).rejects.toMatchObject({
			isRefusal: true,
			message: expect.stringContaining(reason),
		});
	});

	test("is refused where no document can be read from it", async () => {
		const [key] = (await keysOfSigner({ at: place() }, PATIENCE_MS)) as [SignerKey];
		for (const text of ["", "[]", "{", `${"[".repeat(8_000)}${"]".repeat(8_000)}`])
			await expect(key.signMessage("typed", utf8(text), new Uint8Array(32))).rejects.toThrow(
				"can't be hashed",
			);
	});

	const lists = (type: string, value: unknown) =>
		order(DOMAIN, "Permit", {
			types: { Permit: [{ name: "a", type }], Empty: [] },
			message: { a: value },
		});
	const chain = Array.from({ length: 200 }, (_, at) => [`A${at}`, [{ name: "a", type: `A${at + 1}` }]]);
	test.each([
		["a length of a thousand digits", lists(`uint8[${"0".repeat(1_000)}][]`, [[]])],
		["a thousand dimensions", lists(`uint8${"[]".repeat(1_000)}`, [])],
		["more values than a person reads", lists("Empty[]", new Array(1_024).fill({}))],
		[
			"types that use each other without end",
			order(DOMAIN, "A0", {
				types: Object.fromEntries([...chain, ["A200", []]]),
				message: chain.reduce<object>((a) => ({ a }), {}),
			}),
		],
	])("is refused where hashing it would hold a slot up: %s", async (_, message) => {
		const [key] = (await keysOfSigner({ at: place() }, PATIENCE_MS)) as [SignerKey];
		await expect(key.signMessage("typed", message, new Uint8Array(32))).rejects.toThrow("can't be hashed");
	});

	test("is refused by rules of transactions, as all messages are without a rule for them", async () => {
		await signer.close();
		await start(RULES.slice(0, RULES.indexOf("{ name = logins")));
		await expect(signed("text", utf8("I own this account"))).rejects.toThrow(
			"no rule has payroll sign messages",
		);
	});

	test("allows no transaction by its rule", async () => {
		await signer.close();
		await start(RULES.slice(RULES.indexOf("{ name = logins")));
		const [key] = (await keysOfSigner({ at: place() }, PATIENCE_MS)) as [SignerKey];
		await expect(key.signTransaction(utf8("I own this account"))).rejects.toThrow(
			"the bytes are not a transaction",
		);
	});
});

test.each([
	["nothing", "messages { }", "must name one at least"],
	["an empty prefix", 'messages { prefixes = [""] }', "with which all begin"],
	[
		"types of transactions",
		'messages { texts = ["a"] }, types = [Transfer]',
		"types isn't one of name, keys, clients, messages",
	],
	["an approval", 'messages { texts = ["a"] }, approval = [a]', "approval isn't one of"],
	["no number for a day", 'messages { texts = ["a"] }', "day has no number of messages"],
	["a sum of coins", 'messages { texts = ["a"] }, day { coin = 1 }', "day.coin isn't messages"],
	[
		"a chain without a number",
		"messages { typed = [{ chainId = main, contracts = [], types = [] }] }",
		"isn't a whole number",
	],
	[
		"no contract",
		"messages { typed = [{ chainId = 1, contracts = [], types = [Order] }] }",
		"of each one at least",
	],
])("a rule for messages with %s stops the start", (_, members, reason) => {
	const file = `clients { a { socket = s } }, rules = [{ name = r, keys = [treasury], clients = [a], ${members} }]`;
	expect(() => parsePolicies(file, "p.conf", KEYS)).toThrow(reason);
});
