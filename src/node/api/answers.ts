/** What the HTTP and gRPC servers do that older releases do otherwise (protocol/releases §§3 to 5). */

import { jsonLibrary } from "../../protocol/json/json-library.js";
import type { JsonStyle } from "../../protocol/json/message-writer.js";
import { IvkDecryptORC20Parameters, OvkDecryptORC20Parameters } from "../../protocol/messages.js";
import type { NodeConfig } from "../config/config.js";
import { byRelease, type Release } from "../rules/release.js";
import type { StateView } from "../state/view.js";
import { olderAnswers } from "./older/answers.js";

/** What scans answer to a list of events. */
export const EVENTS_REFUSED = "'events' field is deprecated and no longer supported";

const today = {
	/** With what JSON is read and written. */
	library: jsonLibrary,
	/** Whether a body is refused by its announced length, before anything else is looked at. */
	refusesLength: (bytes: number, most: number) => bytes > most,
	/** Whether a body is as large as it came, whichever endpoint reads it; else as large as the text that one reads of it. */
	measuresBytes: true,
	/** The check of a broadcast's form, before the pool takes the transaction and after, before peers are told. */
	beforePool: (_check: () => void): void => {},
	afterPool: (check: () => void): void => check(),
	/** What shielded methods answer where they are switched off. */
	shieldedOff: "Shielded transaction API is disabled; set node.allowShieldedTransactionApi=true to enable.",
	/** What the chain must allow for methods of its own pool, and of tokens'. @throws {ContractValidateError} */
	checkPool: (_state: StateView): void => {},
	checkTokens: (_state: StateView): void => {},
	/** Whether the sealed text of a burn of shielded tokens has a nonce of its own, and what sums of 64 bits are refused with. */
	noncesBurns: true,
	amountOverflow: "shielded amount overflow",
	/** Whether scans refuse a list of events, wherever they are served. */
	refusesEvents: (events: readonly string[]) => events.length > 0,
	/** Whether a gRPC call whose message is too long ends with a status. */
	tellsOversize: true,
	/** Methods of gRPC that the release lacks. */
	lacking: new Set<string>(),
	/** Fields that gRPC's description tells clients not to use. */
	deprecated: new Set(
		[IvkDecryptORC20Parameters, OvkDecryptORC20Parameters].map(({ typeName }) => `${typeName}.events`),
	),
};

export type Answers = typeof today;

const answers = byRelease<Answers>(today, olderAnswers);

/** What the servers of a release do. */
export const answersOf = ({ release }: { readonly release: Release }): Answers => answers[release];

/** The style of answers that show addresses and names in hexadecimal. */
export function plainStyle({ node }: NodeConfig): JsonStyle {
	return {
		visible: false,
		dialect: node.dialect,
		library: answersOf(node).library,
		postQuantum: node.network === "nile",
	};
}
