/** Tokens that a transaction moved, with their names and decimals. */

import { type Json, objectsOf, textOf, wholeOf } from "../../answer.js";
import { decimal, grouped } from "../../format.js";
import type { NodeClient } from "../../node-client.js";
import type { TokenMove } from "../../token-moves.js";
import { addressLink, type Child, link, note, section, table } from "../elements.js";

/** Tokens that are named and counted with their decimals. */
const MAX_MOVES = 20;

/** Each token that moved, as much as a reader needs to find a payment. */
export async function tokensMoved(
	client: NodeClient,
	moves: readonly TokenMove[],
): Promise<HTMLElement | undefined> {
	if (moves.length === 0) return undefined;
	const contracts = [...new Set(moves.filter(({ isContract }) => isContract).map(({ token }) => token))];
	const asked = contracts.slice(0, MAX_MOVES).join(",");
	const answer =
		asked === "" ? {} : await client.history(`orc20/info?contract_list=${asked}`).catch((): Json => ({}));
	const infos = new Map(objectsOf(answer, "data").map((each) => [textOf(each, "contract_address"), each]));
	const rows = await Promise.all(
		moves.slice(0, MAX_MOVES).map(async ({ token, isContract, from, to, value }): Promise<Child[]> => {
			const own = isContract
				? infos.get(token)
				: await client.call("getassetissuebyid", { value: token }).catch((): Json => ({}));
			const decimals = own?.[isContract ? "decimals" : "precision"];
			const name = own ? textOf(own, isContract ? "symbol" : "name") || token : token;
			const path = isContract ? `account/${token}` : `token/${encodeURIComponent(token)}`;
			const isKnown = !isContract || decimals !== undefined;
			return [
				isKnown
					? decimal(value, Number(wholeOf(own ?? {}, isContract ? "decimals" : "precision")))
					: `${grouped(value)} units`,
				link(path, name),
				addressLink(from, false),
				addressLink(to, false),
			];
		}),
	);
	return section(
		"Tokens moved",
		table("Tokens moved", ["Amount", "Token", "From", "To"], rows),
		moves.length > MAX_MOVES
			? note(`and ${grouped(moves.length - MAX_MOVES)} more, among the events`)
			: undefined,
	);
}
