import { toBase58Check } from "../../protocol/address.js";
import { writePaymentAddress } from "../../protocol/sapling/payment-address.js";
import { lines, record } from "../../terminal/schema/result-shape.js";
import { ShieldedQuery, shieldedQueryFlags } from "../../terminal/shielded/shielded-query.js";
import { memoView } from "../../wallet/shielded/pool-reading.js";

export default class ShieldedSent extends ShieldedQuery {
	static override summary = "List what was sent with a key";
	static override description =
		"Notes for others, which an outgoing viewing key opens, and what was paid to accounts. Change is not among them.";
	static override result = lines(
		record({ amount: "int64", to: "text", block: "int64", txID: "hex", "memo?": "text" }),
	);
	static override flags = shieldedQueryFlags;

	async run(): Promise<void> {
		const { flags } = await this.parse(ShieldedSent);
		const { scan, units, pool } = await this.read(flags);
		const { dialect } = pool.client.settings;
		const sent = scan.holdings.sent.map(({ note, memo, block, txID }) => ({
			amount: units.raw(note.value),
			to: writePaymentAddress(note, dialect),
			block,
			txID,
			memo: memo.length > 0 ? memoView(memo) : undefined,
		}));
		const burnt = scan.holdings.burnt.map(({ to, amount, block, txID }) => ({
			amount,
			to: toBase58Check(to),
			block,
			txID,
			memo: undefined,
		}));
		const all = [...sent, ...burnt].sort((a, b) => Number(a.block - b.block));
		const text = all.map((item) => ({ ...item, amount: units.text(item.amount / units.factor) }));
		this.printList(all, ["amount", "to", "block", "memo", "txID"], "nothing was sent", text);
	}
}
