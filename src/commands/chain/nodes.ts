import { fromHex, fromUtf8 } from "../../protocol/bytes.js";
import { QueryCommand } from "../../terminal/base/query-command.js";
import { nodeFlags } from "../../terminal/flags/flags.js";
import { isRecord, type Json, member } from "../../wallet/json.js";

export default class ChainNodes extends QueryCommand {
	static override summary = "List the nodes of the network that a node knows";
	static override flags = nodeFlags;

	async run(): Promise<void> {
		const { flags } = await this.parse(ChainNodes);
		const client = await this.client(flags);
		const { nodes } = await client.call("listnodes", {});
		const rows = (Array.isArray(nodes) ? nodes : []).filter(isRecord).flatMap((node) => addressOf(node));
		this.printList(rows, ["host", "port"], "no nodes");
	}
}

/** The host comes as hexadecimal digits of its text. */
function addressOf(node: { readonly [name: string]: Json }): { host: string; port: number }[] {
	const address = member(node, "address");
	if (!isRecord(address)) return [];
	const { host, port } = address;
	return [{ host: fromUtf8(fromHex(String(host ?? ""))), port: Number(port ?? 0n) }];
}
