/** `coin keystore import …`: stores existing keys. */

import { Flags } from "@oclif/core";
import {
	addKey,
	addKeyFile,
	addMnemonic,
	changePassword,
	checkNewKey,
	checkNewKeyFile,
	watchAddress,
} from "../../keystore/keystore.js";
import { accountPath, checkMnemonic, deriveKey } from "../../keystore/mnemonic.js";
import { looksLikePlainKey, readPlainKey } from "../../keystore/plain-post-quantum-key.js";
import { forgetKey, type PrivateKey } from "../../keystore/private-key.js";
import { parsePrivateKey } from "../../keystore/secret-storage.js";
import { toBase58Check } from "../../protocol/address.js";
import { equalBytes } from "../../protocol/bytes.js";
import { command, type Terminal } from "../../terminal/base/command-row.js";
import {
	entryRecord,
	keystoreFlags,
	lightFlag,
	optional,
	passwordFlags,
	required,
	signerFileFlags,
	signerPlaceOf,
} from "../../terminal/flags/flags.js";
import { Devices, onDevice } from "../../terminal/keys/devices.js";
import { importArguments, importInput, secretFileFlag } from "../../terminal/keys/import-input.js";
import { fetchSecret, importedSecret, newPassword, withPassword } from "../../terminal/keys/secrets.js";
import { withProgress } from "../../terminal/progress/progress.js";
import { checkNewKeyLabel } from "../../wallet/configuration/contacts.js";
import type { Settings } from "../../wallet/configuration/settings.js";
import { Failure } from "../../wallet/failure.js";
import { namesDevice } from "../../wallet/signers/signer.js";
import { readAddress } from "../../wallet/values/address-text.js";

export const KeystoreImportFile = command({
	summary: "Store a key file of another wallet",
	description:
		"Any version 3 key file: of the network's node and wallets, and of Ethereum's programs. It is opened once to check the password and the address.",
	examples: [
		"<%= config.bin %> keystore import file UTC--2026-11-21T09-30-00.000Z--7e5f4552091a69125d5dfcb7b8c2659029395bdf geth",
	],
	args: {
		path: required("the key file"),
		name: optional("label of the key"),
	},
	flags: {
		...keystoreFlags,
		...passwordFlags,
		"new-password-file": Flags.string({
			description: "file with another password for the stored copy",
			helpValue: "<path>",
			exclusive: ["keep-password"],
		}),
		"keep-password": Flags.boolean({ description: "keep the file's password (default)" }),
	},
	run: async ({ args, flags, settings: load, chatty, passwordSource, print }) => {
		const settings = await load();
		const source = passwordSource(settings);
		await checkNewKeyLabel(settings, args.name);
		await checkNewKeyFile(settings.keystoreDirectory, args.path, args.name);
		const changed = flags["new-password-file"];
		const replacement =
			changed === undefined ? undefined : await newPassword({ ...source, file: changed }, "the stored copy");
		const entry = await withPassword(source, args.path, (password) =>
			withProgress("opening the key file", chatty, async () => {
				const stored = await addKeyFile(settings.keystoreDirectory, args.path, password, args.name);
				if (replacement !== undefined) await changePassword(stored, password, replacement);
				return stored;
			}),
		);
		print.record({ name: entry.name, address: entry.base58, kind: entry.kind, file: entry.file });
	},
});

