/** `coin shielded …`: shielded keys and addresses. */

import { randomBytes } from "node:crypto";
import { Flags } from "@oclif/core";
import {
	addShielded,
	checkNewShielded,
	checkShieldedLabel,
	deleteShielded,
	findShielded,
	listShielded,
	renameShielded,
	unlockShielded,
} from "../../keystore/shielded-keystore.js";
import { toHex } from "../../protocol/bytes.js";
import {
	addressOfKeys,
	keysOfSpendingKey,
	narrowed,
	type ShieldedKeys,
} from "../../protocol/sapling/key-set.js";
import { readPaymentAddress, writePaymentAddress } from "../../protocol/sapling/payment-address.js";
import { diversifiedBase } from "../../protocol/sapling/shielded-keys.js";
import { command } from "../../terminal/base/command-row.js";
import { confirmExport, deliver, exportFlags } from "../../terminal/base/secret-export.js";
import {
	keystoreFlags,
	lightFlag,
	optional,
	passwordFlags,
	progressFlag,
	required,
	walletArgument,
} from "../../terminal/flags/flags.js";
import { importArguments, importInput, secretFileFlag } from "../../terminal/keys/import-input.js";
import { importedSecret, newPassword, openedKey } from "../../terminal/keys/secrets.js";
import { withProgress } from "../../terminal/progress/progress.js";
import { agree } from "../../terminal/prompt/confirmation.js";
import { lines, one } from "../../terminal/schema/result-shape.js";
import { shieldedKeyShape, shieldedRecord } from "../../terminal/shielded/shielded-output.js";
import { mannerOf, openShielded, shieldedKeyFlags } from "../../terminal/shielded/shielded-query.js";
import { Failure } from "../../wallet/failure.js";
import { readShieldedKeys, viewingKeyText } from "../../wallet/shielded/key-text.js";

export const ShieldedAddress = command({
	summary: "Print a shielded address of a key",
	description:
		"The usual one, or with --new another one: all of a key's addresses lead to the same notes, and whoever knows two of " +
		"them can't tell that they belong together.",
	examples: ["<%= config.bin %> shielded address ann", "<%= config.bin %> shielded address ann --new"],
	result: one("text"),
	args: {
		key: optional("label or address (default: the only key)"),
	},
	flags: {
		...keystoreFlags,
		...passwordFlags,
		...progressFlag,
		"key-password-file": shieldedKeyFlags["key-password-file"],
		new: Flags.boolean({ description: "a new address; needs the password" }),
	},
	run: async ({ args, flags, ...terminal }) => {
		const settings = await terminal.settings();
		if (!flags.new) {
			const { address } = await findShielded(settings.keystoreDirectory, args.key);
			return terminal.print.scalar(writePaymentAddress(readPaymentAddress(address), settings.dialect));
		}
		const named = { ...flags, key: args.key };
		const { keys } = await openShielded(settings, named, mannerOf(terminal, settings));
		terminal.print.scalar(writePaymentAddress(addressOfKeys(keys, freshDiversifier()), settings.dialect));
	},
});

/** About half of all candidates are valid. */
function freshDiversifier(): Uint8Array {
	for (;;) {
		const diversifier = randomBytes(11);
		if (diversifiedBase(diversifier)) return diversifier;
	}
}

export const ShieldedDelete = command({
	summary: "Remove a key of shielded addresses for good",
	description:
		"Without another copy of a spending key its notes are lost: coin shielded export spending-key makes one.",
	examples: ["<%= config.bin %> shielded delete vera"],
	result: one(shieldedKeyShape),
	args: {
		key: required("label or address"),
	},
	flags: {
		...keystoreFlags,
		yes: Flags.boolean({ char: "y", description: "don't ask" }),
	},
	run: async ({ args, flags, settings: load, print }) => {
		const settings = await load();
		const entry = await findShielded(settings.keystoreDirectory, args.key);
		const record = shieldedRecord(entry, settings.dialect);
		await agree(2, [`the ${entry.reach} key ${entry.name} is removed`], flags.yes, "Remove it for good?");
		await deleteShielded(entry);
		print.record(record);
	},
});

export const ShieldedImport = command({
	summary: "Store a spending or viewing key of shielded addresses, encrypted",
	description:
		"A spending key is 64 hexadecimal digits; viewing keys are JSON, as coin shielded export viewing-key prints them, and " +
		"as the network's own methods name them: ak, nk and ovk see everything, ivk what comes. The key is asked for on the " +
		"terminal, or read from --key-file, or from standard input with -. It is never an argument. " +
		"The password is asked for on the terminal even then, unless --password-file has it.",
	examples: [
		"<%= config.bin %> shielded import ann",
		"<%= config.bin %> shielded import shop - < shop.viewing",
	],
	result: one(shieldedKeyShape),
	args: importArguments("the key", "the key"),
	flags: {
		...keystoreFlags,
		...passwordFlags,
		...secretFileFlag("the key"),
		...lightFlag,
	},
	run: async ({ args, flags, settings: load, chatty, passwordSource, print }) => {
		const settings = await load();
		const source = passwordSource(settings);
		const { name, file } = importInput(args, flags);
		await checkShieldedLabel(settings.keystoreDirectory, name);
		const keys = await importedSecret(file, "the shielded key", source.warn, readShieldedKeys);
		await checkNewShielded(settings.keystoreDirectory, keys, name);
		const password = await newPassword(source, name ?? "the key");
		const entry = await withProgress("encrypting the key", chatty, () =>
			addShielded(settings.keystoreDirectory, keys, password, {
				name,
				strength: flags.light ? "light" : "standard",
			}),
		);
		print.record(shieldedRecord(entry, settings.dialect));
	},
});

