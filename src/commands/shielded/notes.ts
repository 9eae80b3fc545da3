/** `coin shielded …`: the notes of a key. */

import { Flags } from "@oclif/core";
import { toBase58Check } from "../../protocol/address.js";
import { writePaymentAddress } from "../../protocol/sapling/payment-address.js";
import { lines, one, record } from "../../terminal/schema/result-shape.js";
import { noteRecord, noteShape } from "../../terminal/shielded/shielded-output.js";
import { ShieldedQuery, shieldedQueryFlags } from "../../terminal/shielded/shielded-query.js";
import { sumIn } from "../../wallet/shielded/note-state.js";
import { poolName } from "../../wallet/shielded/pool.js";
import { memoView } from "../../wallet/shielded/pool-reading.js";

export class ShieldedBalance extends ShieldedQuery {
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

export class ShieldedNotes extends ShieldedQuery {
	static override summary = "List the notes that came to a key's shielded addresses";
	static override description =
		"Reads the pool up to the head first. States: unspent; unconfirmed, as the note's block can still be replaced; pending, " +
		"as a transaction of this machine spends it; spent; unknown, with an incoming viewing key.";
	static override examples = ["<%= config.bin %> shielded notes --key ann --contract shield --all"];
	static override result = lines(noteShape);
	static override flags = {
		...shieldedQueryFlags,
		all: Flags.boolean({ description: "spent notes too" }),
	};

	async run(): Promise<void> {
		const { flags } = await this.parse(ShieldedNotes);
		const { notes, units, pool } = await this.read(flags);
		const { dialect } = pool.client.settings;
		const shown = notes.filter(({ state }) => flags.all || state !== "spent");
		const records = shown.map((note) => noteRecord(note, units, dialect));
		const text = shown.map((note, i) => ({ ...records[i], amount: units.text(note.held.note.value) }));
		this.printList(records, ["amount", "state", "block", "memo", "txID"], "no notes", text);
	}
}

export class ShieldedScan extends ShieldedQuery {
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

export class ShieldedSent extends ShieldedQuery {
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
