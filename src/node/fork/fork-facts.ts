/**
 * The fixed facts of a forked chain, as reported by its source (protocol/json-rpc §18.3) or stored in a data
 * directory; validated member by member.
 */

import { ADDRESS_LENGTH, addressPrefix } from "../../protocol/address.js";
import { fromHex } from "../../protocol/bytes.js";
import { COMMITTEE_KEYS } from "../config/config.js";
import { NETWORKS, type NetworkName } from "../rules/chain-rules.js";
import { RELEASES, type Release } from "../rules/release.js";
import { isAnswerObject, type Unknown } from "./source-client.js";
import { ForkError } from "./state-source.js";

/** 64-bit numbers are decimal text, bytes hexadecimal: as in messages and files. */
export interface ForkFacts {
	readonly genesisId: string;
	readonly genesisTimestampMs: string;
	readonly network: NetworkName;
	readonly release: Release;
	readonly blackHole: string;
	readonly genesisWitnesses: readonly { readonly address: string; readonly votes: string }[];
	readonly proposalExpireMs: string;
	readonly energyLimitHeight: string;
	readonly checkFrozenTime: boolean;
	readonly maintenanceIntervalMs: string;
	/** Values of properties that were never written. */
	readonly committee: Readonly<Record<string, string>>;
}

/** Kinds of sources: nodes of this program are exact; others answer only about their head. */
const SOURCE_KINDS = ["exact", "public"] as const;
type SourceKind = (typeof SOURCE_KINDS)[number];

/** Where a fork comes from and where it begins. */
export interface ForkFounding {
	/** URL of the JSON-RPC endpoint; it may contain a key. */
	readonly url: string;
	/** URL of a public source's JSON-RPC, if not next to its HTTP interface; it may contain a key. */
	readonly jsonrpcUrl?: string;
	readonly kind: SourceKind;
	/** The block after whose state it begins. */
	readonly number: string;
	/** 64 hexadecimal digits. */
	readonly id: string;
	readonly facts: ForkFacts;
}

/** A new fork, and what the start must report. */
export interface ForkReport {
	readonly founding: ForkFounding;
	readonly warnings: readonly string[];
}

const MAX_WITNESSES = 1_000;
const committeeKeys: ReadonlySet<string> = new Set(COMMITTEE_KEYS);

const fail = (what: string): never => {
	throw new ForkError(`the fork's source doesn't tell ${what}`);
};

const hex = (value: unknown, bytes: number, what: string): string =>
	typeof value === "string" && value.length === 2 * bytes && /^[0-9a-f]*$/.test(value) ? value : fail(what);

const number = (value: unknown, what: string): string =>
	typeof value === "string" && /^-?\d{1,19}$/.test(value) ? value : fail(what);

function addressOf(value: unknown, what: string): string {
	const address = hex(value, ADDRESS_LENGTH, what);
	if (fromHex(address)[0] === addressPrefix()) return address;
	throw new ForkError(
		`the addresses of the forked chain begin otherwise than with ${addressPrefix().toString(16)}`,
	);
}

/** @throws {ForkError} */
export function readFacts(value: unknown): ForkFacts {
	const given: Unknown = isAnswerObject(value) ? value : fail("what is fixed about its chain");
	const witnesses = given["genesisWitnesses"];
	const committee = given["committee"];
	if (!Array.isArray(witnesses) || witnesses.length > MAX_WITNESSES)
		return fail("the witnesses of its genesis");
	const network = NETWORKS.find((name) => name === given["network"]) ?? fail("a network that is known");
	const release = RELEASES.find((name) => name === given["release"]) ?? fail("a release that is known");
	const hole = given["blackHole"];
	return {
		genesisId: hex(given["genesisId"], 32, "its genesis block"),
		genesisTimestampMs: number(given["genesisTimestampMs"], "when it began"),
		network,
		release,
		blackHole: hole === "" ? "" : addressOf(hole, "its black hole"),
		genesisWitnesses: witnesses.map((witness: unknown) => {
			const { address, votes }: Unknown = isAnswerObject(witness) ? witness : {};
			return {
				address: addressOf(address, "the witnesses of its genesis"),
				votes: number(votes, "the witnesses of its genesis"),
			};
		}),
		proposalExpireMs: number(given["proposalExpireMs"], "how long proposals last"),
		energyLimitHeight: number(given["energyLimitHeight"], "the height of its energy limits"),
		checkFrozenTime: given["checkFrozenTime"] !== false,
		maintenanceIntervalMs: number(given["maintenanceIntervalMs"], "its maintenance interval"),
		committee: Object.fromEntries(
			Object.entries(isAnswerObject(committee) ? committee : {})
				.filter(([key]) => committeeKeys.has(key))
				.map(([key, text]) => [key, number(text, "its committee's switches")]),
		),
	};
}

/** @throws {ForkError} */
export function readForkFounding(value: unknown): ForkFounding {
	const { url, jsonrpcUrl, kind, number: height, id, facts }: Unknown = isAnswerObject(value) ? value : {};
	return {
		url: typeof url === "string" ? url : fail("its address"),
		...(typeof jsonrpcUrl === "string" ? { jsonrpcUrl } : {}),
		kind: SOURCE_KINDS.find((name) => name === kind) ?? fail("what it is"),
		number: number(height, "the block that is forked"),
		id: hex(id, 32, "the block that is forked"),
		facts: readFacts(facts),
	};
}
