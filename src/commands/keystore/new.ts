/** `coin keystore new` and `derive`: creates keys. */

import { randomBytes, randomInt } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import { Flags } from "@oclif/core";
import { addKey, addMnemonic, listKeystore, unlockMnemonic } from "../../keystore/keystore.js";
import { appearance } from "../../keystore/label.js";
import {
	accountPath,
	DEFAULT_PATH,
	deriveKey,
	newMnemonic,
	type WordCount,
} from "../../keystore/mnemonic.js";
import { newPostQuantumKey, SCHEME_WORDS, schemeOfWord } from "../../keystore/post-quantum-key.js";
import { forgetKey } from "../../keystore/private-key.js";
import { searchPrefix } from "../../keystore/vanity.js";
import { toBase58Check } from "../../protocol/address.js";
import { equalBytes, toHex } from "../../protocol/bytes.js";
import { addressOfPrivateKey } from "../../protocol/signature.js";
import { command, type Terminal } from "../../terminal/base/command-row.js";
import {
	entryRecord,
	keystoreFlags,
	lightFlag,
	optional,
	passwordFlags,
	walletArgument,
} from "../../terminal/flags/flags.js";
import { ATTEMPTS, confirmPrintedSecret, newPassword, withPassword } from "../../terminal/keys/secrets.js";
import { withProgress } from "../../terminal/progress/progress.js";
import { canAsk } from "../../terminal/prompt/controlling-terminal.js";
import { askText, showOnTerminal } from "../../terminal/prompt/prompts.js";
import { checkNewKeyLabel } from "../../wallet/configuration/contacts.js";
import { Failure } from "../../wallet/failure.js";
import { keyNamed } from "../../wallet/transaction/signing.js";

export const KeystoreNew = command({
	summary: "Make a new key and store it encrypted",
	aliases: ["wallet:new"],
	examples: [
		"<%= config.bin %> keystore new ann",
		"<%= config.bin %> keystore new savings --mnemonic --words 24",
		"<%= config.bin %> keystore new shop --prefix TSh",
		"<%= config.bin %> keystore new vera --scheme fn-dsa-512",
	],
	args: {
		name: optional("label of the key (default: its address)"),
	},
	flags: {
		...keystoreFlags,
		...passwordFlags,
		mnemonic: Flags.boolean({ description: "make a mnemonic and derive the key from it" }),
		words: Flags.option({
			options: ["12", "15", "18", "21", "24"] as const,
			description: "number of its words (default 12)",
			dependsOn: ["mnemonic"],
		})(),
		path: Flags.string({ description: `derivation path (default ${DEFAULT_PATH})`, dependsOn: ["mnemonic"] }),
		...lightFlag,
		print: Flags.boolean({
			description: "print the key and store nothing",
			exclusive: ["mnemonic", "light"],
		}),
		prefix: Flags.string({
			description: "search a key whose address begins so; each further letter takes 58 times as long",
			helpValue: "<text>",
			exclusive: ["mnemonic"],
		}),
		scheme: Flags.string({
			options: [...SCHEME_WORDS],
			description: "post-quantum scheme, of the test network Nile alone (default: secp256k1)",
			exclusive: ["mnemonic", "prefix", "print"],
		}),
		yes: Flags.boolean({ char: "y", description: "don't ask to confirm the mnemonic" }),
	},
	run: async ({ args, flags, ...terminal }) => {
		const { chatty, print } = terminal;
		if (flags.print) return printKey(terminal, flags.prefix);
		const settings = await terminal.settings();
		const directory = settings.keystoreDirectory;
		await checkNewKeyLabel(settings, args.name);
		const options = { name: args.name, strength: flags.light ? ("light" as const) : ("standard" as const) };
		const source = terminal.passwordSource(settings);
		if (!flags.mnemonic) {
			if (flags.prefix !== undefined) searchPrefix(flags.prefix);
			const password = await newPassword(source, args.name ?? "the new key");
			const scheme = schemeOfWord(flags.scheme);
			const key = scheme ? await newPostQuantumKey(scheme) : await freshKey(flags.prefix, chatty);
			const entry = await withProgress("encrypting the key", chatty, () =>
				addKey(directory, key, password, options),
			);
			forgetKey(key);
			return print.record(entryRecord(entry));
		}
		const mnemonic = await newMnemonic(Number(flags.words ?? 12) as WordCount);
		await showMnemonic(mnemonic, flags.yes, terminal.warning);
		const password = await newPassword(source, args.name ?? "the new wallet");
		const path = flags.path ?? DEFAULT_PATH;
		const key = await deriveKey(mnemonic, path);
		const entry = await withProgress("encrypting the key", chatty, async () => {
			await addMnemonic(directory, key, mnemonic, password, { ...options, path });
			return addKey(directory, key, password, { ...options, path });
		});
		key.fill(0);
		print.record(entryRecord(entry));
	},
});

async function printKey({ chatty, print }: Terminal, prefix: string | undefined): Promise<void> {
	await confirmPrintedSecret("a private key");
	const key = await freshKey(prefix, chatty);
	print.record({ address: toBase58Check(addressOfPrivateKey(key)), privateKey: toHex(key) });
	key.fill(0);
}

