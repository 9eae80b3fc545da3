/** A thread that reads policies, which can take most of a second, so that headers can be signed meanwhile. */

import { type MessagePort, workerData } from "node:worker_threads";
import { setAddressPrefix } from "../../protocol/address.js";
import { inParts, type PoliciesPart, readPolicies } from "./policies.js";

const { path, keys, prefix, port } = workerData as {
	readonly path: string;
	readonly keys: ReadonlyMap<string, string>;
	readonly prefix: number;
	readonly port: MessagePort;
};
setAddressPrefix(prefix);
const send = (part: PoliciesPart): void => port.postMessage(part);
try {
	for (const part of inParts(readPolicies(path, keys))) send(part);
} catch (error) {
	send({ refused: error instanceof Error ? error.message : String(error) });
}
port.close();
