/** What the HTTP and gRPC servers do that older releases do otherwise (protocol/releases §§3 to 5). */

import { type JsonLibrary, jsonLibrary } from "../../protocol/json/json-library.js";
import { IvkDecryptORC20Parameters, OvkDecryptORC20Parameters } from "../../protocol/messages.js";
import { byRelease, type Release } from "../rules/release.js";
import type { StateView } from "../state/view.js";
import { olderAnswers } from "./older/answers.js";

export interface Answers {
	/** With what JSON is read and written. */
	readonly library: JsonLibrary;
	/** Whether a body is refused by its announced length, before anything else is looked at. */
	refusesLength(bytes: number, most: number): boolean;
	/** The check of a broadcast's form, before the pool takes the transaction and after. */
	beforePool(check: () => void): void;
	afterPool(check: () => void): void;
	/** What shielded methods answer where they are switched off. */
	readonly shieldedOff: string;
	/** What the chain must allow for methods of its own pool, and of tokens'. @throws {ContractValidateError} */
	checkPool(state: StateView): void;
	checkTokens(state: StateView): void;
	/** Whether scans refuse a list of events, wherever they are served. */
	refusesEvents(events: readonly string[]): boolean;
	/** Whether a gRPC call whose message is too long ends with a status. */
	readonly tellsOversize: boolean;
	/** Methods of gRPC that the release lacks. */
	readonly lacking: ReadonlySet<string>;
	/** Fields that gRPC's description tells clients not to use. */
	readonly deprecated: ReadonlySet<string>;
}

/** What scans answer to a list of events. */
export const EVENTS_REFUSED = "'events' field is deprecated and no longer supported";

const answers = byRelease<Answers>(
	{
		library: jsonLibrary,
		refusesLength: (bytes, most) => bytes > most,
		beforePool: () => {},
		// Before its peers are told: the transaction is in the pool by then (protocol/releases §5).
		afterPool: (check) => check(),
		shieldedOff: "Shielded transaction API is disabled; set node.allowShieldedTransactionApi=true to enable.",
		checkPool: () => {},
		checkTokens: () => {},
		refusesEvents: ({ length }) => length > 0,
		tellsOversize: true,
		lacking: new Set(),
		deprecated: new Set(
			[IvkDecryptORC20Parameters, OvkDecryptORC20Parameters].map(({ typeName }) => `${typeName}.events`),
		),
	},
	olderAnswers,
);

/** What the servers of a release do. */
export const answersOf = ({ release }: { readonly release: Release }): Answers => answers[release];
