/** Amounts in the console's JavaScript, as all commands have them: `5coin` and `20sun` stand for whole numbers of sun. */

import { parseCoinAmount } from "../../wallet/values/amount.js";

/** Texts and comments, which are passed over, and amounts. A number has no letters behind it in JavaScript, so nothing else looks so. */
const TOKENS =
	/'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`|\/\/[^\n]*|\/\*[\s\S]*?\*\/|(?<![\w$.])\d[\d_]*(?:\.\d+)?(?:coin|sun)\b/g;

/** @throws {Failure} `bad_value`, `amount_unit` for an amount that isn't a whole number of sun */
export function withAmounts(source: string): string {
	return source.replace(TOKENS, (token) => (/^\d/.test(token) ? `${parseCoinAmount(token)}n` : token));
}
