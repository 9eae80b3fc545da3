/** The object that describes a call (sheet 07 §10). Gas, its price and the nonce are taken and not used. */

import { record, text } from "./declared-types.js";

export const callObject = record({
	from: text,
	to: text,
	gas: text,
	gasPrice: text,
	value: text,
	data: text,
	nonce: text,
});
