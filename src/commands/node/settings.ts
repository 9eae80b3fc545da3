/** `coin node check`, `config` and `key`: the effective configuration of a node. */

import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { Flags } from "@oclif/core";
import { addKey } from "../../keystore/keystore.js";
import { checkPrivateKey, parsePrivateKey } from "../../keystore/secret-storage.js";
import { configSource, DEFAULT_CONFIG, readConfig } from "../../launch/config-source.js";
import { checkConfiguration, keyWarnings } from "../../launch/configuration-check.js";
import { startFailure } from "../../launch/run-node.js";
import type { NodeConfig, SettingValue } from "../../node/config/config.js";
import { spell } from "../../protocol/dialect.js";
import { command } from "../../terminal/base/command-row.js";
import { chainFlags, passwordFlags } from "../../terminal/flags/flags.js";
import { fetchSecret, newPassword } from "../../terminal/keys/secrets.js";
import { withProgress } from "../../terminal/progress/progress.js";
import { either, lines, list, one, record } from "../../terminal/schema/result-shape.js";

export const NodeCheck = command({
	summary: "Check a node's configuration without starting it",
	description:
		"Tells which network it is of, and of unknown keys, wrong values, ports in use and a data directory that belongs to another chain. The exit " +
		"code is 1 if node start would fail.",
	examples: [
		"<%= config.bin %> node check -c config.conf -d /var/lib/coin",
		"<%= config.bin %> node check --network main -d /var/lib/coin",
	],
	result: lines(record({ level: "text", place: "text", message: "text" })),
	flags: {
		...chainFlags,
		config: Flags.string({
			char: "c",
			description: `configuration of the node (default ./${DEFAULT_CONFIG})`,
			helpValue: "<file>",
		}),
		"output-directory": Flags.string({
			char: "d",
			description: "data directory",
			helpValue: "<dir>",
			default: "output-directory",
		}),
	},
	run: async ({ flags, print, note }) => {
		const { config = DEFAULT_CONFIG, network } = flags;
		if (flags.config === undefined && network === undefined && !existsSync(config)) {
			return note(`there is no ./${DEFAULT_CONFIG}: node start starts a development chain`);
		}
		const source = configSource({ ...flags, config });
		const { findings, chain } = await checkConfiguration(source, flags["output-directory"]);
		const name = existsSync(config) ? config : `--network ${network}`;
		if (chain !== undefined) note(`${name}: ${chain}`);
		print.list(findings, ["level", "place", "message"], `${name}: no problems found`);
		if (findings.some(({ level }) => level === "error")) process.exitCode = 1;
	},
});

export const NodeShowConfig = command({
	summary: "Show what a node takes from its configuration",
	description:
		"Every key with its value and the line, or the public network, that sets it. Values are those that hold: limits and defaults are applied, " +
		"secrets are masked.",
	examples: [
		"<%= config.bin %> node config -c config.conf",
		"<%= config.bin %> node config -c config.conf --show-defaults",
	],
	result: lines(record({ key: "text", "value?": either("text", "boolean", list("text")), origin: "text" })),
	flags: {
		...chainFlags,
		config: Flags.string({
			char: "c",
			description: "configuration of the node",
			helpValue: "<file>",
			default: "config.conf",
		}),
		"show-defaults": Flags.boolean({ description: "show keys that the file doesn't set too" }),
	},
	run: async ({ flags, print, warning }) => {
		const config = await readConfig(configSource(flags)).catch((error: unknown) => {
			throw startFailure(error);
		});
		for (const text of keyWarnings(config)) warning(text);
		const rows = config.settings
			.filter(({ line }) => flags["show-defaults"] || line !== undefined)
			.map(({ path, value, line }) => ({
				key: spell(path, config.node.dialect),
				value: plain(value),
				origin: originOf(config, line),
			}));
		const text = rows.map((row) => ({
			...row,
			value: Array.isArray(row.value) ? row.value.join(", ") : row.value,
		}));
		print.list(rows, ["key", "value", "origin"], `${config.file} sets nothing`, text);
	},
});

function originOf({ file, preset }: NodeConfig, line: number | undefined): string {
	if (line === undefined) return "default";
	return line === 0 && preset ? `--network ${preset.name}` : `${file}:${line}`;
}

/** Numbers as text: some exceed the precision of JSON readers. */
function plain(value: SettingValue): string | boolean | readonly string[] | undefined {
	return typeof value === "number" || typeof value === "bigint" ? String(value) : value;
}

export const NodeKey = command({
	summary: "Make a block producer's key file",
	description:
		"The file goes into the directory Wallet and is named by localwitnesskeystore in the node's configuration.",
	examples: [
		"<%= config.bin %> node key --password-file pw",
		"<%= config.bin %> node key --key-file key.txt --directory keys --password-file pw",
	],
	result: one(record({ address: "address", file: "text", setting: "text" })),
	flags: {
		...passwordFlags,
		directory: Flags.string({ description: "where the file goes", helpValue: "<dir>", default: "Wallet" }),
		"key-file": Flags.string({
			description: "take the private key in this file (64 hex digits, - for standard input), make no new one",
			helpValue: "<path>",
		}),
	},
	run: async ({ flags, chatty, warning, print }) => {
		const key = await producerKey(flags["key-file"], warning);
		const source = { file: flags["password-file"], warn: warning };
		const password = await newPassword(source, "the producer's key");
		const entry = await withProgress("encrypting the key", chatty, () =>
			addKey(flags.directory, key, password),
		);
		key.fill(0);
		const setting = `localwitnesskeystore = [${JSON.stringify(entry.file)}]`;
		print.record({ address: entry.base58, file: entry.file, setting });
	},
});

async function producerKey(file: string | undefined, warn: (message: string) => void): Promise<Uint8Array> {
	if (file === undefined) return checkPrivateKey(randomBytes(32));
	return parsePrivateKey((await fetchSecret(file, "the producer's key", warn)).trim());
}
