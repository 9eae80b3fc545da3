/** Asking around for nodes near a target, again and again (protocol/peers §2.5). */

import type { NetworkEnvironment, Timer } from "../environment.js";
import { NODE_ID_LENGTH } from "../wire/endpoint.js";
import type { NodeHandler } from "./node-handler.js";
import type { NodeTable } from "./table.js";

const FIRST_MS = 1;
/** From the end of one to the beginning of the next. */
const PAUSE_MS = 7_200;
const ROUND_MS = 100;
const ROUNDS = 8;
/** Nodes asked at the same time. */
const PARALLEL = 3;
/** Every this many lookups the target is our own id: the nodes near us. */
const OWN_ID_EVERY = 5;

/** @returns what ends it */
export function startLookups(
	environment: NetworkEnvironment,
	table: NodeTable<NodeHandler>,
	ownId: Uint8Array,
): Timer {
	let count = 0;
	let timer: Timer;
	const begin = () => {
		count++;
		const target = count % OWN_ID_EVERY === 0 ? ownId : environment.randomBytes(NODE_ID_LENGTH);
		const asked = new Set<NodeHandler>();
		let rounds = 0;
		const round = () => {
			const next = table
				.closest(target)
				.filter((node) => !asked.has(node))
				.slice(0, PARALLEL);
			for (const node of next) {
				asked.add(node);
				node.ask(target);
			}
			rounds++;
			// A round that finds no node to ask takes its time as well.
			const isLast = next.length === 0 || rounds === ROUNDS;
			timer = environment.after(ROUND_MS, isLast ? pause : round);
		};
		round();
	};
	const pause = () => {
		timer = environment.after(PAUSE_MS, begin);
	};
	timer = environment.after(FIRST_MS, begin);
	return { cancel: () => timer.cancel() };
}
