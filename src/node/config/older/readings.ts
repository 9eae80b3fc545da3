/** Configuration semantics before release 4.8.2 (protocol/releases §§3 and 6). */

import { contractTypes } from "../../../protocol/contract-types.js";
import type { Older } from "../../rules/release.js";
import type { Readings } from "../readings.js";
import { merged } from "../start-options.js";

const API = "node.allowShieldedTransactionApi";

export const olderReadings: Older<Readings> = {
	"4.8.1": {
		flags: ({ over, instead, standInFirst, newer }, warn) => {
			for (const path of newer?.keys() ?? []) warn(`the flag for ${path} has no effect before release 4.8.2`);
			return { over: merged(over), instead: merged(instead, standInFirst) };
		},
		takesTestnet: () => true,
		// A producing node always accepts them.
		shielded: (settings, former, isWitness) => {
			const enabled = isWitness || (settings.has(API) ? settings.get(API) : former);
			return { enabled: settings.settle(API, enabled), verifiesProofs: true };
		},
		callTimeoutMs: () => 0,
		allowedHandlers: (names, warn) => {
			for (const name of names) {
				if (!contractTypes.some(({ handler }) => handler === name)) {
					warn(`actuator.whitelist: "${name}" is not a contract handler`);
				}
			}
			if (names.length > 0) {
				warn(
					"actuator.whitelist: a node that refuses types of contracts leaves the network at the first one",
				);
			}
			return names;
		},
		httpBodySize: (settings) => settings.get("node.rpc.maxMessageSize"),
		rpcMessageSize: (settings) => settings.get("node.rpc.maxMessageSize"),
		hasNarrowLimits: false,
		rates: () => ({ nonBlocking: false, componentFirst: false }),
		badRpcLimit: (_entry, reason, warn) => warn(reason),
		fileAsksForEvents: false,
		tellsRemoved: false,
	},
	"4.8.0": {
		shielded: (_settings, former, isWitness) => {
			const enabled = isWitness || former;
			return { enabled, verifiesProofs: enabled };
		},
		checkProposals: () => {},
		badWitnessAddress: (_source, warn) => warn("The localWitnessAccountAddress format is incorrect, ignored"),
		usesWitnessKeys: () => true,
		checkWitnessAccount: () => {},
	},
};
