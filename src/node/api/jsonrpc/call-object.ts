/** The object that describes a call (protocol/json-rpc §10). Gas, its price and the nonce are taken and not used. */

import { type RecordOf, record, since, text } from "./declared-types.js";

/** Members of every object that describes a call or a transaction. */
export const callObjectMembers = {
	from: text,
	to: text,
	gas: text,
	gasPrice: text,
	value: text,
	data: text,
	nonce: text,
	input: since("4.8.2", text),
};

export const callObject = record(callObjectMembers);
export type CallObject = RecordOf<typeof callObjectMembers>;
