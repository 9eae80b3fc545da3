/** The token that a contract implements: its metadata, largest holders and transfers. */

import { type AbiItem, hashedSignature } from "../../../abi/parameter.js";
import { type Json, objectOf, objectsOf, textOf, wholeOf } from "../../answer.js";
import { decimal, share } from "../../format.js";
import { CSV_HEADS, csvRow, transferRow } from "../../history-rows.js";
import { kindOf, tokenInfos } from "../../tokens.js";
import { ago, facts, make, note, party, section, table, transactionLink } from "../elements.js";
import { CSV_PAGE, NO_INDEX, PAGE, pages } from "../pages.js";
import type { ViewContext } from "../view.js";

const TRANSFER_EVENT = "Transfer(address,address,uint256)";

/** Empty if the contract isn't a token. @param contract Base58Check */
export async function tokenSections(
	context: ViewContext,
	contract: string,
	items: readonly AbiItem[],
): Promise<HTMLElement[]> {
	const { client, contracts } = context;
	const [infos, answer] = await Promise.all([
		tokenInfos(client, [contract]),
		client.history(`contracts/${contract}/tokens?limit=20`).catch((): Json => ({})),
	]);
	const info = infos.get(contract) ?? {};
	const holders = objectsOf(answer, "data");
	const isToken = textOf(info, "symbol") !== "" && textOf(info, "total_supply") !== "";
	if (!isToken && holders.length === 0) {
		const has = (signature: string) => items.some((item) => hashedSignature(item) === signature);
		const isUnasked = !infos.has(contract) && has(TRANSFER_EVENT) && has("balanceOf(address)");
		return isUnasked ? [section("Token", note(`By its interface it is a token. ${NO_INDEX}`))] : [];
	}
	const decimals = Number(wholeOf(info, "decimals"));
	const supply = wholeOf(info, "total_supply");
	const rows = holders.flatMap((each) =>
		Object.keys(each).map((holder) => {
			const held = wholeOf(each, holder);
			return [party(holder, contracts), decimal(held, decimals), share(held, supply)];
		}),
	);
	const isPart = objectOf(answer, "meta")["complete"] === false;
	return [
		section(
			"Token",
			facts(
				["Name", textOf(info, "name")],
				["Symbol", textOf(info, "symbol")],
				["Kind", kindOf(info)],
				["Decimals", String(decimals)],
				["Supply", decimal(supply, decimals)],
			),
			make("h3", {}, "Holders"),
			table("Holders", ["Account", "Amount", "Share"], rows, "None that this node has indexed."),
			isPart
				? note("Transfers name more accounts than the node asks for: larger holders may be missing.")
				: undefined,
			make("h3", {}, "Transfers"),
			transfers(context, {
				token: contract,
				path: `contracts/${contract}/events?${new URLSearchParams({ event_name: TRANSFER_EVENT })}`,
				rowOf: (event) => transferRow(items, event),
				info,
			}),
		),
	];
}

/** A list of the transfers of one token. */
interface TransferList {
	/** Prefix of the file name. */
	readonly token: string;
	/** As in answers of the history, with decimals and symbol. */
	readonly info: Json;
	readonly path: string;
	/** Converts a row to the history's form of transfers. */
	readonly rowOf: (row: Json) => Json;
	readonly loaded?: (rows: readonly Json[]) => void;
}

export function transfers(
	context: ViewContext,
	{ token, info, path, rowOf, ...more }: TransferList,
): HTMLElement {
	const isCounted = kindOf(info) === "ORC-20";
	return pages({
		context,
		caption: "Transfers",
		heads: ["Transaction", "From", "To", isCounted ? "Amount" : "Number", "Age"],
		path: `${path}&limit=${PAGE}`,
		row: (row) => {
			const of = rowOf(row);
			return [
				transactionLink(textOf(of, "transaction_id")),
				party(textOf(of, "from"), context.contracts),
				party(textOf(of, "to"), context.contracts),
				decimal(wholeOf(of, "value"), isCounted ? Number(wholeOf(info, "decimals")) : 0),
				ago(Number(wholeOf(of, "block_timestamp")), context.nowMs()),
			];
		},
		...more,
		file: {
			name: `${token}-transfers`,
			heads: CSV_HEADS,
			path: `${path}&limit=${CSV_PAGE}`,
			row: (row) => csvRow("tokens", { ...rowOf(row), token_info: info }),
		},
	});
}
