/** Keys of the section `dev`: each has the flag of `coin node start` of the same name. Ours alone. */

import { optionalText, type Setting } from "./setting.js";

/** Keys of development chains only. */
export const DEVELOPMENT_KEYS = [
	"accounts",
	"balance",
	"mnemonic",
	"seed",
	"hdPath",
	"accountsFile",
	"producerKeyFile",
	"useProducerAccount",
	"seal",
	"blockTime",
	"noMining",
	"economy",
	"maintenance",
	"solidLag",
	"genesisTimestamp",
	"startTime",
	"unstakeDelay",
	"parameter",
	"unlock",
	"unlockAll",
	"state",
	"loadState",
	"dumpState",
	"port",
	"httpPort",
	"solidityPort",
	"jsonrpcPort",
	"grpcPort",
	"grpcSolidityPort",
	"allowRemote",
	"allowOrigin",
	"vmTimeLimit",
	"rateLimits",
	"noConsoleLog",
	"forkUrl",
	"forkJsonrpcUrl",
	"forkBlock",
] as const;

/** Flags of every node that are also keys of a development chain. */
const SHARED_KEYS = ["host", "dialect", "network"] as const;

type DevelopmentKey = (typeof DEVELOPMENT_KEYS | typeof SHARED_KEYS)[number];

/** A key's flag without dashes: `block-time` for `blockTime`. */
export function flagOfKey(key: string): string {
	return key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

export const developmentSettings = Object.fromEntries(
	[...DEVELOPMENT_KEYS, ...SHARED_KEYS].map((key) => [
		`dev.${key}`,
		optionalText(`development chain: --${flagOfKey(key)} of coin node start (ours)`),
	]),
) as { readonly [K in DevelopmentKey as `dev.${K}`]: Setting<string | undefined> };
