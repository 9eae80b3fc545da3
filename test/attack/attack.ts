/** One attack, as the runner needs it. */

import type { Ports } from "./template.js";
import type { Victim } from "./victim.js";

export interface Attack {
	/** What it is called on the command line and in the table. */
	readonly name: string;
	/** What is sent, in one line. */
	readonly sends: string;
	/** What the node's configuration has beside that of all attacks. */
	configuration?(ports: Ports): string;
	/** What another client, in a process of its own, asks for meanwhile, beside the head of the chain. */
	readonly meanwhile?: Probe;
	/** Carries it out, for about `durationMs`. @returns how the node dealt with the attacker */
	run(victim: Victim, durationMs: number): Promise<string | Outcome>;
}

/** An honest question. */
export interface Probe {
	readonly server: "http" | "jsonrpc" | "grpc";
	readonly path: string;
	/** JSON; of gRPC the empty message is sent. */
	readonly body?: string;
	/** Loopback address to come from. */
	readonly host: string;
}

/** What an attack saw by itself. */
export interface Outcome {
	/** How the node dealt with the attacker. */
	readonly text: string;
	/** What an honest client of what is attacked waited at most. */
	readonly worstMs: number;
}

/** Loopback addresses of attackers. */
export const attackerHost = (n: number): string => `127.0.${1 + Math.floor(n / 200)}.${1 + (n % 200)}`;

/** Counts equal outcomes: `BAD_PROTOCOL ×3, closed`. */
export function tally(outcomes: readonly string[]): string {
	const counts = new Map<string, number>();
	for (const outcome of outcomes) counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
	return [...counts].map(([text, count]) => (count > 1 ? `${text} ×${count}` : text)).join(", ");
}

/**
 * An outcome with how much of what is attacked with the node took, so that a bound that held is not one that was never reached.
 * @throws {Error} if that was nothing
 */
export function caused(outcomes: readonly string[], count: number, what: string): string {
	if (count === 0) throw new Error(`the node was given no ${what}: ${tally(outcomes)}`);
	return `${tally(outcomes)}; ${count} ${what}`;
}
