/** The object that describes a call (protocol/json-rpc §10). Gas, its price and the nonce are taken and not used. */

import { type RecordOf, record, text } from "./declared-types.js";

const members = { from: text, to: text, gas: text, gasPrice: text, value: text, data: text, nonce: text };

export const callObject = record(members);
export type CallObject = RecordOf<typeof members>;
