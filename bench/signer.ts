/**
 * What a signer in a process of its own adds to a block: headers signed by it, over its socket and by mutual TLS, beside headers signed
 * with a key at hand. Each takes a mark and a line of the log on the disk, and a check of the signature. The connection is opened in
 * advance, as a node does.
 *
 * npm run tool bench:signer -- [headers] [folder on the disk]
 */

import { fork } from "node:child_process";
import { X509Certificate } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout } from "node:timers/promises";
import { keysOfSigner, type SignerKey, type SignerPlace } from "../src/keystore/signer/client.js";
import { parsePolicies } from "../src/keystore/signer/policies.js";
import { PolicyDesk } from "../src/keystore/signer/policy-desk.js";
import { Signer } from "../src/keystore/signer/server.js";
import { listenTls } from "../src/keystore/signer/tls-listener.js";
import { installRecoverEngine } from "../src/node/signatures/engine.js";
import { toBase58Check } from "../src/protocol/address.js";
import { sha256 } from "../src/protocol/hash.js";
import { BlockHeaderRaw } from "../src/protocol/messages.js";
import { addressOfPrivateKey, signBlock } from "../src/protocol/signature.js";
import { SLOT_MS } from "../src/protocol/timing.js";

const KEY = new Uint8Array(32).fill(7);
const ADDRESS = addressOfPrivateKey(KEY);
const BEGIN_MS = 1_700_000_000_000;
const WARM_UP = 50;
/** From opening a connection in advance to its request; a node has a slot for it. */
const PREPARATION_MS = 40;
/** Longer than any sample: none is cut off. */
const ANSWER_MS = 60_000;

const file = (name: string): string => resolve("test/keystore/signer/certificates", name);
const filesOf = (name: string) => ({
	certificate: file(`${name}.pem`),
	key: file(`${name}.key`),
	ca: file("ca.pem"),
});

/** The signer's process. Its clock goes on by a slot with each header, so that none is too early or too late. */
async function serve(folder: string): Promise<void> {
	const { fingerprint256 } = new X509Certificate(readFileSync(file("payroll.pem")));
	const text = `clients { node { certificate = "${fingerprint256}", node = true } }, rules = []`;
	const desk = new PolicyDesk(parsePolicies(text, "", new Map([["witness", toBase58Check(ADDRESS)]])));
	let signed = 0;
	const signer = await Signer.start({
		keys: [KEY.slice()],
		directory: join(folder, "state"),
		socketPath: join(folder, "socket"),
		desk,
		now: () => BEGIN_MS + signed * Number(SLOT_MS),
		onDecision: (decision) => {
			if (decision.startsWith("block")) signed++;
		},
	});
	const { at } = await listenTls(
		"127.0.0.1:0",
		filesOf("server"),
		() => desk.clients,
		(socket, client) => signer.serve(socket, client),
	);
	process.send?.(at);
	process.once("disconnect", () => process.exit());
}

const headers = Number(process.argv[2] ?? 500);
let slot = 0;

function nextHeader(): Uint8Array {
	const timestamp = BigInt(BEGIN_MS) + BigInt(slot++) * SLOT_MS;
	const hash = new Uint8Array(32).fill(1);
	return BlockHeaderRaw.encode(
		BlockHeaderRaw.create({
			number: BigInt(slot),
			timestamp,
			txTrieRoot: hash,
			parentHash: hash,
			witness_address: ADDRESS,
			version: 38,
		}),
	);
}

/** Milliseconds of each signature, after some that aren't counted. @returns the median and the 99th percentile */
async function measure(
	sign: (header: Uint8Array) => Promise<Uint8Array> | Uint8Array,
	prepare?: () => void,
): Promise<number[]> {
	const times: number[] = [];
	for (let count = 0; count < WARM_UP + headers; count++) {
		const header = nextHeader();
		prepare?.();
		if (prepare) await setTimeout(PREPARATION_MS);
		const started = performance.now();
		await sign(header);
		if (count >= WARM_UP) times.push(performance.now() - started);
	}
	times.sort((one, other) => one - other);
	return [0.5, 0.99].map((part) => times[Math.floor(part * times.length)] as number);
}

async function main(): Promise<void> {
	installRecoverEngine();
	const folder = mkdtempSync(join(process.argv[3] ?? tmpdir(), "coin-bench-signer-"));
	const child = fork(import.meta.filename, ["serve", folder]);
	try {
		const [at] = (await once(child, "message")) as [string];
		const local = await measure((header) => signBlock(sha256(header), KEY));
		slot = 0;
		const places: Readonly<Record<string, SignerPlace>> = {
			socket: { at: join(folder, "socket") },
			tls: { at, files: filesOf("payroll") },
		};
		for (const [way, place] of Object.entries(places)) {
			const [key] = (await keysOfSigner(place, ANSWER_MS)) as readonly [SignerKey];
			const remote = await measure((header) => key.sign("block", header), key.prepare);
			const rounded = (values: readonly number[]): number[] => values.map((ms) => Number(ms.toFixed(2)));
			const added = remote.map((ms, part) => ms - (local[part] as number));
			const line = {
				way,
				headers,
				localMs: rounded(local),
				signerMs: rounded(remote),
				addedMs: rounded(added),
			};
			process.stdout.write(`${JSON.stringify(line)}\n`);
		}
	} finally {
		child.disconnect();
		rmSync(folder, { recursive: true, force: true });
	}
}

await (process.argv[2] === "serve" ? serve(process.argv[3] as string) : main());
