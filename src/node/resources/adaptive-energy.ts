/** The total energy limit, which adapts to usage (protocol/blocks §4.4, step 6, protocol/resources §5). */

import { maxInt, minInt } from "../../protocol/int64.js";
import type { Properties } from "../state/properties.js";
import { product, result } from "./arithmetic.js";
import { increase } from "./window.js";

/** Slots over which block usage is averaged: one minute. */
const AVERAGE_WINDOW = 20n;

/** Adjusts the limit after a block's transactions, while the parameter is on. */
export function updateAdaptiveEnergy(properties: Properties): void {
	if (!properties.on("ALLOW_ADAPTIVE_ENERGY")) return;
	const now = properties.headSlot;
	const average = increase(
		properties,
		properties.get("TOTAL_ENERGY_AVERAGE_USAGE"),
		properties.get("BLOCK_ENERGY_USAGE"),
		properties.get("TOTAL_ENERGY_AVERAGE_TIME"),
		now,
		AVERAGE_WINDOW,
	);
	properties.set("TOTAL_ENERGY_AVERAGE_USAGE", average);
	properties.set("TOTAL_ENERGY_AVERAGE_TIME", now);
	const current = properties.get("TOTAL_ENERGY_CURRENT_LIMIT");
	const limit = properties.get("TOTAL_ENERGY_LIMIT");
	const moved =
		average > properties.get("TOTAL_ENERGY_TARGET_LIMIT")
			? result(properties, product(properties, current * 99n) / 100n)
			: result(properties, product(properties, current * 1000n) / 999n);
	const ceiling = result(properties, limit * properties.get("ADAPTIVE_RESOURCE_LIMIT_MULTIPLIER"));
	properties.set("TOTAL_ENERGY_CURRENT_LIMIT", minInt(maxInt(moved, limit), ceiling));
}
