/** Resources by name, as people write and read them (protocol/command-line §1.3). */

import { toNeutral } from "../../protocol/dialect.js";
import { ResourceCode, ResourceCodeEnum } from "../../protocol/messages.js";
import { Failure } from "../failure.js";

/** Resource codes by the words that people use. */
export function resourceName(code: number): string {
	return (ResourceCodeEnum.names.get(code) ?? String(code)).toLowerCase().replace("_", " ");
}

/** The code of a resource by its name on the wire, in either spelling; -1 if there is none. */
export function resourceCode(name: string): number {
	return ResourceCodeEnum.values[toNeutral(name)] ?? -1;
}

/** Words in lower case → code of the wire. */
const CODES: ReadonlyMap<string, number> = new Map([
	["votes", ResourceCode.COIN_POWER],
	...Object.values(ResourceCode).flatMap((code): [string, number][] => [
		[resourceName(code), code],
		[resourceName(code).replace(" ", "_"), code],
		[String(code), code],
	]),
]);

/** Where a stake may also be made for voting power alone, the network's third code. */
interface ResourceChoice {
	readonly votes?: boolean;
}

/**
 * Reads `bandwidth`, `energy` or their codes 0 and 1; where voting power counts, also `votes` or 2.
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
