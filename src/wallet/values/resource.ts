/** Resources by name, as people write and read them (protocol/command-line §1.3). */

import { toNeutral } from "../../protocol/dialect.js";
import { ResourceCode, ResourceCodeEnum } from "../../protocol/messages.js";
import { Failure } from "../failure.js";

/** Name of a resource code for people. */
export function resourceName(code: number): string {
	return (ResourceCodeEnum.names.get(code) ?? String(code)).toLowerCase().replace("_", " ");
}

/** Code of a resource by its name in the protocol, in either spelling; -1 if there is none. */
export function resourceCode(name: string): number {
	return ResourceCodeEnum.values[toNeutral(name)] ?? -1;
}

/** Resource codes by their names in lower case. */
const CODES: ReadonlyMap<string, number> = new Map([
	["votes", ResourceCode.COIN_POWER],
	...Object.values(ResourceCode).flatMap((code): [string, number][] => [
		[resourceName(code), code],
		[resourceName(code).replace(" ", "_"), code],
		[String(code), code],
	]),
]);

/** Whether a stake for voting power alone, the network's third code, is allowed too. */
interface ResourceChoice {
	readonly votes?: boolean;
}

/**
 * Reads `bandwidth`, `energy` or their codes 0 and 1; if voting power is allowed, also `votes` or 2.
 * @throws {Failure} `bad_value`
 */
export function parseResource(text: string, { votes = false }: ResourceChoice = {}): number {
	const code = CODES.get(text.trim().toLowerCase());
	if (code === undefined || (code === ResourceCode.COIN_POWER && !votes)) {
		const choices = votes ? "bandwidth, energy or votes" : "bandwidth or energy";
		throw new Failure("bad_value", `"${text}" is not a resource here: use ${choices}`);
	}
	return code;
}
