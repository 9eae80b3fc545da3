/** Configuration semantics that differ between releases (protocol/releases §§3 and 6). */

import { ConfigError } from "../../hocon/hocon.js";
import { byRelease, type Release } from "../rules/release.js";
import { olderReadings } from "./older/readings.js";
import { readSize } from "./service-config.js";
import type { Settings } from "./settings.js";
import { merged, type StartOptions } from "./start-options.js";

type Warn = (text: string) => void;

/** A longer proposal lifetime is refused, as it would not end (protocol/consensus §5.3). */
const LONGEST_PROPOSAL_MS = 31_536_003_000;

const today = {
	/** Values from command line flags. */
	flags: ({ over, instead, standInFirst, newer }: StartOptions, _warn: Warn) => ({
		over: merged(over, standInFirst, newer),
		instead: merged(instead),
	}),
	/** Whether `net.type` may select a test network's address prefix. */
	takesTestnet: (warn: Warn): boolean => {
		warn("net.type has no effect from release 4.8.2 on");
		return false;
	},
	/** Whether shielded transactions are served and proofs checked. @param _former the key of release 4.8.0 */
	shielded: (settings: Settings, _former: boolean, _isWitness: boolean) => ({
		enabled: settings.get("node.allowShieldedTransactionApi"),
		verifiesProofs: true,
	}),
	/** @throws {ConfigError} for a refused proposal lifetime */
	checkProposals: (settings: Settings): void => {
		const life = settings.get("block.proposalExpireTime");
		if (life <= 0 || life >= LONGEST_PROPOSAL_MS) {
			throw new ConfigError(
				`The value[block.proposalExpireTime] is only allowed to be greater than 0 and less than ${LONGEST_PROPOSAL_MS}!`,
				{},
				"block.proposalExpireTime",
			);
		}
		// Any value is refused, even 0.
		if (settings.has("committee.proposalExpireTime")) {
			throw new ConfigError(
				"It is not allowed to configure committee.proposalExpireTime in config.conf, please set the value in block.proposalExpireTime.",
				{},
				"committee.proposalExpireTime",
			);
		}
	},
	callTimeoutMs: (ms: bigint) => Number(ms),
	/** Allowed contract handlers; empty: all. */
	allowedHandlers: (names: readonly string[], warn: Warn): readonly string[] => {
		if (names.length > 0) warn("actuator.whitelist has no effect from release 4.8.2 on");
		return [];
	},
	httpBodySize: (settings: Settings) => readSize(settings, "node.http.maxMessageSize"),
	rpcMessageSize: (settings: Settings) => readSize(settings, "node.rpc.maxMessageSize"),
	/** Whether JSON-RPC batches and filters default to the reference's limits. */
	hasNarrowLimits: true,
	/** Handles a malformed witness address. @throws {ConfigError} */
	badWitnessAddress: (source: "cmd" | "config", _warn: Warn): void => {
		throw new ConfigError(`LocalWitnessAccountAddress format from ${source} is incorrect`);
	},
	/** Whether the file's keys are used. */
	usesWitnessKeys: (isWitness: boolean) => isWitness,
	/** @throws {ConfigError} for an account with several keys */
	checkWitnessAccount: (account: Uint8Array | undefined, keys: number): void => {
		if (account === undefined || keys <= 1) return;
		throw new ConfigError("LocalWitnessAccountAddress can only be set when there is only one private key");
	},
	/** Whether rate limits wait, and their order. */
	rates: (settings: Settings) => ({
		nonBlocking: settings.get("rate.limiter.apiNonBlocking"),
		componentFirst: true,
	}),
	/** Handles an unreadable gRPC limit. @throws {ConfigError} */
	badRpcLimit: (entry: Settings, reason: string, _warn: Warn): void => {
		throw entry.refuse("rate.limiter.rpc[].strategy", reason);
	},
	/** Whether the file alone can enable events. */
	fileAsksForEvents: true,
	/** Whether reorgs are published for blocks and transactions, as for logs. */
	tellsRemoved: true,
};

export type Readings = typeof today;

const readings = byRelease<Readings>(today, olderReadings);

/** The configuration semantics of a release. */
export const readingsOf = (release: Release): Readings => readings[release];