export const ShieldedList = command({
	summary: "List the keys of shielded addresses",
	examples: ["<%= config.bin %> shielded list"],
	result: lines(shieldedKeyShape),
	flags: keystoreFlags,
	run: async ({ settings: load, print, warning }) => {
		const settings = await load();
		const { entries, unusable } = await listShielded(settings.keystoreDirectory);
		for (const { file, reason } of unusable) warning(`${file} is left out: ${reason}`);
		const records = entries.map((entry) => shieldedRecord(entry, settings.dialect));
		print.list(records, ["name", "kind", "address"], "no keys of shielded addresses: coin shielded new");
	},
});

export const ShieldedNew = command({
	summary: "Make a new spending key of shielded addresses and store it encrypted",
	examples: ["<%= config.bin %> shielded new ann"],
	result: one(shieldedKeyShape),
	args: {
		name: optional("label of the key (default: its address)"),
	},
	flags: {
		...keystoreFlags,
		...passwordFlags,
		...lightFlag,
	},
	run: async ({ args, flags, settings: load, chatty, passwordSource, print }) => {
		const settings = await load();
		await checkShieldedLabel(settings.keystoreDirectory, args.name);
		const password = await newPassword(passwordSource(settings), args.name ?? "the new key");
		const keys = freshKeys();
		const entry = await withProgress("encrypting the key", chatty, () =>
			addShielded(settings.keystoreDirectory, keys, password, {
				name: args.name,
				strength: flags.light ? "light" : "standard",
			}),
		);
		print.record(shieldedRecord(entry, settings.dialect));
	},
});

/** The network accepts all but one in 2^250 of these keys. */
function freshKeys(): ShieldedKeys {
	for (;;) {
		const sk = Uint8Array.from(randomBytes(32));
		sk[0] = (sk[0] as number) & 0x0f;
		const keys = keysOfSpendingKey(sk);
		if (keys) return keys;
	}
}

export const ShieldedRename = command({
	summary: "Give a key of shielded addresses another label",
	examples: ["<%= config.bin %> shielded rename ann savings"],
	result: one(shieldedKeyShape),
	args: {
		key: required("label or address"),
		name: required("the new label"),
	},
	flags: keystoreFlags,
	run: async ({ args, settings: load, print }) => {
		const settings = await load();
		const { keystoreDirectory } = settings;
		const entry = await findShielded(keystoreDirectory, args.key);
		print.record(shieldedRecord(await renameShielded(keystoreDirectory, entry, args.name), settings.dialect));
	},
});

export const ShieldedExportSpendingKey = command({
	summary: "Print or write the spending key of shielded addresses",
	examples: ["<%= config.bin %> shielded export spending-key ann --yes --out ann.key"],
	args: walletArgument,
	flags: exportFlags,
	run: async ({ args, flags, settings: load, chatty, passwordSource, print }) => {
		const settings = await load();
		const entry = await findShielded(settings.keystoreDirectory, args.wallet);
		if (entry.reach !== "spending")
			throw new Failure("watch_only", `${entry.name} is a viewing key: its spending key isn't here`);
		await confirmExport(`the spending key of ${entry.name}`, flags.yes);
		const source = passwordSource(settings);
		const { spending } = await openedKey(source, chatty, entry, unlockShielded);
		if (!spending) throw new Failure("watch_only", `${entry.name} is a viewing key`);
		await deliver({ print }, toHex(spending.sk), "the spending key", flags.out);
	},
});

export const ShieldedExportViewingKey = command({
	summary: "Print or write the viewing key of shielded addresses",
	description:
		"Whoever has it sees every amount and memo that comes and goes, and can spend nothing; with --incoming only what comes.",
	examples: ["<%= config.bin %> shielded export viewing-key ann --yes | ssh shop coin shielded import ann -"],
	args: walletArgument,
	flags: {
		...exportFlags,
		incoming: Flags.boolean({ description: "only what comes: neither what is sent nor what is spent" }),
	},
	run: async ({ args, flags, settings: load, chatty, passwordSource, print }) => {
		const settings = await load();
		const entry = await findShielded(settings.keystoreDirectory, args.wallet);
		if (entry.reach === "incoming" && !flags.incoming)
			throw new Failure("watch_only", `${entry.name} is an incoming viewing key: --incoming exports it`);
		await confirmExport(`the viewing key of ${entry.name}`, flags.yes, "Whoever reads it sees the notes.");
		const keys = await openedKey(passwordSource(settings), chatty, entry, unlockShielded);
		const { ovk: _, ...incoming } = narrowed(keys, "incoming");
		const given = flags.incoming ? incoming : narrowed(keys, "viewing");
		await deliver({ print }, viewingKeyText(given), "the viewing key", flags.out);
	},
});
