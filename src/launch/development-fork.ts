/** Which state a development chain begins with, where that is another node's (protocol/development-chain §7). */

import type { Founding } from "../node/development/directory.js";
import type { ForkFounding } from "../node/fork/fork-facts.js";
import { Failure } from "../wallet/failure.js";
import { FOUNDING_FLAGS } from "./development-founding.js";
import type { OptionSource } from "./option-source.js";

/** Options that say what the forked chain says itself, or need a whole state. */
const NOT_ON_A_FORK = [
	"economy",
	"genesis-timestamp",
	"maintenance",
	"network",
	"state",
	"load-state",
	"dump-state",
] as const;

/**
 * The fork that options and directory ask for; undefined: none.
 * @param founding what the chain of the directory was made of
 * @throws {Failure | ForkError}
 */
export async function chosenFork(
	get: OptionSource,
	founding: Founding | undefined,
	warn: (message: string) => void,
): Promise<ForkFounding | undefined> {
	const url = get("fork-url");
	const block = get("fork-block");
	const jsonrpcUrl = get("fork-jsonrpc-url");
	const begun = founding?.fork;
	if (url === undefined && begun === undefined) {
		const lonely = (["fork-block", "fork-jsonrpc-url"] as const).find((name) => get(name) !== undefined);
		if (lonely === undefined) return undefined;
		throw new Failure("usage", `--${lonely} needs --fork-url`);
	}
	const wrong = NOT_ON_A_FORK.find((name) => get(name) !== undefined);
	if (wrong !== undefined) throw new Failure("usage", `--${wrong} can't be given for a fork`);
	if (founding === undefined) return begin({ url: url as string, jsonrpcUrl }, block, warn);
	if (!begun) {
		throw new Failure(
			"start_failed",
			"the data directory holds a development chain that is not a fork; choose another one for --fork-url",
		);
	}
	const made = FOUNDING_FLAGS.find((name) => get(name) !== undefined);
	if (made !== undefined)
		throw new Failure(
			"usage",
			`--${made} can't be given again: the fork of the data directory was made without`,
		);
	if (block !== undefined && block !== begun.number && block.replace(/^0x/, "") !== begun.id) {
		throw new Failure("start_failed", `the data directory forks block ${begun.number}, not ${block}`);
	}
	const place = { url: url ?? begun.url, jsonrpcUrl: jsonrpcUrl ?? begun.jsonrpcUrl };
	return url === undefined && jsonrpcUrl === undefined ? begun : movedTo(place, begun, warn);
}

/** Addresses of a source. */
interface SourcePlace {
	readonly url: string;
	readonly jsonrpcUrl: string | undefined;
}

async function begin(
	{ url, jsonrpcUrl }: SourcePlace,
	block: string | undefined,
	warn: (message: string) => void,
): Promise<ForkFounding> {
	const [{ forkRequests }, { beginFork }] = await Promise.all([
		import("../node/fork/fork.js"),
		import("../node/fork/fork-founding.js"),
	]);
	const requests = forkRequests();
	try {
		const { founding, warnings } = await beginFork(requests, url, block, jsonrpcUrl);
		for (const warning of warnings) warn(warning);
		return founding;
	} finally {
		await requests.close();
	}
}

/** The fork goes on, its source is at another address now; where it can't be reached, what was read is enough for much. */
async function movedTo(
	place: SourcePlace,
	begun: ForkFounding,
	warn: (message: string) => void,
): Promise<ForkFounding> {
	const { ForkError } = await import("../node/fork/fork-error.js");
	const isPublic = begun.kind === "public";
	let found: ForkFounding;
	try {
		// What isn't of this program is read at its head, whichever block that is.
		found = await begin(place, isPublic ? undefined : begun.id, () => undefined);
	} catch (error) {
		if (!(error instanceof ForkError)) throw error;
		warn(`${error.message}; the fork goes on with what was read before`);
		return begun;
	}
	if ((!isPublic && found.id !== begun.id) || found.facts.genesisId !== begun.facts.genesisId)
		throw new Failure(
			"start_failed",
			"the node at --fork-url has another chain than the fork of the data directory",
		);
	return isPublic ? { ...begun, url: found.url, ...ofJsonRpc(found) } : found;
}

const ofJsonRpc = ({ jsonrpcUrl }: ForkFounding): Pick<ForkFounding, "jsonrpcUrl"> =>
	jsonrpcUrl === undefined ? {} : { jsonrpcUrl };
