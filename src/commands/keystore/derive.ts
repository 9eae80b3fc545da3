import { Args, Flags } from "@oclif/core";
import { addKey, checkNewLabel, listKeystore, unlockMnemonic } from "../../keystore/keystore.js";
import { accountPath, deriveKey } from "../../keystore/mnemonic.js";
import { equalBytes } from "../../protocol/bytes.js";
import { addressOfPrivateKey } from "../../protocol/signature.js";
import { CoinCommand } from "../../terminal/base/coin-command.js";
import { keystoreFlags, lightFlag, passwordFlags } from "../../terminal/flags/flags.js";
import { entryRecord, walletArgument } from "../../terminal/flags/wallet-argument.js";
import { withPassword } from "../../terminal/keys/secrets.js";
import { withProgress } from "../../terminal/progress/progress.js";
import { keyNamed } from "../../wallet/transaction/signing.js";

export default class KeystoreDerive extends CoinCommand {
	static override summary = "Store a further key of a mnemonic wallet";
	static override description =
		"Takes the first account of the mnemonic that isn't in the keystore yet, or the one that --index or --path names, and encrypts it with the password of the mnemonic.";
	static override examples = [
		"<%= config.bin %> keystore derive savings travel",
		`<%= config.bin %> keystore derive savings old --path "m/44'/195'/1'/0/0"`,
	];
	static override args = {
		...walletArgument,
		name: Args.string({
			description: "label of the new key (default: the wallet's with a number)",
			ignoreStdin: true,
		}),
	};
	static override flags = {
		...keystoreFlags,
		...passwordFlags,
		index: Flags.integer({ description: "number of the account", min: 0, max: 0x7fffffff }),
		path: Flags.string({ description: "derivation path", helpValue: "<path>", exclusive: ["index"] }),
		...lightFlag,
	};

	async run(): Promise<void> {
		const { args, flags } = await this.parse(KeystoreDerive);
		const settings = await this.settings(flags);
		const directory = settings.keystoreDirectory;
		const wallet = await keyNamed(settings, args.wallet);
		await checkNewLabel(directory, args.name);
		const entry = await withPassword(this.passwordSource(flags, settings), wallet.name, (password) =>
			withProgress("opening the mnemonic", this.chatty, async () => {
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
		this.printRecord(entryRecord(entry));
	}
}

/** `savings-2`, or the first number that is free; a wallet that is known by its address alone gives no label. */
async function freeLabel(directory: string, wallet: string): Promise<string | undefined> {
	const { entries } = await listKeystore(directory);
	const taken = new Set(entries.map(({ name }) => name));
	if (entries.some(({ base58 }) => base58 === wallet)) return undefined;
	for (let number = 2; ; number++) {
		const label = `${wallet}-${number}`;
		if (!taken.has(label)) return label;
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
