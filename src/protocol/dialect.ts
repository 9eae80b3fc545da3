/**
 * The two spellings of the network's brand words: neutral, used in this code, and deployed, expected by
 * existing clients (the specification's README, "Names: one dialect table").
 *
 * Applied only at the edges: JSON, error texts, gRPC names, configuration keys, keys of the property store.
 */

export type Dialect = "neutral" | "deployed";

/**
 * Longer words first, since two deployed words share one neutral word. The token standard's prefix only
 * matches before its number, to leave ordinary words ("force") alone. COINBASE is an EVM opcode.
 */
const WORDS: readonly (readonly [neutral: RegExp, deployed: string])[] = [
	[/COIN_POWER/g, "TRON_POWER"],
	[/CoinPower/g, "TronPower"],
	[/coinPower/g, "tronPower"],
	[/coin_power/g, "tron_power"],
	[/CoinZksnark/g, "TronZksnark"],
	[/org\.coin\./g, "org.tron."],
	[/ORC(?=-?\d)/g, "TRC"],
	[/Orc(?=-?\d)/g, "Trc"],
	[/orc(?=-?\d|Token)/g, "trc"],
	[/COIN(?=\/v\d)/g, "TRON"],
	[/COIN(?!BASE)/g, "TRX"],
	[/Coin/g, "Trx"],
	[/coin/g, "trx"],
];

const TO_NEUTRAL: readonly (readonly [deployed: RegExp, neutral: string])[] = [
	[/TRC(?=-?\d)/g, "ORC"],
	[/Trc(?=-?\d)/g, "Orc"],
	[/trc(?=-?\d|Token)/g, "orc"],
	[/TRX|TRON/g, "COIN"],
	[/Trx|Tron/g, "Coin"],
	[/trx|tron/g, "coin"],
];

/**
 * Prefix of a personal message before hashing, without the length that follows. It is part of the algorithm,
 * so it is the same in both dialects (protocol/wallet-formats §3.1).
 */
export const SIGNED_MESSAGE_PREFIX = "\x19TRON Signed Message:\n";

/** Names that look like a brand word but are none. */
const KEPT = new Set(["trx_hash"]);

/** Translates an identifier or message of this code to the deployed spelling. */
export function toDeployed(text: string): string {
	if (KEPT.has(text) || !/coin|orc/i.test(text)) return text;
	let result = text;
	for (const [neutral, deployed] of WORDS) result = result.replaceAll(neutral, deployed);
	return result;
}

/** Translates an identifier in either spelling to the neutral one. */
export function toNeutral(text: string): string {
	if (KEPT.has(text) || !/tr[cxo]/i.test(text)) return text;
	let result = text;
	for (const [deployed, neutral] of TO_NEUTRAL) result = result.replaceAll(deployed, neutral);
	return result;
}

/** Translates a neutral text to a dialect. */
export function spell(text: string, dialect: Dialect): string {
	return dialect === "deployed" ? toDeployed(text) : text;
}
