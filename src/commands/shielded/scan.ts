import { Flags } from "@oclif/core";
import { one, record } from "../../terminal/schema/result-shape.js";
import { ShieldedQuery, shieldedQueryFlags } from "../../terminal/shielded/shielded-query.js";
import { sumIn } from "../../wallet/shielded/note-state.js";
import { poolName } from "../../wallet/shielded/pool.js";

export default class ShieldedScan extends ShieldedQuery {
	static override summary = "Read what came to a key's shielded addresses, and what was spent";
	static override aliases = ["shielded:receive"];
	static override description =
		"Blocks or logs are fetched from the node and opened here: no key leaves this machine, and the node doesn't learn which " +
		"notes are the key's. What was read is kept sealed in the keystore, so the next time goes on from there. notes, " +
		"balance and send read by themselves; this command is for the first, long time, and for seeing how far it is.";
	static override examples = [
		"<%= config.bin %> shielded scan --key ann --contract shield",
		"<%= config.bin %> shielded scan --key shop --since 71000000 --progress json",
	];
	static override result = one(
		record({
			pool: "text",
			from: "int64",
			irreversible: "int64",
			through: "int64",
			notes: "integer",
			unspent: "integer",
			balance: "int64",
		}),
	);
	static override flags = {
		...shieldedQueryFlags,
		again: Flags.boolean({ description: "forget what was read, and read everything anew" }),
	};

	async run(): Promise<void> {
		const { flags } = await this.parse(ShieldedScan);
		const { scan, notes, units, pool } = await this.read(flags, flags.again);
		const unspent = notes.filter(({ state }) => state !== "spent");
		const balance = sumIn(notes, "unspent", "unconfirmed", "pending", "unknown");
		const result = {
			pool: poolName(pool.pool),
			from: scan.state.since,
			irreversible: scan.irreversible.through,
			through: scan.holdings.through,
			notes: notes.length,
			unspent: unspent.length,
			balance: units.raw(balance),
		};
		this.printRecord(result, { ...result, balance: units.text(balance) });
	}
}
