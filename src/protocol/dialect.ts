/**
 * The two spellings of the network's brand words: neutral, which this code uses throughout, and deployed, which
 * existing clients read (the specification's README, "Names: one dialect table").
 *
 * Applied at the edges only: JSON, error texts, gRPC names, configuration keys, and keys of the property store.
 */

export type Dialect = "neutral" | "deployed";

/** Ordered: the longer words first, since two deployed words share one neutral word. */
const WORDS: readonly (readonly [neutral: string, deployed: string])[] = [
	["COIN_POWER", "TRON_POWER"],
	["CoinPower", "TronPower"],
	["coinPower", "tronPower"],
	["coin_power", "tron_power"],
	["CoinZksnark", "TronZksnark"],
	["org.coin.", "org.tron."],
	["ORC", "TRC"],
	["Orc", "Trc"],
	["orc", "trc"],
	["COIN", "TRX"],
	["Coin", "Trx"],
	["coin", "trx"],
];

const TO_NEUTRAL: readonly (readonly [deployed: string, neutral: string])[] = [
	["TRC", "ORC"],
	["Trc", "Orc"],
	["trc", "orc"],
	["TRX", "COIN"],
	["Trx", "Coin"],
	["trx", "coin"],
	["TRON", "COIN"],
	["Tron", "Coin"],
	["tron", "coin"],
];

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
