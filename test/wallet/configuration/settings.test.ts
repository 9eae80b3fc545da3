import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { headersFor, loadSettings, withoutCredentials } from "../../../src/wallet/configuration/settings.js";
import { developmentUrl, jsonRpcUrl } from "../../../src/wallet/node/json-rpc.js";

let directory: string;
beforeEach(() => {
	directory = mkdtempSync(join(tmpdir(), "coin-settings-"));
});
afterEach(() => rmSync(directory, { recursive: true }));

const write = (text: string): string => {
	const path = join(directory, "config.conf");
	writeFileSync(path, text);
	return path;
};

const CONFIG = `
profile = mine
wallet = ann
confirmOver = "5coin"
profiles {
  mine { http = "http://10.0.0.1:8090/", solidity = "http://10.0.0.1:8091", dialect = deployed, timeout = 3s,
         headers { "X-Key" = secret }, tokens { GOLD = "1000001" } }
  local { http = "http://127.0.0.1:7000" }
}
`;

describe("the settings of a command", () => {
	it("are those of a node on this machine where nothing is said", async () => {
		expect(await loadSettings({}, { COIN_CONFIG_DIR: directory, COIN_DATA_DIR: "/data" })).toMatchObject({
			profile: "local",
			http: "http://127.0.0.1:8090",
			solidity: "http://127.0.0.1:8091",
			dialect: "neutral",
			timeoutMs: 10_000,
			wallet: undefined,
			keystoreDirectory: "/data/keystore",
			confirm: false,
			confirmOverSun: 1_000_000_000n,
		});
	});

	it("take an empty variable of the environment for one that isn't set", async () => {
		const environment = { COIN_NODE: "", COIN_PASSWORD_FILE: "", COIN_TIMEOUT: "", COIN_PROFILE: "" };
		expect(await loadSettings({ config: write(CONFIG) }, environment)).toMatchObject({
			profile: "mine",
			http: "http://10.0.0.1:8090",
			timeoutMs: 3000,
			passwordFile: undefined,
		});
	});

	it("name the servers of gRPC, the form of raw calls and the usual fee limit", async () => {
		const text = `profiles.here { grpc = "10.0.0.1:50051", visible = true, feeLimit = 30coin }\nprofile = here`;
		expect(await loadSettings({ config: write(text) }, {})).toMatchObject({
			grpc: "10.0.0.1:50051",
			grpcSolidity: undefined,
			visible: true,
			feeLimit: "30coin",
		});
		// A node that is named by its HTTP address has no known gRPC server.
		const other = await loadSettings({ config: write(text), node: "10.0.0.2:8090" }, {});
		expect(other.grpc).toBeUndefined();
		for (const wrong of ['grpc = "nowhere"', "visible = maybe", "feeLimit = 5"]) {
			await expect(loadSettings({ config: write(`profiles.local { ${wrong} }`) }, {})).rejects.toThrow();
		}
	});

	it("know a variable from a flag, although the framework fills the flag with it", async () => {
		const environment = { COIN_NODE: "http://b:1", COIN_PROFILE: "local" };
		const config = write(CONFIG);
		const filled = await loadSettings({ config, node: "http://b:1", profile: "local" }, environment);
		expect(filled.origins).toMatchObject({ http: "environment", profile: "environment" });
		const given = await loadSettings({ config, node: "http://c:1", profile: "mine" }, environment);
		expect(given.origins).toMatchObject({ http: "flag", profile: "flag" });
	});

	it("come from the profile of the file", async () => {
		expect(await loadSettings({ config: write(CONFIG) }, {})).toMatchObject({
			profile: "mine",
			http: "http://10.0.0.1:8090",
			dialect: "deployed",
			timeoutMs: 3000,
			wallet: "ann",
			confirmOverSun: 5_000_000n,
			headers: { "X-Key": "secret" },
			tokens: { GOLD: "1000001" },
		});
	});

	it("merge a profile of the file over the built-in one", async () => {
		const config = write('profiles { local { http = "http://127.0.0.1:8090", wallet = bob } }');
		expect(await loadSettings({ config }, {})).toMatchObject({
			wallet: "bob",
			solidity: "http://127.0.0.1:8091",
			gateway: "http://127.0.0.1:9090",
		});
	});

	it("take no server of a built-in profile for another node than its own", async () => {
		expect(await loadSettings({ config: write(CONFIG), profile: "local" }, {})).toMatchObject({
			http: "http://127.0.0.1:7000",
			solidity: undefined,
			jsonrpc: undefined,
			grpc: undefined,
			gateway: undefined,
		});
		const gateway = 'profiles.nc { http = "http://127.0.0.1:7000", gateway = "http://127.0.0.1:7090" }';
		const config = write(gateway);
		expect(await loadSettings({ config, profile: "nc" }, {})).toMatchObject({
			gateway: "http://127.0.0.1:7090",
		});
		expect(jsonRpcUrl(await loadSettings({ config, profile: "nc" }, {}))).toBe(
			"http://127.0.0.1:7090/jsonrpc",
		);
		// A node that is named by a flag is asked itself.
		const named = await loadSettings({ config, profile: "nc", node: "127.0.0.1:9" }, {});
		expect(developmentUrl(named)).toBe("http://127.0.0.1:9/jsonrpc");
		expect(developmentUrl(await loadSettings({ config, profile: "nc" }, {}))).toBe(
			"http://127.0.0.1:7090/jsonrpc",
		);
		// A gateway that is set for all profiles may be that of another chain.
		const all =
			'gateway = "http://127.0.0.1:9090"\nprofiles.main { http = "https://full.example", headers { k = v } }';
		expect(jsonRpcUrl(await loadSettings({ config: write(all), profile: "main" }, {}))).toBe(
			"https://full.example/jsonrpc",
		);
	});

	it("have servers of the top level only where the profile names no node, and headers for them only where it names no server", async () => {
		const top = ["http", "solidity", "jsonrpc", "gateway"]
			.map((key) => `${key} = "http://10.0.0.9"\n`)
			.join("");
		const grpc = 'grpc = "10.0.0.9:1"\ngrpcSolidity = "10.0.0.9:1"\n';
		const profiles =
			'profiles { main { http = "10.0.0.1:2", headers { k = v } }, nile { headers { k = v } }, shasta { jsonrpc = "10.0.0.1:3", headers { k = v } } }';
		const config = write(top + grpc + profiles);
		const main = await loadSettings({ config, profile: "main" }, {});
		expect(main).toMatchObject({ http: "http://10.0.0.1:2" });
		for (const key of ["solidity", "jsonrpc", "gateway", "grpc", "grpcSolidity"] as const)
			expect(main[key]).toBeUndefined();
		const nile = await loadSettings({ config, profile: "nile" }, {});
		expect(nile).toMatchObject({ gateway: "http://10.0.0.9", grpc: "10.0.0.9:1" });
		expect(headersFor(nile, "http://10.0.0.9/wallet")).toEqual({ k: "v" });
		const shasta = await loadSettings({ config, profile: "shasta" }, {});
		expect(shasta).toMatchObject({ http: "http://10.0.0.9", jsonrpc: "http://10.0.0.1:3" });
		expect(headersFor(shasta, "http://10.0.0.9/wallet")).toEqual({});
		const again = await loadSettings({ config, profile: "shasta", node: "10.0.0.9" }, {});
		expect(headersFor(again, "http://10.0.0.9/wallet")).toEqual({});
		expect(headersFor(shasta, "http://10.0.0.1:3")).toEqual({ k: "v" });
	});

	it.each([
		["http://127.0.0.1:7000", true],
		["localhost:7000/", true],
		["http://[::1]:7000", true],
		["http://127.0.0.1:7001", false],
		["http://u:p@127.0.0.1:7000", false],
		["https://127.0.0.1:7000", false],
		["http://127.0.0.1:7000/other", false],
	])(
		"keep the profile's servers and headers where --node or COIN_NODE is its own: %s",
		async (node, isOwn) => {
			const profile =
				'{ http = "http://127.0.0.1:7000", gateway = "http://localhost:7090", headers { k = v } }';
			const config = write(`profiles.nc ${profile}`);
			const gateway = "http://localhost:7090";
			for (const settings of [
				await loadSettings({ config, profile: "nc", node }, {}),
				await loadSettings({ config, profile: "nc" }, { COIN_NODE: node }),
			]) {
				expect(settings).toMatchObject(isOwn ? { gateway, headers: { k: "v" } } : { headers: {} });
				expect(jsonRpcUrl(settings).startsWith(gateway)).toBe(isOwn);
			}
		},
	);

	it("give headers to the profile's servers alone", async () => {
		const servers =
			'http = "https://full.example", gateway = "https://gate.example:9090", grpc = "full.example:50051"';
		const config = write(`profiles.nc { ${servers}, headers { k = v } }`);
		const settings = await loadSettings({ config, profile: "nc" }, {});
		const given = (address: string): boolean => headersFor(settings, address)["k"] === "v";
		for (const own of [
			"https://full.example:443/x",
			"https://gate.example:9090/jsonrpc",
			"full.example:50051",
		])
			expect(given(own), own).toBe(true);
		for (const foreign of ["http://full.example/x", "https://full.example:9090", "https://full.example.org"])
			expect(given(foreign), foreign).toBe(false);
	});

	it("give flags the first word, then the environment", async () => {
		const environment = {
			COIN_PROFILE: "local",
			COIN_NODE: "http://b:1",
			COIN_FROM: "bob",
			COIN_TIMEOUT: "1s",
		};
		const config = write(CONFIG);
		expect(await loadSettings({ config }, environment)).toMatchObject({
			profile: "local",
			http: "http://b:1",
			wallet: "bob",
			timeoutMs: 1000,
		});
		const flags = { config, profile: "mine", node: "c:2", from: "carol", timeout: "2s" };
		expect(await loadSettings(flags, environment)).toMatchObject({
			profile: "mine",
			http: "http://c:2",
			// Another node than the profile's gets neither its headers nor its solidity address.
			solidity: "http://c:2",
			headers: {},
			wallet: "carol",
			timeoutMs: 2000,
		});
	});

	it.each([
		[{ profile: "nowhere" }, "", "there is no profile"],
		[{ node: "ftp://x" }, "", "is not an HTTP address"],
		[{ timeout: "soon" }, "", '"soon" is not a duration'],
		[{}, "profiles { local { dialect = klingon } }", "use neutral or deployed"],
		[{}, "profiles {", "config.conf"],
		[{}, "profiles = 7", "profiles"],
		[{}, "confirmOver = 5", '"5" has no unit'],
	])("refuse %j with %j", async (flags, text, sentence) => {
		await expect(loadSettings({ config: write(text), ...flags }, {})).rejects.toThrow(sentence);
	});

	it("refuse a file that was named and isn't there", async () => {
		await expect(loadSettings({ config: join(directory, "none.conf") }, {})).rejects.toThrow(
			"none.conf can't be read",
		);
	});
});

it.each([
	["https://ann:secret@gate.example/x", "https://***@gate.example/x"],
	["http://token@127.0.0.1:8090", "http://***@127.0.0.1:8090"],
	["ann:p@ss@gate.example", "***@gate.example"],
	["https://gate.example/a@b?c=d@e", "https://gate.example/a@b?c=d@e"],
	["127.0.0.1:50051", "127.0.0.1:50051"],
	[undefined, undefined],
])("user and password of %s are not shown", (address, shown) => {
	expect(withoutCredentials(address)).toBe(shown);
});

it.each(["http", "grpc"])("a refused address of %s is told without its password", async (key) => {
	write(`profiles { mine { ${key} = "ftp://ann:secret@gate.example" } }`);
	const refused = loadSettings({ profile: "mine" }, { COIN_CONFIG_DIR: directory });
	await expect(refused).rejects.toThrow("ftp://***@gate.example");
});