export const KeystoreImportKey = command({
	summary: "Store a private key, encrypted",
	description:
		"The key is asked for on the terminal, or read from --key-file, or from standard input with -. It is never an argument. " +
		"The password is asked for on the terminal even then, unless --password-file has it. " +
		"JSON is a key of a post-quantum scheme as the network's own tools keep it: scheme, privateKey or seed, publicKey, address.",
	examples: [
		"<%= config.bin %> keystore import key ann",
		"pass show coin/ann | <%= config.bin %> keystore import key ann --key-file -",
		"<%= config.bin %> keystore import key vera --key-file FN_DSA_512.json",
	],
	args: importArguments("the key", "the key"),
	flags: {
		...keystoreFlags,
		...passwordFlags,
		...secretFileFlag("the key as 64 hex digits, or the JSON of a post-quantum key"),
		...lightFlag,
	},
	run: async ({ args, flags, settings: load, chatty, passwordSource, print }) => {
		const settings = await load();
		const source = passwordSource(settings);
		const { name, file: secretFile } = importInput(args, flags);
		await checkNewKeyLabel(settings, name);
		const key = await importedSecret(
			secretFile,
			"the private key",
			source.warn,
			(text): PrivateKey | Promise<PrivateKey> =>
				looksLikePlainKey(text) ? readPlainKey(text) : parsePrivateKey(text),
		);
		await checkNewKey(settings.keystoreDirectory, key, name);
		const password = await newPassword(source, name ?? "the key");
		const entry = await withProgress("encrypting the key", chatty, () =>
			addKey(settings.keystoreDirectory, key, password, {
				name,
				strength: flags.light ? "light" : "standard",
			}),
		);
		forgetKey(key);
		print.record(entryRecord(entry));
	},
});

export const KeystoreImportMnemonic = command({
	summary: "Store keys of a mnemonic, encrypted",
	description:
		"The mnemonic is asked for on the terminal, or read from --key-file, or from standard input with -. It is never an argument. " +
		"The password is asked for on the terminal even then, unless --password-file has it.",
	examples: [
		"<%= config.bin %> keystore import mnemonic savings",
		"<%= config.bin %> keystore import mnemonic dev --key-file words.txt --count 3",
	],
	args: importArguments("the mnemonic", "the first key"),
	flags: {
		...keystoreFlags,
		...passwordFlags,
		...secretFileFlag("the mnemonic"),
		"passphrase-file": Flags.string({
			description: "file with the BIP-39 passphrase of the mnemonic",
			helpValue: "<path>",
		}),
		path: Flags.string({ description: "derivation path", exclusive: ["index", "count"] }),
		index: Flags.integer({ description: "first account", default: 0, min: 0, max: 0x7fffffff }),
		count: Flags.integer({ description: "number of accounts", default: 1, min: 1, max: 1000 }),
		...lightFlag,
	},
	run: async ({ args, flags, settings: load, chatty, passwordSource, print }) => {
		const settings = await load();
		const source = passwordSource(settings);
		const { name, file: secretFile } = importInput(args, flags);
		await checkNewKeyLabel(settings, name);
		const mnemonic = await importedSecret(secretFile, "the mnemonic", source.warn, checkMnemonic);
		const passphraseFile = flags["passphrase-file"];
		const passphrase =
			passphraseFile === undefined ? "" : await fetchSecret(passphraseFile, "the passphrase", source.warn);
		const strength = flags.light ? ("light" as const) : ("standard" as const);
		const paths =
			flags.path === undefined
				? Array.from({ length: flags.count }, (_, offset) => accountPath(flags.index + offset))
				: [flags.path];
		for (const [position, path] of paths.entries()) {
			const key = await deriveKey(mnemonic, path, passphrase);
			await checkNewKey(settings.keystoreDirectory, key, labelAt(name, position)).finally(() => key.fill(0));
		}
		const password = await newPassword(source, name ?? "the keys");
		for (const [position, path] of paths.entries()) {
			const key = await deriveKey(mnemonic, path, passphrase);
			const label = labelAt(name, position);
			const entry = await withProgress("encrypting the key", chatty, async () => {
				const options = { name: label, path, strength };
				// The passphrase is part of the secret; without it the mnemonic would give other keys.
				if (position === 0 && passphrase === "") {
					await addMnemonic(settings.keystoreDirectory, key, mnemonic, password, options);
				}
				return addKey(settings.keystoreDirectory, key, password, options);
			});
			key.fill(0);
			print.record(entryRecord(entry));
		}
	},
});

function labelAt(name: string | undefined, position: number): string | undefined {
	return name === undefined || position === 0 ? name : `${name}-${position + 1}`;
}

