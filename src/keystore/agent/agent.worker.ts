/**
 * The process of a background agent. It receives its keys through a channel from the program that unlocked them,
 * reports where it listens, and ends after its lifetime, on request, or when the terminal is closed.
 */

import { closeSync, openSync } from "node:fs";
import { Agent, type AgentStart, keyOfSent } from "./server.js";

const LOOK_MS = 1_000;

// Ctrl-C is meant for the foreground process.
process.on("SIGINT", () => undefined);
process.once("message", (start: AgentStart) => void run(start));
// Without a start message it has no reason to run.
process.once("disconnect", () => {
	if (!ordered) process.exit(1);
});

let ordered = false;

async function run({ keys, shielded, lifeMs, parent, terminal }: AgentStart): Promise<void> {
	ordered = true;
	const agent = await Agent.start({
		keys: keys.map(keyOfSent),
		shielded,
		lifeMs,
		parent,
		onEnd: () => process.exit(0),
	});
	for (const signal of ["SIGHUP", "SIGTERM"] as const) process.on(signal, () => agent.end());
	setInterval(() => {
		if (!isThere(terminal)) agent.end();
	}, LOOK_MS).unref();
	process.send?.({ socketPath: agent.socketPath }, () => process.disconnect());
}

/** Whether a terminal still exists: one that was closed can't be opened. */
function isThere(terminal: string): boolean {
	try {
		closeSync(openSync(terminal, "r"));
		return true;
	} catch {
		return false;
	}
}
