/** `coin shielded …`: a key's notes. */

import { Flags } from "@oclif/core";
import { toBase58Check } from "../../protocol/address.js";
import { writePaymentAddress } from "../../protocol/sapling/payment-address.js";
import { command } from "../../terminal/base/command-row.js";
import { lines, one, record } from "../../terminal/schema/result-shape.js";
import { noteRecord, noteShape } from "../../terminal/shielded/shielded-output.js";
import { readNotes, shieldedQueryFlags } from "../../terminal/shielded/shielded-query.js";
import { sumIn } from "../../wallet/shielded/note-state.js";
import { poolName } from "../../wallet/shielded/pool.js";
import { memoView } from "../../wallet/shielded/pool-reading.js";

export const ShieldedBalance = command({
	summary: "Print what a key's notes hold together",
	description:
		"Notes that a waiting transaction spends are not counted. In the token's decimals for people, in smallest units with --json.",
	examples: ["<%= config.bin %> shielded balance --key ann --contract shield"],
	result: one("int64"),
	flags: shieldedQueryFlags,
	run: async ({ flags, ...terminal }) => {
		const { notes, units } = await readNotes(terminal, flags);
		const pending = sumIn(notes, "pending");
		if (pending > 0n) terminal.note(`${units.text(pending)} more wait for a transaction`);
		const balance = sumIn(notes, "unspent", "unconfirmed", "unknown");
		terminal.print.scalar(terminal.json ? units.raw(balance) : units.text(balance));
	},
});

export const ShieldedNotes = command({
	summary: "List the notes that came to a key's shielded addresses",
	description:
		"Reads the pool up to the head first. States: unspent; unconfirmed, as the note's block can still be replaced; pending, " +
		"as a transaction of this machine spends it; spent; unknown, with an incoming viewing key.",
	examples: ["<%= config.bin %> shielded notes --key ann --contract shield --all"],
	result: lines(noteShape),
	flags: {
		...shieldedQueryFlags,
		all: Flags.boolean({ description: "spent notes too" }),
	},
	run: async ({ flags, ...terminal }) => {
		const { notes, units, pool } = await readNotes(terminal, flags);
		const { dialect } = pool.client.settings;
		const shown = notes.filter(({ state }) => flags.all || state !== "spent");
		const records = shown.map((note) => noteRecord(note, units, dialect));
		const text = shown.map((note, i) => ({ ...records[i], amount: units.text(note.held.note.value) }));
		terminal.print.list(records, ["amount", "state", "block", "memo", "txID"], "no notes", text);
	},
});

export const ShieldedScan = command({
	summary: "Read what came to a key's shielded addresses, and what was spent",
	aliases: ["shielded:receive"],
	description:
		"Blocks or logs are fetched from the node and opened here: no key leaves this machine, and the node doesn't learn which " +
		"notes are the key's. What was read is kept sealed in the keystore, so the next time goes on from there. notes, " +
		"balance and send read by themselves; this command is for the first, long time, and for seeing how far it is.",
	examples: [
		"<%= config.bin %> shielded scan --key ann --contract shield",
		"<%= config.bin %> shielded scan --key shop --since 71000000 --progress json",
	],
	result: one(
		record({
			pool: "text",
			from: "int64",
			irreversible: "int64",
			through: "int64",
			notes: "integer",
			unspent: "integer",
			balance: "int64",
		}),
	),
	flags: {
		...shieldedQueryFlags,
		again: Flags.boolean({ description: "forget what was read, and read everything anew" }),
	},
	run: async ({ flags, ...terminal }) => {
		const { scan, notes, units, pool } = await readNotes(terminal, flags, flags.again);
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
		terminal.print.record(result, { ...result, balance: units.text(balance) });
	},
});

export const ShieldedSent = command({
	summary: "List what was sent with a key",
	description:
		"Notes for others, which an outgoing viewing key opens, and what was paid to accounts. Change is not among them.",
	examples: ["<%= config.bin %> shielded sent --key ann --contract shield"],
	result: lines(record({ amount: "int64", to: "text", block: "int64", txID: "hex", "memo?": "text" })),
	flags: shieldedQueryFlags,
	run: async ({ flags, ...terminal }) => {
		const { scan, units, pool } = await readNotes(terminal, flags);
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
		terminal.print.list(all, ["amount", "to", "block", "memo", "txID"], "nothing was sent", text);
	},
});
