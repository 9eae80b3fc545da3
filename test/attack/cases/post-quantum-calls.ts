/**
 * Precompiles of post-quantum signatures, in calls that cost no energy. Signatures are valid, since invalid
 * ones are rejected sooner.
 */

import { be32, concatBytes, toHex } from "../../../src/protocol/bytes.js";
import { sha256 } from "../../../src/protocol/hash.js";
import { postQuantumAlgorithm } from "../../../src/protocol/post-quantum/algorithms.js";
import {
	addressOfPostQuantumKey,
	FN_DSA_512,
	ML_DSA_44,
} from "../../../src/protocol/post-quantum/schemes.js";
import { assemble } from "../../node/vm/assembler.js";
import { ask } from "../ask.js";
import { type Attack, attackerHost, type Probe, tally } from "../attack.js";
import { configuration, entryOf, fromAll, JSON_TYPE, OWNER, own, takeKeys } from "./post-quantum.js";
import { constantCall } from "./servers.js";

const word = (value: number): Uint8Array => concatBytes(new Uint8Array(28), be32(value));
const padded = (bytes: Uint8Array): Uint8Array =>
	concatBytes(word(bytes.length), bytes, new Uint8Array((32 - (bytes.length % 32)) % 32));

/** An array of equal elements: all offsets point to the same bytes. */
const repeated = (bytes: Uint8Array, count: number): Uint8Array =>
	concatBytes(word(count), ...Array.from({ length: count }, () => word(count * 32)), padded(bytes));

const listOf = (each: readonly Uint8Array[]): Uint8Array => {
	const elements = each.map(padded);
	let at = 32 * each.length;
	const offsets = elements.map(({ length }) => {
		at += length;
		return word(at - length);
	});
	return concatBytes(word(each.length), ...offsets, ...elements);
};

/** ABI-encoded arguments: words, offsets of lists, and the lists. */
function encoded(head: readonly Uint8Array[], lists: readonly Uint8Array[]): Uint8Array {
	let at = 32 * (head.length + lists.length);
	const offsets = lists.map(({ length }) => {
		at += length;
		return word(at - length);
	});
	return concatBytes(...head, ...offsets, ...lists);
}

/** The same valid signature of a zero word, repeated. */
function batchOf(signature: Uint8Array, key: Uint8Array, count: number): Uint8Array {
	const signer = concatBytes(new Uint8Array(12), addressOfPostQuantumKey(key).subarray(1));
	const signers = concatBytes(word(count), ...Array.from({ length: count }, () => signer));
	return encoded([word(0)], [repeated(signature, count), repeated(key, count), signers]);
}

/** As a precompile expects it: without header byte, zero-padded. */
const falconSlot = (signature: Uint8Array): Uint8Array =>
	concatBytes(signature.subarray(1), new Uint8Array(FN_DSA_512.longestSignature - signature.length));

/** Signatures of the attacker's account with all five keys. */
function approvals(): Uint8Array {
	const message = sha256(concatBytes(OWNER, be32(0), word(0)));
	const { sign, keysOfSeed } = postQuantumAlgorithm(ML_DSA_44);
	const signatures = own.map((_, n) => sign(message, keysOfSeed(new Uint8Array(32).fill(n + 1)).privateKey));
	const schemes = concatBytes(word(5), ...own.map(() => word(ML_DSA_44.id)));
	return encoded(
		[concatBytes(new Uint8Array(11), OWNER), word(0), word(0)],
		[word(0), schemes, listOf(signatures), listOf(own.map(({ public_key }) => public_key))],
	);
}

/** The largest input of a precompile. @param count signatures of a batch */
function inputOf(precompile: string, count: number): Uint8Array {
	if (precompile === "0x0200001a") return approvals();
	if (precompile === "0x02000017") {
		const algorithm = postQuantumAlgorithm(FN_DSA_512);
		const { publicKey, privateKey } = algorithm.keysOfSeed(new Uint8Array(48).fill(1));
		return batchOf(falconSlot(algorithm.sign(word(0), privateKey)), publicKey, count);
	}
	const { signature, public_key } = entryOf(1);
	if (precompile === "0x02000018") return concatBytes(word(0), signature, public_key);
	return batchOf(signature, public_key, count);
}

/** Code followed by a precompile's input. @param body runs with `LENGTH` bytes of input in memory */
function withInput(precompile: string, body: string, count = 16): string {
	const input = inputOf(precompile, count);
	const length = `0x${toHex(be32(input.length)).slice(2)}`;
	const code = (at: number): Uint8Array =>
		assemble(`${length} 0x${toHex(be32(at)).slice(4)} 0x00 CODECOPY ${body.replaceAll("LENGTH", length)}`);
	return toHex(concatBytes(code(code(0).length), input));
}

