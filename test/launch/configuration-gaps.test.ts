import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ConfigError } from "../../src/hocon/hocon.js";
import {
	checkConfiguration,
	idleSignerWarning,
	missingPartHint,
} from "../../src/launch/configuration-check.js";
import { openDataDirectory } from "../../src/node/chain/data-directory.js";
import { parseConfig } from "../../src/node/config/config.js";
import { stores } from "../../src/node/state/definition.js";
import { propertyKey } from "../../src/node/state/property-table.js";
import { parseAddress } from "../../src/protocol/address.js";
import { be64, utf8 } from "../../src/protocol/bytes.js";
import { Account } from "../../src/protocol/messages.js";
import { defaultWitnessPermission } from "../../src/protocol/permission.js";
import { nodeConfiguration } from "../commands/endless.js";
import { openSmall } from "../node/chain/small-chain.js";

test.each([
	["storage", /^the section storage is missing: add storage \{/],
	["genesis.block.timestamp", /^genesis.block is incomplete without it; it names the first block/],
	["node.name", /^the file lacks the line node.name = …$/],
])("a missing %s is answered with what to write", (key, hint) => {
	expect(missingPartHint(new ConfigError("some message", { key }))).toMatch(hint);
});

test("a missing file is answered with the flag that names it", () => {
	expect(missingPartHint(new ConfigError("some message", { file: "config.conf" }))).toMatch(/^-c names/);
});

test("another refusal gets no such hint, whatever its text says", () => {
	expect(missingPartHint(new ConfigError("no configuration setting found for key storage"))).toBeUndefined();
});

test("a signer that no node asks, as it is started without --witness, is warned of", () => {
	const config = parseConfig(nodeConfiguration("TMVQGm1qAQYVdetCeGRRkTWYYrLXuHK2HC", "/run/signer"));
	const started = (witness: boolean) => idleSignerWarning({ ...config, run: { ...config.run, witness } });
	expect(started(false)).toMatch(/: localwitness.signer has no effect: no block is made without --witness$/);
	expect(started(true)).toBeUndefined();
});

test("a file without storage is told what else is wrong with it", async () => {
	const folder = mkdtempSync(join(tmpdir(), "coin-check-"));
	const file = join(folder, "node.conf");
	writeFileSync(file, 'node.dialect = french\nnode.maxConnections = "abc"\n');
	const { findings } = await checkConfiguration({ file, network: undefined }, join(folder, "data"));
	rmSync(folder, { recursive: true });
	expect(findings.map(({ message }) => message)).toEqual([
		expect.stringContaining("node.dialect must be"),
		expect.stringContaining("node.maxConnections must be"),
		expect.stringContaining("no configuration setting found for key storage"),
	]);
});

const WITNESS = "TKXQJfLRSmRpqAM5e5GX4PHQVk9SqiFqkB";
const STRANGER = "TErGVpctkrkeAoEbYpDito5edEKsQDYt9X";

test.skipIf(process.platform === "win32")(
	"a signer that holds no key of a witness is named, by the first block and by the stored state",
	async () => {
		const folder = mkdtempSync(join(tmpdir(), "coin-check-"));
		const [at, file, data] = ["socket", "node.conf", "data"].map((name) => join(folder, name));
		let held = STRANGER;
		const signer = createServer((socket) => socket.end(`{"keys":[{"address":"${held}"}]}\n`));
		await new Promise<void>((done) => signer.listen(at, done));
		const text = nodeConfiguration(WITNESS, at as string);
		const found = async (more = ""): Promise<string[]> => {
			writeFileSync(file as string, `${text}\n${more}`);
			const { findings } = await checkConfiguration(
				{ file: file as string, network: undefined },
				data as string,
			);
			return findings.map(({ message }) => message).filter((message) => message.includes("signer"));
		};
		const wrong = "with --witness no block is made until the signer has the key of a witness: it has";
		const ofWitness = `localWitnessAccountAddress = ${WITNESS}`;
		const another = [`${wrong} ${STRANGER}; the blocks of ${WITNESS} are signed with the key of ${WITNESS}`];
		expect([await found(), await found(ofWitness)]).toEqual([[`${wrong} ${STRANGER}`], another]);
		held = WITNESS;
		expect(await found()).toEqual([]);

		const open = await openSmall({ config: parseConfig(text), dataDirectory: data });
		await open.close();
		expect(await found()).toEqual([]);
		held = STRANGER;
		expect(await found(ofWitness)).toEqual(another);
		const address = parseAddress(WITNESS) as Uint8Array;
		const key = Buffer.of(stores.account.index, ...address);
		const database = await openDataDirectory(data as string, "database");
		const account = Account.decode(database.get(key) as Uint8Array);
		account.witness_permission = defaultWitnessPermission(parseAddress(STRANGER) as Uint8Array);
		const isOn = Buffer.of(stores.properties.index, ...utf8(propertyKey("ALLOW_MULTI_SIGN")));
		const changes = [
			{ key, value: Account.encode(account) },
			{ key: isOn, value: be64(1n) },
		];
		await database.write(changes, true);
		await database.close();
		expect(await found(ofWitness)).toEqual([]);
		signer.close();
		rmSync(folder, { recursive: true });
	},
);
