/**
 * The two spellings of the network's brand words: neutral, which this code uses throughout, and deployed, which
 * existing clients read (the specification's README, "Names: one dialect table").
 *
 * Applied at the edges only: JSON, error texts, gRPC names, configuration keys, and keys of the property store.
 */

export type Dialect = "neutral" | "deployed";

/**
 * Ordered: the longer words first, since two deployed words share one neutral word. The token-standard prefix counts
 * only before its number, so that ordinary words ("force") stay as they are. COINBASE is an operation of contracts.
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
 * What precedes a personal message before it is hashed, without the length that follows. It is part of the algorithm,
 * so no dialect changes it (protocol/wallet-formats §3.1).
 */
export const SIGNED_MESSAGE_PREFIX = "\x19TRON Signed Message:\n";

/** Names that look like a brand word and are not one. */
const KEPT = new Set(["trx_hash"]);

/** The deployed spelling of an identifier or a message of this code. */
export function toDeployed(text: string): string {
	if (KEPT.has(text) || !/coin|orc/i.test(text)) return text;
	let result = text;
	for (const [neutral, deployed] of WORDS) result = result.replaceAll(neutral, deployed);
	return result;
}

/** The neutral spelling of an identifier in either spelling. */
export function toNeutral(text: string): string {
	if (KEPT.has(text) || !/tr[cxo]/i.test(text)) return text;
	let result = text;
	for (const [deployed, neutral] of TO_NEUTRAL) result = result.replaceAll(deployed, neutral);
	return result;
}

/** Spells a neutral text for a dialect. */
export function spell(text: string, dialect: Dialect): string {
	return dialect === "deployed" ? toDeployed(text) : text;
}
