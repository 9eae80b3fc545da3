/** Keys of the section `dev`: each stands for the flag of `coin node start` of the same name. Ours alone. */

import { optionalText, type Setting } from "./setting.js";

/** What a development chain alone has. */
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

/** What every node has as a flag, and a development chain as a key too. */
const SHARED_KEYS = ["host", "dialect", "network"] as const;

type DevelopmentKey = (typeof DEVELOPMENT_KEYS | typeof SHARED_KEYS)[number];

/** The flag that a key stands for, without its dashes: `block-time` of `blockTime`. */
export function flagOfKey(key: string): string {
	return key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

export const developmentSettings = Object.fromEntries(
	[...DEVELOPMENT_KEYS, ...SHARED_KEYS].map((key) => [
		`dev.${key}`,
		optionalText(`development chain: --${flagOfKey(key)} of coin node start (ours)`),
	]),
) as { readonly [K in DevelopmentKey as `dev.${K}`]: Setting<string | undefined> };
