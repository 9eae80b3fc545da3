/** The switch before every check of the market's contracts (protocol/market). */

import { ContractValidateError } from "../rules/errors.js";
import type { StateView } from "../state/view.js";

/** @throws {ContractValidateError} while the market is off */
export function checkMarketOpen(state: StateView): void {
	if (state.properties.on("ALLOW_MARKET_TRANSACTION")) return;
	throw new ContractValidateError("Not support Market Transaction, need to be opened by the committee");
}
