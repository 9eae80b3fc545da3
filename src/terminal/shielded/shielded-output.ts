/** Formats keys and notes of shielded addresses for printing. */

import type { ShieldedEntry } from "../../keystore/shielded-keystore.js";
import type { Dialect } from "../../protocol/dialect.js";
import { readPaymentAddress, writePaymentAddress } from "../../protocol/sapling/payment-address.js";
import type { JudgedNote } from "../../wallet/shielded/note-state.js";
import { memoView } from "../../wallet/shielded/pool-reading.js";
import type { PoolUnits } from "../../wallet/shielded/pool-units.js";
import { record, type Shape } from "../schema/result-shape.js";

/** An entry as printed by commands, in the profile's spelling. */
export function shieldedRecord({ name, address, reach, file }: ShieldedEntry, dialect: Dialect): object {
	const shown = writePaymentAddress(readPaymentAddress(address), dialect);
	return { name: name === address ? shown : name, address: shown, kind: reach, file };
}

export const shieldedKeyShape: Shape = record({
	name: "text",
	address: "text",
	kind: "text",
	file: "text",
});

/** A note as printed by commands, with amounts in smallest units of the token. */
export function noteRecord({ held, state }: JudgedNote, units: PoolUnits, dialect: Dialect): object {
	const { note, memo, position, txID, index, block, spent } = held;
	return {
		amount: units.raw(note.value),
		state,
		position,
		block,
		txID,
		index,
		address: writePaymentAddress(note, dialect),
		memo: memo.length > 0 ? memoView(memo) : undefined,
		spentBy: spent?.txID,
	};
}

export const noteShape: Shape = record({
	amount: "int64",
	state: "text",
	"position?": "int64",
	block: "int64",
	txID: "hex",
	index: "integer",
	address: "text",
	"memo?": "text",
	"spentBy?": "hex",
});