export const KeystoreImportWatch = command({
	summary: "Keep an address without its key",
	description:
		"Queries and --build take it like any wallet; signing is refused. Importing its key later makes it a key.",
	examples: ["<%= config.bin %> keystore import watch TMVQGm1qAQYVdetCeGRRkTWYYrLXuHK2HC cold"],
	args: {
		address: required("address in any form, or ledger[:<index or path>]"),
		name: optional("label (default: the address)"),
	},
	flags: keystoreFlags,
	run: async ({ args: given, settings: load, chatty, print, note }) => {
		const args = inOrder(given);
		const settings = await load();
		const address = namesDevice(args.address)
			? await addressOnDevice(settings, args.address, { chatty, note })
			: readAddress(args.address);
		if (!address) throw new Failure("bad_address", `"${args.address}" is not an address`);
		await checkNewKeyLabel(settings, args.name, address);
		print.record(entryRecord(await watchAddress(settings.keystoreDirectory, address, args.name)));
	},
});

export const KeystoreImportSigner = command({
	summary: "Use a key that a signer holds",
	description:
		"What is signed with it goes to the signer, whose policies decide; the key stays there. Every command that signs a transaction " +
		"takes it like any key, and needs no password. A refusal names the rule; what awaits an approval ends with exit code 3.",
	examples: [
		"<%= config.bin %> keystore import signer /run/coin-treasury/payroll/socket treasury",
		"<%= config.bin %> keystore import signer tls://signer.internal:7443 treasury --certificate payroll.pem --certificate-key payroll.key --ca ca.pem",
	],
	args: {
		place: required("the socket of this client, or tls://host:port"),
		name: optional("label (default: the address)"),
	},
	flags: {
		...keystoreFlags,
		...signerFileFlags,
		address: Flags.string({
			description: "of the key, where the signer holds several",
			helpValue: "<address>",
		}),
	},
	run: async ({ args, flags, settings: load, print }) => {
		const settings = await load();
		const place = signerPlaceOf(args.place, flags);
		const named = flags.address === undefined ? undefined : readAddress(flags.address);
		if (flags.address !== undefined && !named)
			throw new Failure("bad_address", `"${flags.address}" is not an address`);
		const [{ keysOfSigner }, { signerFailure }] = await Promise.all([
			import("../../keystore/signer/client.js"),
			import("../../wallet/signers/remote.js"),
		]);
		const keys = await keysOfSigner(place).catch((error: unknown) => {
			throw signerFailure(error);
		});
		const chosen = named ? keys.filter(({ address }) => equalBytes(address, named)) : keys;
		const [key] = chosen;
		const held = keys.map(({ address }) => toBase58Check(address)).join(", ");
		if (!key) throw new Failure("wallet_not_found", `the signer holds ${held}, and not ${flags.address}`);
		if (chosen.length > 1)
			throw new Failure("ambiguous", `the signer holds ${held}`, { hint: "name one with --address" });
		await checkNewKeyLabel(settings, args.name, key.address);
		const scheme = key.postQuantum?.scheme;
		const entry = await watchAddress(settings.keystoreDirectory, key.address, args.name, {
			signer: place,
			scheme,
		});
		print.record(entryRecord(entry));
	},
});

/** The address of a device's key, once its owner has compared it on the device. */
async function addressOnDevice(
	settings: Settings,
	name: string,
	{ chatty, note }: Pick<Terminal, "chatty" | "note">,
): Promise<Uint8Array> {
	const devices = new Devices();
	try {
		const device = await devices.open(settings, name);
		note(`${device.name} is ${device.base58}; compare on its screen`);
		await onDevice(chatty, () => device.confirmAddress());
		return device.address;
	} finally {
		await devices.close();
	}
}

/** Other commands take the label first: either order works if only one word is an address. */
function inOrder({ address, name }: { readonly address: string; readonly name?: string | undefined }): {
	readonly address: string;
	readonly name?: string | undefined;
} {
	const isAddress = (text: string): boolean =>
		/^(T[1-9A-HJ-NP-Za-km-z]{33}|(0x)?41[0-9a-fA-F]{40}|0x[0-9a-fA-F]{40})$/.test(text);
	return name !== undefined && isAddress(name) && !isAddress(address)
		? { address: name, name: address }
		: { address, name };
}
