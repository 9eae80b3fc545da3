/** Results that may be very long: counted before they are made, a few made at a time, each in turns. */

import type { ApiContext } from "../context.js";
import { TURN_MS, Turns } from "../turns.js";
import { JsonText } from "./method.js";
import { ResponseTooLong } from "./rpc-error.js";

/**
 * The text of a result.
 * @param least bytes that it has at least
 * @throws {ResponseTooLong}
 */
export async function longResult(
	{ node, client }: Pick<ApiContext, "node" | "client">,
	pieces: Iterable<string>,
	least: number,
): Promise<JsonText> {
	const { maxResponseSize } = node.config.node.jsonrpc;
	if (maxResponseSize > 0 && least > maxResponseSize) throw new ResponseTooLong(maxResponseSize);
	const leave = await node.limiter.longAnswers.enter(client ?? "");
	try {
		const turns = new Turns(TURN_MS);
		const made: string[] = [];
		for (const piece of pieces) {
			if (turns.over) await turns.yield();
			made.push(piece);
		}
		return new JsonText(made.join(""));
	} finally {
		leave();
	}
}
