/** A home with the key of `ann`, beside a fake node that knows her account. */

import { join } from "node:path";
import { test } from "vitest";
import { toBase58Check } from "../../src/protocol/address.js";
import { fromHex } from "../../src/protocol/bytes.js";
import { addressOfPrivateKey } from "../../src/protocol/signature.js";
import { writeCheapKey } from "./cheap-key.js";
import { Home, type Outcome } from "./coin-process.js";
import { FakeNode } from "./fake-node.js";

export const KEYS = { ann: "11".repeat(32), bob: "22".repeat(32), carol: "33".repeat(32) };
export type Person = keyof typeof KEYS;

export const ADDRESSES = Object.fromEntries(
	Object.entries(KEYS).map(([name, key]) => [name, addressOfPrivateKey(fromHex(key))]),
) as Record<Person, Uint8Array>;

export const BASE58 = Object.fromEntries(
	Object.entries(ADDRESSES).map(([name, address]) => [name, toBase58Check(address)]),
) as Record<Person, string>;

export const RECIPIENT = "TMVQGm1qAQYVdetCeGRRkTWYYrLXuHK2HC";
export const send = ["wallet", "send", "--to", RECIPIENT, "--amount", "25coin"];

export class Wallet {
	readonly home = new Home();

	private constructor(public node: FakeNode) {}

	static async open(): Promise<Wallet> {
		const wallet = new Wallet(await FakeNode.start());
		wallet.node.fund(ADDRESSES.ann, 1_000_000_000n);
		wallet.addKey("ann");
		return wallet;
	}

	async close(): Promise<void> {
		await this.node.stop();
		this.home.remove();
	}

	addKey(name: Person): void {
		const directory = join(this.home.path, ".local/share/coin/keystore");
		writeCheapKey(directory, name, fromHex(KEYS[name]), "password");
	}

	/** A command against the fake node. */
	coin(words: readonly string[], stdin?: string): Promise<Outcome> {
		return this.home.run(words, stdin, { COIN_NODE: this.node.url });
	}

	password(): string[] {
		return ["--password-file", this.home.write("pw", "password")];
	}
}

/** Tests with a wallet of their own each, so that they can run side by side. */
export const it = test.extend<{ readonly wallet: Wallet }>({
	wallet: async ({ task: _ }, use) => {
		const wallet = await Wallet.open();
		await use(wallet);
		await wallet.close();
	},
});
