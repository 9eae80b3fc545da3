/**
 * Attacks on a real node process, each on its own node, which produces a block every three seconds. An honest
 * client measures its waits; blocks, memory and files are observed from outside.
 *
 *     npm run attack                          # all, about fifteen minutes
 *     npm run attack -- --only frame-block    # one, or several separated by commas
 *     npm run attack -- --seconds 20          # duration of each
 *     npm run attack -- --markdown            # the table in docs/security.md
 *
 * Fails if a limit is exceeded. Limits are for an otherwise idle machine with two cores; the time that the
 * threads of node and client spent without a CPU tells a busy machine from a busy node.
 */

import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { installRecoverEngine } from "../../src/node/signatures/engine.js";
import { useFastHashing } from "../../src/protocol/hash.js";
import type { Attack, Outcome } from "./attack.js";
import { branches } from "./cases/branches.js";
import { compiledCode } from "./cases/compiled-code.js";
import { connections } from "./cases/connections.js";
import { events } from "./cases/events.js";
import { fairness } from "./cases/fairness.js";
import { longAnswers } from "./cases/long-answers.js";
import { operatorPorts } from "./cases/operator-ports.js";
import { peerMessages } from "./cases/peer-messages.js";
import { postQuantum } from "./cases/post-quantum.js";
import { postQuantumCalls } from "./cases/post-quantum-calls.js";
import { postQuantumPeers } from "./cases/post-quantum-peers.js";
import { servers } from "./cases/servers.js";
import { transactions } from "./cases/transactions.js";
import { unreadAnswers } from "./cases/unread-answers.js";
import { webSockets } from "./cases/web-sockets.js";
import { HonestClient, type Observation } from "./honest.js";
import { makeTemplate, type Ports, type Template } from "./template.js";
import { Victim } from "./victim.js";

const MIB = 1 << 20;

/** Limits, for an otherwise idle machine with two cores. */
const BOUNDS = { worstMs: 500, memory: 150 * MIB, disk: 64 * MIB, missed: 0 } as const;

/** Time for the node to settle after its start. */
const SETTLE_MS = 3500;
/** Effects of an attack can show up this long after it. */
const AFTER_MS = 3500;

const ATTACKS: readonly Attack[] = [
	...peerMessages,
	...branches,
	...connections,
	...servers,
	...transactions,
	...unreadAnswers,
	...webSockets,
	...events,
	...operatorPorts,
	...longAnswers,
	...fairness,
	...compiledCode,
	...postQuantum,
	...postQuantumCalls,
	...postQuantumPeers,
];

const { values } = parseArgs({
	options: {
		only: { type: "string" },
		seconds: { type: "string", default: "10" },
		markdown: { type: "boolean", default: false },
		list: { type: "boolean", default: false },
	},
});

async function freePorts(): Promise<Ports> {
	const servers = Array.from({ length: 6 }, () => createServer());
	const ports = await Promise.all(
		servers.map(
			(server) =>
				new Promise<number>((resolve) =>
					server.listen(0, "127.0.0.1", () => resolve((server.address() as { port: number }).port)),
				),
		),
	);
	await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
	const [peer = 0, http = 0, jsonrpc = 0, grpc = 0, metrics = 0, events = 0] = ports;
	return { peer, http, jsonrpc, grpc, metrics, events };
}

interface Result extends Observation {
	readonly attack: Attack;
	readonly outcome: string;
	readonly broken: readonly string[];
}

async function carryOut(attack: Attack, template: Template, ports: Ports, folder: string): Promise<Result> {
	const victim = await Victim.start(template, ports, folder, attack.configuration?.(ports));
	try {
		await sleep(SETTLE_MS);
		const honest = new HonestClient(victim, attack.meanwhile);
		await honest.ready();
		const outcome = await attack.run(victim, Number(values.seconds) * 1000).catch((error: unknown) => {
			if (victim.isAlive) throw error;
			return "the node ended";
		});
		const seen: Outcome = typeof outcome === "string" ? { text: outcome, worstMs: 0 } : outcome;
		await sleep(AFTER_MS);
		const polled = await honest.end();
		const observed = { ...polled, worstMs: Math.max(polled.worstMs, seen.worstMs) };
		const broken: string[] = [];
		if (!victim.isAlive) broken.push(`the node ended:\n${victim.log.slice(-2000)}`);
		if (observed.worstMs > BOUNDS.worstMs) broken.push(`an answer took ${Math.round(observed.worstMs)} ms`);
		if (observed.failed.length > 0)
			broken.push(`${observed.failed.length} failed, first: ${observed.failed[0]}`);
		if (observed.missed > BOUNDS.missed) broken.push(`${observed.missed} slots missed`);
		if (observed.memory > BOUNDS.memory) broken.push(`memory grew by ${toMiB(observed.memory)} MiB`);
		if (observed.disk > BOUNDS.disk) broken.push(`files grew by ${toMiB(observed.disk)} MiB`);
		if (/\bfault\b/i.test(victim.log)) broken.push("the node logged a fault of its own");
		if (/internal error/.test(victim.log)) broken.push("the node logged an internal error");
		return { ...observed, attack, outcome: seen.text, broken };
	} finally {
		await victim.stop();
		rmSync(folder, { recursive: true, force: true });
	}
}

const toMiB = (bytes: number): string => (bytes / MIB).toFixed(0);

function line({ attack, outcome, worstMs, worstUnservedMs, missed, memory, disk, broken }: Result): string {
	const cells = [
		attack.name,
		attack.sends,
		outcome,
		`${Math.round(worstMs)} ms`,
		String(missed),
		`${toMiB(memory)} MiB`,
		`${toMiB(disk)} MiB`,
	];
	if (values.markdown) return `| ${cells.join(" | ")} |`;
	const [name, sends, how, worst, slots, rss, files] = cells;
	const verdict = broken.length === 0 ? "held" : `FAILED: ${broken.join("; ")}`;
	return `${name}: ${sends}. ${how}. Worst answer ${worst}, ${Math.round(worstUnservedMs)} of them without a processor, slots missed ${slots}, memory +${rss}, files +${files}. ${verdict}`;
}

if (values.list) {
	for (const { name, sends } of ATTACKS) process.stdout.write(`${name}: ${sends}\n`);
	process.exit(0);
}
const wanted = values.only?.split(",");
const unknown = wanted?.filter((name) => !ATTACKS.some((attack) => attack.name === name)) ?? [];
if (unknown.length > 0) {
	process.stderr.write(`no such attack: ${unknown.join(", ")}; --list shows them\n`);
	process.exit(2);
}

await Promise.all([installRecoverEngine(), useFastHashing()]);
const root = mkdtempSync(join(tmpdir(), "coin-attack-"));
let failed = 0;
try {
	const ports = await freePorts();
	for (const attack of ATTACKS) {
		if (wanted && !wanted.includes(attack.name)) continue;
		// A new chain each time: otherwise the node would be minutes behind.
		const template = await makeTemplate(join(root, "template"), ports);
		const result = await carryOut(attack, template, ports, join(root, "victim"));
		if (result.broken.length > 0) failed++;
		process.stdout.write(`${line(result)}\n`);
		rmSync(join(root, "template"), { recursive: true, force: true });
	}
} finally {
	rmSync(root, { recursive: true, force: true });
}
process.stdout.write(failed === 0 ? "all held\n" : `${failed} failed\n`);
if (failed > 0) process.exitCode = 1;