/** A random key, optionally with a given address prefix. @throws {KeystoreError} `bad_value` */
async function freshKey(prefix: string | undefined, chatty: boolean): Promise<Uint8Array> {
	// A random 32-byte string is not a key with probability 2^-128.
	if (prefix === undefined) return randomBytes(32);
	const search = searchPrefix(prefix);
	const about = Math.ceil(search.expectedTries).toLocaleString("en");
	return withProgress("searching", chatty, async (progress) => {
		for (;;) {
			const key = search.next();
			if (key) return key;
			progress.update(`searching ${prefix}…: ${search.tries.toLocaleString("en")} keys of about ${about}`);
			// Yields to signals and the spinner.
			await setImmediate();
		}
	});
}

/** The only time the words are shown, and only on the terminal. */
async function showMnemonic(
	mnemonic: string,
	confirmed: boolean,
	warning: Terminal["warning"],
): Promise<void> {
	if (!canAsk()) {
		if (confirmed) return;
		throw new Failure(
			"confirmation_needed",
			"the new mnemonic has to be written down, and there is no terminal to show it on",
			{
				hint: "--yes stores it unseen; coin keystore export mnemonic prints it later",
			},
		);
	}
	const words = mnemonic.split(" ");
	await showOnTerminal([
		"",
		"Write these words down, in this order, and keep them safe:",
		"",
		`  ${mnemonic}`,
		"",
	]);
	if (confirmed) return;
	for (const position of threePositions(words.length)) {
		for (let attempt = 1; ; attempt++) {
			const typed = (await askText(`Word ${position + 1}:`)).trim().toLowerCase();
			if (typed === words[position]) break;
			if (attempt === ATTEMPTS)
				throw new Failure(
					"confirmation_refused",
					`that is not word ${position + 1} of the mnemonic; nothing was stored`,
				);
			warning(`that is not word ${position + 1} of the mnemonic, try again`);
		}
	}
}

function threePositions(count: number): number[] {
	const positions = new Set<number>();
	while (positions.size < 3) positions.add(randomInt(count));
	return [...positions].sort((a, b) => a - b);
}

export const KeystoreDerive = command({
	summary: "Store a further key of a mnemonic wallet",
	description:
		"Takes the first account of the mnemonic that isn't in the keystore yet, or the one that --index or --path names, and encrypts it with the password of the mnemonic.",
	examples: [
		"<%= config.bin %> keystore derive savings travel",
		`<%= config.bin %> keystore derive savings old --path "m/44'/195'/1'/0/0"`,
	],
	args: {
		...walletArgument,
		name: optional("label of the new key (default: the wallet's with a number)"),
	},
	flags: {
		...keystoreFlags,
		...passwordFlags,
		index: Flags.integer({ description: "number of the account", min: 0, max: 0x7fffffff }),
		path: Flags.string({ description: "derivation path", helpValue: "<path>", exclusive: ["index"] }),
		...lightFlag,
	},
	run: async ({ args, flags, settings: load, chatty, passwordSource, print }) => {
		const settings = await load();
		const directory = settings.keystoreDirectory;
		const wallet = await keyNamed(settings, args.wallet);
		await checkNewKeyLabel(settings, args.name);
		const entry = await withPassword(passwordSource(settings), wallet.name, (password) =>
			withProgress("opening the mnemonic", chatty, async () => {
				const mnemonic = await unlockMnemonic(directory, wallet.base58, password);
				const { path, key } = await chosenKey(directory, mnemonic, flags);
				const name = args.name ?? (await freeLabel(directory, wallet.name));
				try {
					const strength = flags.light ? "light" : "standard";
					return await addKey(directory, key, password, { name, path, strength });
				} finally {
					key.fill(0);
				}
			}),
		);
		print.record(entryRecord(entry));
	},
});

/** `savings-2`, or the first free number; undefined for a wallet named by its address. */
async function freeLabel(directory: string, wallet: string): Promise<string | undefined> {
	const { entries } = await listKeystore(directory);
	const taken = new Set(entries.map(({ name }) => appearance(name)));
	if (entries.some(({ base58 }) => base58 === wallet)) return undefined;
	for (let number = 2; ; number++) {
		const label = `${wallet}-${number}`;
		if (!taken.has(appearance(label))) return label;
	}
}

async function chosenKey(
	directory: string,
	mnemonic: string,
	{ index, path }: { readonly index?: number | undefined; readonly path?: string | undefined },
): Promise<{ readonly path: string; readonly key: Uint8Array }> {
	if (path !== undefined || index !== undefined) {
		const chosen = path ?? accountPath(index as number);
		return { path: chosen, key: await deriveKey(mnemonic, chosen) };
	}
	const { entries } = await listKeystore(directory);
	const keys = entries.filter(({ kind }) => kind !== "watch");
	for (let next = 0; ; next++) {
		const key = await deriveKey(mnemonic, accountPath(next));
		const address = addressOfPrivateKey(key);
		if (!keys.some((known) => equalBytes(known.address, address))) return { path: accountPath(next), key };
		key.fill(0);
	}
}
