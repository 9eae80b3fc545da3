/** The agent with keys of post-quantum schemes: what it signs, what it takes, and what its clients believe. */

import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { agentAt } from "../../src/keystore/agent/client.js";
import {
	Agent,
	checkKeyCount,
	keyOfSent,
	MAX_AGENT_ANSWER,
	MAX_AGENT_REQUEST,
	MAX_HELD_KEYS,
	sentOfKey,
} from "../../src/keystore/agent/server.js";
import type { KeystoreEntry } from "../../src/keystore/keystore.js";
import { newPostQuantumKey, type PostQuantumKey } from "../../src/keystore/post-quantum-key.js";
import { addressOfKey, type PrivateKey } from "../../src/keystore/private-key.js";
import { toBase58Check } from "../../src/protocol/address.js";
import { fromHex, toHex } from "../../src/protocol/bytes.js";
import type { PQAuthSig } from "../../src/protocol/messages.js";
import { isPostQuantumSignature, postQuantumAlgorithm } from "../../src/protocol/post-quantum/algorithms.js";
import { FN_DSA_512, ML_DSA_44, postQuantumSchemes } from "../../src/protocol/post-quantum/schemes.js";
import { addressOfKeys, keysOfSpendingKey, type ShieldedKeys } from "../../src/protocol/sapling/key-set.js";
import { writePaymentAddress } from "../../src/protocol/sapling/payment-address.js";
import { recoverAddress } from "../../src/protocol/signature.js";
import { agentSignature, anyAgentSignature } from "../../src/terminal/keys/agent-signature.js";

const HASH = new Uint8Array(32).fill(5);
const RECOVERABLE = new Uint8Array(32).fill(0x11);

let falcon: PostQuantumKey;
let dilithium: PostQuantumKey;
beforeAll(async () => {
	falcon = await newPostQuantumKey(FN_DSA_512, fromHex("07".repeat(48)));
	dilithium = await newPostQuantumKey(ML_DSA_44, fromHex("09".repeat(32)));
});

let parent: string;
let server: Server | undefined;
beforeEach(() => {
	parent = mkdtempSync(join(tmpdir(), "coin-test-"));
});
afterEach(() => {
	vi.unstubAllEnvs();
	server?.close();
	server = undefined;
	rmSync(parent, { recursive: true });
});

const base58Of = (key: PrivateKey): string => toBase58Check(addressOfKey(key));
const copyOf = (key: PostQuantumKey): PostQuantumKey => ({ ...key, privateKey: key.privateKey.slice() });
const start = (keys: readonly PrivateKey[]): Promise<Agent> => Agent.start({ keys, lifeMs: 60_000, parent });

/** An agent that is none: it gives the same answer to everything. @returns its socket */
async function liar(answer: string): Promise<string> {
	const path = join(parent, "socket");
	server = createServer((socket) => socket.on("error", () => undefined).end(answer));
	await new Promise<void>((done) => server?.listen(path, done));
	return path;
}

/** As the keystore knows a key. */
const entryOf = (key: PostQuantumKey): KeystoreEntry => ({
	address: addressOfKey(key),
	base58: base58Of(key),
	name: "vera",
	kind: "key",
	scheme: key.scheme,
	path: undefined,
	file: "",
});

describe("an agent with keys of all schemes", () => {
	it("signs with each, and says nothing of the private key", async () => {
		const agent = await start([copyOf(falcon), RECOVERABLE.slice(), copyOf(dilithium)]);
		const client = agentAt(agent.socketPath);
		expect(await client?.list()).toEqual([falcon, RECOVERABLE, dilithium].map(base58Of));
		for (const { scheme, publicKey, privateKey } of [falcon, dilithium]) {
			const base58 = base58Of({ scheme, publicKey, privateKey });
			const signature = (await client?.signPostQuantum(base58, scheme, HASH)) as PQAuthSig;
			expect(toHex(signature.public_key)).toBe(toHex(publicKey));
			expect(isPostQuantumSignature(HASH, signature)).toBe(true);
			expect(isPostQuantumSignature(new Uint8Array(32), signature)).toBe(false);
			expect(await client?.sign(base58, HASH)).toBeUndefined();
		}
		expect(await client?.signPostQuantum(base58Of(falcon), ML_DSA_44, HASH)).toBeUndefined();
		expect(await client?.signPostQuantum(base58Of(RECOVERABLE), ML_DSA_44, HASH)).toBeUndefined();
		const signature = (await client?.sign(base58Of(RECOVERABLE), HASH)) as Uint8Array;
		expect(toBase58Check(recoverAddress(HASH, signature))).toBe(base58Of(RECOVERABLE));
		agent.end();
	});

	it("overwrites them when it is locked", async () => {
		const keys = [copyOf(falcon), copyOf(dilithium)];
		const agent = await start(keys);
		expect(keys.every(({ privateKey }) => privateKey.some((byte) => byte !== 0))).toBe(true);
		expect(await agentAt(agent.socketPath)?.lock()).toBe(true);
		for (const { privateKey } of keys) expect(privateKey.every((byte) => byte === 0)).toBe(true);
		expect(agentAt(agent.socketPath)).toBeUndefined();
	});

	it("gets them over a channel between processes as they were", () => {
		for (const key of [falcon, dilithium, RECOVERABLE]) {
			const got = keyOfSent(structuredClone(sentOfKey(key)));
			expect(got).toEqual(key);
			if (!(got instanceof Uint8Array)) expect(got.scheme).toBe((key as PostQuantumKey).scheme);
		}
		expect(() => keyOfSent({ schemeId: 3, publicKey: HASH, privateKey: HASH })).toThrow("has the number 3");
	});
});

