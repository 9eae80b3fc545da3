/** A thread that reads policies, which can take most of a second: meanwhile headers are signed. */

import { workerData } from "node:worker_threads";
import { setAddressPrefix } from "../../protocol/address.js";
import { inParts, type PoliciesPart, type PoliciesQuestion, readPolicies } from "./policies.js";

const { path, keys, prefix, port } = workerData as PoliciesQuestion;
setAddressPrefix(prefix);
const send = (part: PoliciesPart): void => port.postMessage(part);
try {
	for (const part of inParts(readPolicies(path, keys))) send(part);
} catch (error) {
	send({ refused: error instanceof Error ? error.message : String(error) });
}
port.close();