/** Repeatedly verifies valid signatures. */
const looping = (precompile: string): string =>
	withInput(precompile, `loop: 0x00 0x00 LENGTH 0x00 0x00 ${precompile} GAS CALL POP @loop JUMP`);

/** Verifies once, with a batch of one signature, and returns the result. */
const once = (precompile: string): string =>
	withInput(
		precompile,
		`0x00 0x00 MSTORE8 0x20 0x00 LENGTH 0x00 0x00 ${precompile} GAS CALL POP 0x20 0x00 RETURN`,
		1,
	);

const machine: Attack = {
	name: "pq-precompiles",
	sends: "constant calls that give 0x02000018 a right signature again and again, from 6 clients",
	configuration,
	meanwhile: {
		server: "http",
		path: "/wallet/triggerconstantcontract",
		body: constantCall(toHex(assemble("STOP"))),
		host: attackerHost(100),
	},
	async run({ ports }, durationMs) {
		const body = constantCall(looping("0x02000018"));
		const once = (_: number, host: string): Promise<string> =>
			ask(ports.http, "/wallet/triggerconstantcontract", body, { host, timeoutMs: 30_000 }).then(
				() => "answered",
				(error: Error) => `closed (${error.message})`,
			);
		// Clients take turns, and each call may use its whole time limit: more of them delay others in any case.
		return fromAll(durationMs, once, 6);
	},
};

/** Verifying calls by all methods that cost no energy. */
const estimates: Attack = {
	name: "pq-estimates",
	sends:
		"triggerconstantcontract, estimateenergy, eth_estimateGas and batches of it that give 0x02000019 sixteen right signatures again and again, from 4 clients",
	configuration: () => `${configuration()}, vm.estimateEnergy = true, vm.supportConstant = true`,
	meanwhile: machine.meanwhile as Probe,
	async run({ ports }, durationMs) {
		const code = looping("0x02000019");
		const call = { from: "0x0000000000000000000000000000000000000001", data: `0x${code}` };
		const rpc = (method: string, params: unknown[]) => ({ jsonrpc: "2.0", id: 1, method, params });
		const batch = Array.from({ length: 8 }, () => rpc("eth_estimateGas", [call]));
		const ways = [
			{ port: ports.http, path: "/wallet/triggerconstantcontract", body: constantCall(code) },
			{ port: ports.http, path: "/wallet/estimateenergy", body: constantCall(code) },
			{ port: ports.jsonrpc, path: "/jsonrpc", body: JSON.stringify(rpc("eth_estimateGas", [call])) },
			{ port: ports.jsonrpc, path: "/jsonrpc", body: JSON.stringify(batch) },
		];
		const answers = await Promise.all(
			ways.map(async ({ port, path, body }, n) => {
				const outcomes: string[] = [];
				for (const end = Date.now() + durationMs; Date.now() < end; ) {
					const options = { host: attackerHost(n), headers: JSON_TYPE, timeoutMs: 30_000 };
					outcomes.push(
						await ask(port, path, body, options).then(
							(text) => /"message": ?"([^"]{0,30})/.exec(text)?.[1] ?? "answered",
							(error: Error) => `closed (${error.message})`,
						),
					);
				}
				return outcomes;
			}),
		);
		return answers.map((outcomes) => tally(outcomes)).join("; ");
	},
};

/** A precompile's output for valid signatures. */
const ALL_RIGHT: Readonly<Record<string, string>> = {
	"0x02000017": `01${"00".repeat(31)}`,
	"0x0200001a": `${"00".repeat(31)}01`,
};

const batches: Attack = {
	name: "pq-batches",
	sends:
		"constant calls that give 0x02000017 sixteen right Falcon signatures and 0x0200001a an account's five ML-DSA ones again and again, from 6 clients",
	configuration,
	meanwhile: machine.meanwhile as Probe,
	async run(victim, durationMs) {
		await takeKeys(victim);
		const call = (code: string, host: string): Promise<string> =>
			ask(victim.ports.http, "/wallet/triggerconstantcontract", constantCall(code), {
				host,
				timeoutMs: 30_000,
			});
		const names = Object.keys(ALL_RIGHT);
		for (const name of names) {
			// First calls are slow, and may exceed their time limit.
			let answer = "";
			for (let tries = 0; tries < 40 && !answer.includes(ALL_RIGHT[name] as string); tries++)
				answer = await call(once(name), attackerHost(50));
			if (!answer.includes(ALL_RIGHT[name] as string)) throw new Error(`${name} verifies nothing: ${answer}`);
		}
		const codes = names.map(looping);
		return fromAll(
			durationMs,
			(number, host) =>
				call(codes[number % codes.length] as string, host).then(
					() => "answered",
					(error: Error) => `closed (${error.message})`,
				),
			6,
		);
	},
};

export const postQuantumCalls: readonly Attack[] = [machine, estimates, batches];