describe("the agent's budget", () => {
	it("holds the longest signature with its key, and the list of all addresses", () => {
		const digits = (bytes: number): string => "0".repeat(2 * bytes);
		const answers = postQuantumSchemes.map((scheme) => ({
			scheme: scheme.name,
			publicKey: digits(scheme.publicKeyLength),
			signature: digits(scheme.longestSignature),
		}));
		const lengths = answers.map((answer) => JSON.stringify(answer).length + 1);
		expect(Math.max(...lengths)).toBeLessThanOrEqual(MAX_AGENT_ANSWER);
		expect(Math.max(...lengths)).toBeGreaterThan(MAX_AGENT_ANSWER - 128);
		const keys = keysOfSpendingKey(new Uint8Array(32).fill(7)) as ShieldedKeys;
		const shielded = writePaymentAddress(addressOfKeys(keys), "neutral");
		for (const list of [
			{ addresses: Array.from({ length: MAX_HELD_KEYS }, () => base58Of(falcon)), shielded: [] },
			{ addresses: [], shielded: Array.from({ length: MAX_HELD_KEYS }, () => shielded) },
		])
			expect(JSON.stringify(list).length + 1).toBeLessThanOrEqual(MAX_AGENT_ANSWER);
		const word = digits(32);
		const request = { do: "authorize", address: shielded, alpha: word, hash: word };
		expect(JSON.stringify(request).length + 1).toBeLessThanOrEqual(MAX_AGENT_REQUEST);
	});

	it("is for so many keys and no more", async () => {
		expect(() => checkKeyCount(MAX_HELD_KEYS)).not.toThrow();
		const many = Array.from({ length: MAX_HELD_KEYS + 1 }, () => falcon);
		await expect(start(many)).rejects.toMatchObject({ code: "bad_value", message: /at most 64 keys/ });
	});

	it("reads no answer that is longer, though it would be one", async () => {
		const answer = (length: number): string => JSON.stringify({ locked: true }).padEnd(length, " ");
		const longest = agentAt(await liar(answer(MAX_AGENT_ANSWER)));
		expect(await longest?.lock()).toBe(true);
		server?.close();
		expect(await agentAt(await liar(answer(MAX_AGENT_ANSWER + 1)))?.lock()).toBe(false);
	});
});

describe("what a client believes", () => {
	const answerOf = (key: PostQuantumKey, change: object = {}): string => {
		const signature = toHex(postQuantumAlgorithm(key.scheme).sign(HASH, key.privateKey));
		return JSON.stringify({ scheme: key.scheme.name, publicKey: toHex(key.publicKey), signature, ...change });
	};
	const asked = async (answer: string, key = dilithium) => {
		vi.stubEnv("COIN_AGENT", await liar(answer));
		return anyAgentSignature(entryOf(key), HASH);
	};

	it("is the key's own signature", async () => {
		for (const key of [falcon, dilithium]) {
			const signature = (await asked(answerOf(key), key)) as PQAuthSig;
			expect(isPostQuantumSignature(HASH, signature)).toBe(true);
			server?.close();
		}
	});

	it.each<[string, object]>([
		["a short signature", { signature: "00".repeat(ML_DSA_44.shortestSignature - 1) }],
		["a long signature", { signature: "00".repeat(ML_DSA_44.longestSignature + 1) }],
		["half a byte", { signature: "0".repeat(2 * ML_DSA_44.longestSignature - 1) }],
		["a short key", { publicKey: "00".repeat(ML_DSA_44.publicKeyLength - 1) }],
		["no key", { publicKey: null }],
		["another scheme", { scheme: "FN_DSA_512" }],
		["an error", { error: "unknown key", signature: null }],
	])("is not %s: the password is asked for", async (_, change) => {
		expect(await asked(answerOf(dilithium, change))).toBeUndefined();
	});

	it("is not another key's signature, nor a wrong one", async () => {
		const other = await newPostQuantumKey(ML_DSA_44, fromHex("0a".repeat(32)));
		const refused = { code: "internal", message: "the agent's signature is another key's" };
		await expect(asked(answerOf(other))).rejects.toMatchObject(refused);
		server?.close();
		const wrong = { signature: "00".repeat(ML_DSA_44.longestSignature) };
		await expect(asked(answerOf(dilithium, wrong))).rejects.toMatchObject(refused);
	});

	it("is nothing without an agent, and a secp256k1 key's is recovered", async () => {
		vi.stubEnv("COIN_AGENT", "");
		expect(await anyAgentSignature(entryOf(dilithium), HASH)).toBeUndefined();
		const agent = await start([RECOVERABLE.slice()]);
		vi.stubEnv("COIN_AGENT", agent.socketPath);
		const ann = { ...entryOf(dilithium), address: addressOfKey(RECOVERABLE), base58: base58Of(RECOVERABLE) };
		const { scheme: _, ...entry } = ann;
		expect(await anyAgentSignature(entry, HASH)).toEqual(await agentSignature(entry, HASH));
		agent.end();
	});
});
