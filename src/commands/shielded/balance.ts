import { one } from "../../terminal/schema/result-shape.js";
import { ShieldedQuery, shieldedQueryFlags } from "../../terminal/shielded/shielded-query.js";
import { sumIn } from "../../wallet/shielded/note-state.js";

export default class ShieldedBalance extends ShieldedQuery {
	static override summary = "Print what a key's notes hold together";
	static override description =
		"Notes that a waiting transaction spends are not counted. In the token's decimals for people, in smallest units with --json.";
	static override examples = ["<%= config.bin %> shielded balance --key ann --contract shield"];
	static override result = one("int64");
	static override flags = shieldedQueryFlags;

	async run(): Promise<void> {
		const { flags } = await this.parse(ShieldedBalance);
		const { notes, units } = await this.read(flags);
		const pending = sumIn(notes, "pending");
		if (pending > 0n) this.note(`${units.text(pending)} more wait for a transaction`);
		const balance = sumIn(notes, "unspent", "unconfirmed", "unknown");
		this.printScalar(this.json ? units.raw(balance) : units.text(balance));
	}
}
