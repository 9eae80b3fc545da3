/** `coin keystore …`: manages and exports the keys of the keystore. */

import { readFile, stat } from "node:fs/promises";
import { Flags } from "@oclif/core";
import { agentAt } from "../../keystore/agent/client.js";
import { deleteEntry, renameEntry } from "../../keystore/editing.js";
import { type KeyFile, parseKeyFile } from "../../keystore/key-file.js";
import {
	changePassword,
	exportKeyFile,
	isWithoutKey,
	type KeystoreEntry,
	listKeystore,
	unlockAnyKey,
	unlockMnemonic,
} from "../../keystore/keystore.js";
import { writePlainKey } from "../../keystore/plain-post-quantum-key.js";
import { forgetKey } from "../../keystore/private-key.js";
import { toHex } from "../../protocol/bytes.js";
import { command } from "../../terminal/base/command-row.js";
import { confirmExport, deliver, exportFlags } from "../../terminal/base/secret-export.js";
import {
	entryRecord,
	keystoreFlags,
	lightFlag,
	passwordFlags,
	required,
	walletArgument,
} from "../../terminal/flags/flags.js";
import { AGENT_VARIABLE } from "../../terminal/keys/agent-signature.js";
import { newPassword, openedKey, withPassword } from "../../terminal/keys/secrets.js";
import { printLine } from "../../terminal/output/output.js";
import { withProgress } from "../../terminal/progress/progress.js";
import { canAsk } from "../../terminal/prompt/controlling-terminal.js";
import { askText } from "../../terminal/prompt/prompts.js";
import { one } from "../../terminal/schema/result-shape.js";
import { checkNewKeyLabel } from "../../wallet/configuration/contacts.js";
import { Failure } from "../../wallet/failure.js";
import { keyNamed, openableKey } from "../../wallet/transaction/signing.js";

/** Number of address characters typed to confirm. */
const TYPED = 6;

export const KeystoreDelete = command({
	summary: "Take a key out of the keystore",
	description:
		"The file moves to .deleted/ inside the keystore, with the mnemonic that is kept under its address; --purge removes both for good. On a terminal the last six characters of the address are asked for.",
	examples: ["<%= config.bin %> keystore delete bob --yes"],
	args: walletArgument,
	flags: {
		...keystoreFlags,
		purge: Flags.boolean({ description: "remove the file instead of moving it away" }),
		yes: Flags.boolean({ char: "y", description: "don't ask" }),
	},
	run: async ({ args, flags, settings: load, print }) => {
		const settings = await load();
		const entry = await keyNamed(settings, args.wallet);
		if (!flags.yes) await confirmDeletion(entry, flags.purge);
		const files = await deleteEntry(settings.keystoreDirectory, entry, flags.purge);
		print.record({ name: entry.name, address: entry.base58, deleted: true, movedTo: files });
	},
});

/** @throws {Failure} `confirmation_needed`, `confirmation_refused` */
async function confirmDeletion({ name, base58 }: KeystoreEntry, purge: boolean): Promise<void> {
	if (!canAsk())
		throw new Failure("confirmation_needed", "deleting a key needs --yes without a terminal to ask on");
	const how = purge ? "for good" : "(its file is kept in .deleted)";
	const typed = await askText(`Type the last ${TYPED} characters of ${base58} to delete ${name} ${how}:`);
	if (typed.trim() !== base58.slice(-TYPED)) {
		throw new Failure("confirmation_refused", "those are other characters; nothing was deleted");
	}
}

