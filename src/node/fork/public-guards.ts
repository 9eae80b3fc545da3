/**
 * The witnesses of a chain's genesis, which may not withdraw. No query lists them; but a node builds the transaction of a
 * withdrawal only after its checks, and that one comes before all that depend on time and amount.
 */

import { toHex } from "../../protocol/bytes.js";
import { WitnessList } from "../../protocol/messages.js";
import { isNothing, messageIn } from "./public-answers.js";
import { RequestError, type Requests } from "./requests.js";

/** Witnesses that are asked for. */
const MAX_GUARD_WITNESSES = 1_000;
/** Requests under way at once. */
const MAX_ASKED_AT_ONCE = 8;

/** What the refusal of such a withdrawal says, in every release (protocol/staking §7). */
const REFUSAL = /is a guard representative and is not allowed to withdraw/;

/**
 * @param base address of the HTTP interface, without a slash at its end
 * @returns addresses in hexadecimal; undefined if the source doesn't tell
 */
export async function guardsOf(requests: Requests, base: string): Promise<readonly string[] | undefined> {
	try {
		const witnesses = addressesOf(await requests.later(`${base}/wallet/listwitnesses`, "{}"));
		if (!witnesses || witnesses.length > MAX_GUARD_WITNESSES) return undefined;
		const guards: string[] = [];
		for (let i = 0; i < witnesses.length; i += MAX_ASKED_AT_ONCE) {
			const asked = witnesses.slice(i, i + MAX_ASKED_AT_ONCE).map(async (owner_address) => {
				const body = JSON.stringify({ owner_address });
				const answer = await requests.later(`${base}/wallet/withdrawbalance`, body);
				if (REFUSAL.test(answer)) guards.push(owner_address);
			});
			await Promise.all(asked);
		}
		return guards.sort();
	} catch (error) {
		if (error instanceof RequestError) return undefined;
		throw error;
	}
}

/** Undefined: the answer can't be read. */
function addressesOf(text: string): readonly string[] | undefined {
	if (isNothing(text)) return [];
	try {
		return messageIn(WitnessList, text).witnesses.map(({ address }) => toHex(address));
	} catch {
		return undefined;
	}
}
