/** Behaviour of the HTTP and gRPC servers that differs between releases (protocol/releases §§3 to 5). */

import { jsonLibrary } from "../../protocol/json/json-library.js";
import type { JsonStyle } from "../../protocol/json/message-writer.js";
import { IvkDecryptORC20Parameters, OvkDecryptORC20Parameters } from "../../protocol/messages.js";
import type { NodeConfig } from "../config/config.js";
import { byRelease, type Release } from "../rules/release.js";
import type { StateView } from "../state/view.js";
import { olderAnswers } from "./older/answers.js";

/** Error for scans that are given an `events` filter. */
export const EVENTS_REFUSED = "'events' field is deprecated and no longer supported";

const today = {
	/** Reads and writes JSON. */
	library: jsonLibrary,
	/** Whether a body is rejected by its declared length, before anything else is checked. */
	refusesLength: (bytes: number, most: number) => bytes > most,
	/** Whether body size means bytes received, on every endpoint; otherwise the size of the text an endpoint reads. */
	measuresBytes: true,
	/** Well-formedness check of a broadcast: before the pool accepts it, or after, but before it is announced to peers. */
	beforePool: (_check: () => void): void => {},
	afterPool: (check: () => void): void => check(),
	/** Error of the shielded methods when they are disabled. */
	shieldedOff: "Shielded transaction API is disabled; set node.allowShieldedTransactionApi=true to enable.",
	/**
	 * What the chain must have enabled for the shielded pool's methods, and for shielded tokens.
	 * @throws {ContractValidateError}
	 */
	checkPool: (_state: StateView): void => {},
	checkTokens: (_state: StateView): void => {},
	/** Whether the ciphertext of a shielded token burn has its own nonce, and the error when 64-bit sums overflow. */
	noncesBurns: true,
	amountOverflow: "shielded amount overflow",
	/** Whether scans reject an `events` filter, on every server. */
	refusesEvents: (events: readonly string[]) => events.length > 0,
	/** Whether a gRPC call with an oversized message ends with a status. */
	tellsOversize: true,
	/** gRPC methods that the release lacks. */
	lacking: new Set<string>(),
	/** Fields marked as deprecated in the gRPC descriptors. */
	deprecated: new Set(
		[IvkDecryptORC20Parameters, OvkDecryptORC20Parameters].map(({ typeName }) => `${typeName}.events`),
	),
};

export type Answers = typeof today;

const answers = byRelease<Answers>(today, olderAnswers);

/** The behaviour of a release. */
export const answersOf = ({ release }: { readonly release: Release }): Answers => answers[release];

/** The style of answers that show addresses and names in hex. */
export function plainStyle({ node }: NodeConfig): JsonStyle {
	return {
		visible: false,
		dialect: node.dialect,
		library: answersOf(node).library,
		postQuantum: node.network === "nile",
	};
}