export const KeystoreList = command({
	summary: "List the keys of the keystore",
	examples: ["<%= config.bin %> keystore list --addresses"],
	aliases: ["wallet:list"],
	flags: {
		...keystoreFlags,
		kind: Flags.option({
			options: ["key", "mnemonic", "watch", "signer"] as const,
			description: "only keys of this kind",
		})(),
		addresses: Flags.boolean({ description: "print bare addresses, one a line" }),
	},
	run: async ({ flags, settings: load, print, warning }) => {
		const settings = await load();
		const { entries, unusable } = await listKeystore(settings.keystoreDirectory);
		for (const { file, reason } of unusable) warning(`${file} is left out: ${reason}`);
		const shown = entries.filter((entry) => flags.kind === undefined || entry.kind === flags.kind);
		if (flags.addresses) {
			for (const entry of shown) printLine(entry.base58);
			return;
		}
		const records = shown.map((entry) => ({
			...entryRecord(entry),
			active: settings.wallet === entry.name || settings.wallet === entry.base58 || entries.length === 1,
		}));
		const text = records.map((record) => ({ ...record, active: record.active ? "active" : "" }));
		const schemes = shown.some(({ scheme }) => scheme) ? ["scheme"] : [];
		const columns = ["name", "address", "kind", ...schemes, "path", "active"];
		print.list(records, columns, `no keys in ${settings.keystoreDirectory}`, text);
	},
});

export const KeystoreLock = command({
	summary: "Have the agent forget its keys and end",
	description:
		"Prints whether there was one: true or false under --json. The agent is the one that COIN_AGENT names.",
	examples: ["<%= config.bin %> keystore lock"],
	result: one("boolean"),
	run: async ({ print }) => {
		const socketPath = process.env[AGENT_VARIABLE];
		const isLocked = socketPath ? ((await agentAt(socketPath)?.lock()) ?? false) : false;
		print.outcome(isLocked, isLocked ? "the agent has forgotten its keys and ended" : absence(socketPath));
	},
});

function absence(socketPath: string | undefined): string {
	return socketPath
		? `no agent is running at ${socketPath}: nothing to lock`
		: `${AGENT_VARIABLE} names no agent: nothing to lock`;
}

export const KeystorePasswd = command({
	summary: "Change the password of a key",
	examples: [
		"<%= config.bin %> keystore passwd ann",
		"<%= config.bin %> keystore passwd ann --password-file old --new-password-file new",
	],
	args: walletArgument,
	flags: {
		...keystoreFlags,
		...passwordFlags,
		"new-password-file": Flags.string({ description: "file with the new password", helpValue: "<path>" }),
		...lightFlag,
	},
	run: async ({ args, flags, settings: load, chatty, passwordSource, print }) => {
		const settings = await load();
		const source = passwordSource(settings);
		const entry = await openableKey(settings, args.wallet);
		// Verify the old password before asking for a new one.
		const old = await openedKey(source, chatty, entry, async (_, password) => {
			forgetKey(await unlockAnyKey(entry, password));
			return password;
		});
		const fresh = await newPassword({ ...source, file: flags["new-password-file"] }, entry.name);
		await withProgress("encrypting the key", chatty, () =>
			changePassword(entry, old, fresh, flags.light ? "light" : "standard"),
		);
		print.record({ name: entry.name, address: entry.base58, file: entry.file });
	},
});

export const KeystoreRename = command({
	summary: "Give a key another label",
	examples: ["<%= config.bin %> keystore rename bob robert"],
	args: {
		...walletArgument,
		name: required("the new label"),
	},
	flags: keystoreFlags,
	run: async ({ args, settings: load, print, warning }) => {
		const settings = await load();
		const entry = await keyNamed(settings, args.wallet);
		await checkNewKeyLabel(settings, args.name, entry.address);
		const renamed = await renameEntry(settings.keystoreDirectory, entry, args.name);
		if (settings.wallet === entry.name) {
			warning(`the active wallet is still called ${entry.name}: coin wallet use ${args.name}`);
		}
		print.record(entryRecord(renamed));
	},
});

