import { Flags } from "@oclif/core";
import { lines } from "../../terminal/schema/result-shape.js";
import { noteRecord, noteShape } from "../../terminal/shielded/shielded-output.js";
import { ShieldedQuery, shieldedQueryFlags } from "../../terminal/shielded/shielded-query.js";

export default class ShieldedNotes extends ShieldedQuery {
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
