/** The interface of an attack. */

import type { Ports } from "./template.js";
import type { Victim } from "./victim.js";

export interface Attack {
	/** Name on the command line and in the table. */
	readonly name: string;
	/** What is sent, in one line. */
	readonly sends: string;
	/** Additions to the node's configuration. */
	configuration?(ports: Ports): string;
	/** An additional query of the honest client. */
	readonly meanwhile?: Probe;
	/** Attacks for about `durationMs`. @returns how the node treated the attacker */
	run(victim: Victim, durationMs: number): Promise<string | Outcome>;
}

/** An honest query. */
export interface Probe {
	readonly server: "http" | "jsonrpc" | "grpc";
	readonly path: string;
	/** JSON; with gRPC the empty message is sent. */
	readonly body?: string;
	/** Local loopback address. */
	readonly host: string;
}

/** Observations of the attack itself. */
export interface Outcome {
	/** How the node treated the attacker. */
	readonly text: string;
	/** The longest wait of an honest client of the attacked service. */
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
 * An outcome with the amount that the node processed, to show that the attack took effect.
 * @throws {Error} if that is 0
 */
export function caused(outcomes: readonly string[], count: number, what: string): string {
	if (count === 0) throw new Error(`the node was given no ${what}: ${tally(outcomes)}`);
	return `${tally(outcomes)}; ${count} ${what}`;
}