export const KeystoreShow = command({
	summary: "Show what is known about a key without opening it",
	examples: ["<%= config.bin %> keystore show ann"],
	args: walletArgument,
	flags: keystoreFlags,
	run: async ({ args, settings, print }) => {
		const entry = await keyNamed(await settings(), args.wallet);
		const { mode } = await stat(entry.file);
		const encryption = isWithoutKey(entry)
			? {}
			: encryptionOf(parseKeyFile(await readFile(entry.file, "utf8"), entry.file));
		print.record({
			...entryRecord(entry),
			...encryption,
			mode: (mode & 0o777).toString(8).padStart(4, "0"),
		});
	},
});

function encryptionOf({ derivation }: KeyFile): object {
	if (derivation.kdf === "pbkdf2") return { kdf: "pbkdf2", strength: `${derivation.c} rounds` };
	const { n, r, p } = derivation;
	return { kdf: "scrypt", strength: strengthOf(n), n, r, p };
}

/** Describes the scrypt cost: the two levels that wallets use, and everything between. */
function strengthOf(n: number): string {
	if (n >= 262144) return "standard";
	return n > 4096 ? "between light and standard" : "light";
}

export const KeystoreVerify = command({
	summary: "Check that a key opens with its password and belongs to its address",
	examples: ["<%= config.bin %> keystore verify ann"],
	args: walletArgument,
	flags: { ...keystoreFlags, ...passwordFlags },
	run: async ({ args, settings: load, chatty, passwordSource, print }) => {
		const settings = await load();
		const entry = await openableKey(settings, args.wallet);
		forgetKey(await openedKey(passwordSource(settings), chatty, entry, unlockAnyKey));
		print.scalar(true);
	},
});

export const KeystoreExportFile = command({
	summary: "Print or write the encrypted key file of a wallet",
	examples: ["<%= config.bin %> keystore export file ann --ethereum --out UTC--ann.json"],
	args: walletArgument,
	flags: {
		...exportFlags,
		ethereum: Flags.boolean({
			description: "write the address as 40 hex digits, as Ethereum's programs expect it",
		}),
	},
	run: async ({ args, flags, settings: load, print, note }) => {
		const settings = await load();
		const entry = await openableKey(settings, args.wallet);
		await confirmExport(`the key file of ${entry.name}`, flags.yes);
		const text = await exportKeyFile(entry, flags.ethereum ? "ethereum" : "base58");
		if (!flags.ethereum)
			note("the address in it is Base58; Ethereum's programs want it as 40 hex digits: --ethereum");
		await deliver({ print }, text, "the encrypted key file", flags.out);
	},
});

export const KeystoreExportKey = command({
	summary: "Print or write the private key of a wallet",
	description:
		"A key of a post-quantum scheme is written as the network's own tools keep it: JSON with scheme, privateKey, publicKey and address.",
	examples: ["<%= config.bin %> keystore export key ann --yes --out ann.key"],
	args: walletArgument,
	flags: exportFlags,
	run: async ({ args, flags, settings: load, chatty, passwordSource, print }) => {
		const settings = await load();
		const entry = await openableKey(settings, args.wallet);
		await confirmExport(`the private key of ${entry.name}`, flags.yes);
		const key = await openedKey(passwordSource(settings), chatty, entry, unlockAnyKey);
		const text = key instanceof Uint8Array ? toHex(key) : writePlainKey(key);
		await deliver({ print }, text, "the private key", flags.out);
		forgetKey(key);
	},
});

export const KeystoreExportMnemonic = command({
	summary: "Print or write the mnemonic of a wallet",
	examples: ["<%= config.bin %> keystore export mnemonic savings --out savings.words"],
	args: walletArgument,
	flags: exportFlags,
	run: async ({ args, flags, settings: load, chatty, passwordSource, print }) => {
		const settings = await load();
		const entry = await openableKey(settings, args.wallet);
		await confirmExport(`the mnemonic of ${entry.name}`, flags.yes);
		const words = await withPassword(passwordSource(settings), entry.name, (password) =>
			withProgress("opening the mnemonic", chatty, () =>
				unlockMnemonic(settings.keystoreDirectory, entry.base58, password),
			),
		);
		await deliver({ print }, words, "the mnemonic", flags.out);
	},
});
