import { existsSync } from "node:fs";
import { arch, platform, release } from "node:os";
import { Flags, type Interfaces } from "@oclif/core";
import {
	type ConfigSource,
	configSource,
	DEFAULT_CONFIG,
	hasConfig,
	readConfig,
} from "../../launch/config-source.js";
import {
	blackHoleGap,
	developmentWarning,
	genesisGap,
	IDLE_SIGNER,
	idleSignerWarning,
	keyWarnings,
} from "../../launch/configuration-check.js";
import {
	type ChosenDevelopment,
	chooseDevelopment,
	DEVELOPMENT_FLAGS,
	withServices,
} from "../../launch/development-options.js";
import { Takeover } from "../../launch/handover.js";
import { producersOf } from "../../launch/network-options.js";
import { type ClosableLog, type LogFormat, openNodeLog } from "../../launch/node-log.js";
import { developmentListing, readyLine } from "../../launch/ready-line.js";
import { type ReadyTargets, runNode, startFailure } from "../../launch/run-node.js";
import { idleFlags, startFlags, startOptions } from "../../launch/start-flags.js";
import type { NodeConfig } from "../../node/config/config.js";
import { LOG_LEVELS } from "../../node/config/service-config.js";
import { prepareDevelopment } from "../../node/development/development.js";
import { readFounding } from "../../node/development/directory.js";
import { addressText } from "../../node/network/environment.js";
import type { RunningNode } from "../../node/node.js";
import { useFastHashing } from "../../protocol/hash.js";
import { CoinCommand } from "../../terminal/base/coin-command.js";
import { chainFlags } from "../../terminal/flags/flags.js";
import { fetchSecret, withPassword } from "../../terminal/keys/secrets.js";
import { printLine } from "../../terminal/output/output.js";
import { showSyncLine } from "../../terminal/progress/sync-line.js";
import { Failure } from "../../wallet/failure.js";

const DEFAULT_DIRECTORY = "output-directory";

/** Options most users of a development chain choose; help lists them first. */
const OFTEN_CHOSEN: ReadonlySet<string> = new Set([
	"port",
	"parameter",
	"accounts",
	"balance",
	"mnemonic",
	"seal",
	"state",
	"fork-url",
	"unlock-all",
]);
/** Flags of any node that few need at first; help lists them last. */
const MORE_FLAGS = "MORE";
const helpGroupOf = (name: string): string =>
	OFTEN_CHOSEN.has(name) ? "DEVELOPMENT CHAIN" : "MORE DEVELOPMENT CHAIN";
const environmentOf = (name: string): string => `COIN_DEV_${name.toUpperCase().replaceAll("-", "_")}`;
const dev = (description: string, helpValue: string, name: string) =>
	Flags.string({
		description,
		helpValue,
		helpGroup: helpGroupOf(name),
		env: environmentOf(name),
	});
/** A list, comma-separated in its environment variable. */
const devList = (description: string, helpValue: string, name: string) =>
	Flags.string({
		description,
		helpValue,
		helpGroup: helpGroupOf(name),
		env: environmentOf(name),
		multiple: true,
		multipleNonGreedy: true,
	});
const devSwitch = (description: string, name: string) =>
	Flags.boolean({
		description,
		helpGroup: helpGroupOf(name),
		env: environmentOf(name),
	});
type NodeStartFlags = Interfaces.InferredFlags<typeof NodeStart.flags>;

export class NodeStart extends CoinCommand {
	static override summary = "Start a node";
	static override description =
		"Without a configuration (-c, or ./config.conf) a development chain starts: funded accounts, a block for every " +
		"transaction, everything in memory. With one, or with --network, the node of that network; with --dev, --network names " +
		"whose rules the development chain has.";
	static override examples = [
		"<%= config.bin %> node start",
		"<%= config.bin %> node start --seal 3 --accounts 3 -d ./chain",
		"<%= config.bin %> node start --dev --network nile",
		"<%= config.bin %> node start --network main -d /var/lib/coin",
		"<%= config.bin %> node start -c config.conf -d /var/lib/coin",
	];
	static override strict = false;
	static override usage = "node start [peer…]";
	static override flags = {
		...chainFlags,
		"shielded-params": { ...chainFlags["shielded-params"], helpGroup: MORE_FLAGS },
		config: Flags.string({
			char: "c",
			description: "configuration of the node (HOCON)",
			helpValue: "<file>",
		}),
		"output-directory": Flags.string({
			char: "d",
			description: `data directory (default ${DEFAULT_DIRECTORY}; a development chain: memory)`,
			helpValue: "<dir>",
		}),
		dev: Flags.boolean({ description: "start a development chain" }),
		dialect: Flags.option({
			options: ["neutral", "deployed"] as const,
			description: "spelling of brand words in every answer",
			helpGroup: MORE_FLAGS,
		})(),
		host: Flags.string({ description: "address to listen on (development: 127.0.0.1)", helpValue: "<ip>" }),
		"log-format": Flags.option({
			options: ["json", "text"] as const,
			description: "log lines (default: text on a terminal)",
			helpGroup: MORE_FLAGS,
		})(),
		"log-level": Flags.option({
			options: LOG_LEVELS,
			description: "the least serious lines of the log (log.level of the configuration, else info)",
			helpGroup: MORE_FLAGS,
		})(),
		"ready-file": Flags.string({
			description: "file that gets a JSON line once every listener is bound",
			helpValue: "<path>",
			helpGroup: MORE_FLAGS,
		}),
		"ready-fd": Flags.integer({
			description: "descriptor that gets the same line",
			helpValue: "<n>",
			helpGroup: MORE_FLAGS,
		}),

		port: dev("the gateway: all APIs and development methods on one port (9090)", "<n>", "port"),
		"http-port": dev("full HTTP API; 0: any free port (8090)", "<n>", "http-port"),
		"solidity-port": dev("solidity HTTP API (8091)", "<n>", "solidity-port"),
		"jsonrpc-port": dev("JSON-RPC at the path /jsonrpc (8545)", "<n>", "jsonrpc-port"),
		"grpc-port": dev("gRPC API (50051)", "<n>", "grpc-port"),
		"grpc-solidity-port": dev("solidity gRPC API (50061)", "<n>", "grpc-solidity-port"),
		"allow-remote": devSwitch("listen on other addresses than this machine's own", "allow-remote"),
		"allow-origin": dev(
			"pages that may use /admin and change the chain, such as http://localhost:3000; others may read it and send what is signed",
			"<origin,…>",
			"allow-origin",
		),
		accounts: dev("number of funded accounts (10)", "<n>", "accounts"),
		balance: dev("balance of each (10000coin)", "<amount>", "balance"),
		mnemonic: dev("mnemonic of their keys, or random", "<words>", "mnemonic"),
		seed: dev("random mnemonic that is the same for the same number", "<n>", "seed"),
		"hd-path": dev("path of their keys (m/44'/195'/0'/0/)", "<prefix>", "hd-path"),
		"accounts-file": dev("JSON with private keys or a mnemonic", "<path>", "accounts-file"),
		"producer-key-file": dev("key of the block producer (the number one)", "<path>", "producer-key-file"),
		"use-producer-account": devSwitch("the producer becomes account 0", "use-producer-account"),
		seal: dev(
			"a block for every transaction, on command, or every so many seconds",
			"instant|manual|<s>",
			"seal",
		),
		"block-time": dev("the same as --seal <s>", "<s>", "block-time"),
		"no-mining": devSwitch("the same as --seal manual", "no-mining"),
		economy: dev("prices of a new chain, or of the main network", "genesis|main", "economy"),
		parameter: devList("chain parameter by any of its names; repeatable", "<name>=<value>", "parameter"),
		maintenance: dev("maintenance interval (6h)", "<duration>", "maintenance"),
		"solid-lag": dev("blocks by which the irreversible state lags (0)", "<n>", "solid-lag"),
		"genesis-timestamp": dev("time of the genesis block in ms (0)", "<ms>", "genesis-timestamp"),
		"start-time": dev("time at which the chain's clock starts", "<ms>", "start-time"),

		"unstake-delay": dev("how long unstaked coins wait (60s)", "<duration>", "unstake-delay"),
		unlock: devList("account that acts without a signature; repeatable", "<account>", "unlock"),
		"unlock-all": {
			...devSwitch("every account acts without a signature; also --auto-impersonate", "unlock-all"),
			aliases: ["auto-impersonate"],
		},
		state: dev("state to begin with, if it is there, and to write at the end", "<file>", "state"),
		"load-state": dev("state to begin with", "<file>", "load-state"),
		"dump-state": dev("file that gets the state at the end", "<file>", "dump-state"),
		"no-console-log": devSwitch("don't log what contracts write to their console", "no-console-log"),
		"fork-url": dev(
			"node whose state the chain begins with; what is read of it is kept",
			"<url>",
			"fork-url",
		),
		"fork-jsonrpc-url": dev(
			"its JSON-RPC, where it is not a node of this program and has that elsewhere",
			"<url>",
			"fork-jsonrpc-url",
		),
		"fork-block": dev("the block after which it begins (the head)", "<number|id>", "fork-block"),
		"vm-time-limit": devSwitch("end constant calls after the chain's CPU time", "vm-time-limit"),
		"rate-limits": devSwitch("limit calls a second as nodes of the network do", "rate-limits"),

		...startFlags,
		version: Flags.boolean({ char: "v", description: "print versions and end", helpGroup: "REFERENCE" }),
	};

	async run(): Promise<void> {
		const takeover = Takeover.begin(process);
		try {
			await this.start(takeover);
		} catch (error) {
			takeover?.failed(error);
			throw error;
		}
		process.exit(0);
	}

	private async start(takeover: Takeover | undefined): Promise<void> {
		const { argv, flags } = await this.parse(NodeStart);
		if (flags.version) return this.printVersion();
		for (const warning of idleFlags(flags)) this.warning(warning);
		const source = configSource({
			...flags,
			config: flags.config ?? DEFAULT_CONFIG,
			// On a development chain, it selects only the rules, and not that network's configuration.
			network: flags.dev ? undefined : flags.network,
		});
		const config =
			flags.config !== undefined || hasConfig(source)
				? await this.readConfig(source, flags, argv as string[])
				: undefined;
		const development = flags.dev || config === undefined || config.dev.enabled;
		if (flags.config === undefined && existsSync(DEFAULT_CONFIG))
			this.note(
				`configuration: ./${DEFAULT_CONFIG}, found in this directory${flags.dev ? "" : " (--dev starts a development chain)"}`,
			);
		const ofNetworks = Object.keys(chainFlags).find(
			(name) => flags[name as keyof typeof chainFlags] && !(name === "network" && flags.dev),
		);
		if (development && ofNetworks !== undefined) {
			throw new Failure("usage", `--${ofNetworks} is for networks, and this would be a development chain`, {
				hint: "leave out --dev (dev.enabled) and name a network, with -c or --network",
			});
		}
		const format = flags["log-format"] ?? (process.stdout.isTTY === true ? "text" : "json");
		const log = await openNodeLog(format, flags["log-level"] ?? config?.log.level ?? "info");
		const ready = { file: flags["ready-file"], fd: flags["ready-fd"], takeover };
		if (development) {
			if (takeover) throw new Failure("start_failed", "a development chain takes over from no node");
			if (flags["p2p-disable"] === "false" || (argv as string[]).length > 0) {
				throw new Failure("start_failed", "a development chain has no peers");
			}
			await this.startDevelopment(flags, config, log, ready);
		} else await this.startNetwork(flags, config, log, format, ready);
	}

	private async readConfig(
		source: ConfigSource,
		flags: NodeStartFlags,
		peers: readonly string[],
	): Promise<NodeConfig> {
		const privateKey = await this.producerKey(flags);
		try {
			return await readConfig(source, startOptions(flags, peers, privateKey));
		} catch (error) {
			throw startFailure(error);
		}
	}

	private async startDevelopment(
		flags: NodeStartFlags,
		config: NodeConfig | undefined,
		log: ClosableLog,
		ready: ReadyTargets,
	): Promise<void> {
		const get = (name: string): string | undefined => {
			const value: unknown = flags[name as keyof NodeStartFlags];
			if (value !== undefined && value !== false) return String(value);
			return config?.dev.settings[name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())];
		};
		// Configuration key and variable are comma-separated, as the repeated flag is once converted to text.
		const list = (name: string): string[] => (get(name) ?? "").split(",").filter(Boolean);
		const { "output-directory": directory } = flags;
		const ignored = config && developmentWarning(config);
		if (ignored) this.warning(ignored);
		let chosen: ChosenDevelopment;
		let development: ReturnType<typeof prepareDevelopment>;
		// Account addresses are derived by hashing.
		await useFastHashing();
		try {
			const founding = directory === undefined ? undefined : readFounding(directory);
			const warn = (message: string): void => this.warning(message);
			chosen = await chooseDevelopment(get, list("parameter"), warn, list("unlock"), founding);
			const prepared = prepareDevelopment(chosen.options);
			development = { ...prepared, config: withServices(prepared.config, config) };
		} catch (error) {
			throw startFailure(error);
		}
		const clock = (): bigint => BigInt(Date.now()) + chosen.clockOffsetMs;
		const options = {
			config: development.config,
			dataDirectory: directory,
			producers: [],
			development,
			host: chosen.host,
			log,
			clock,
			limitTime: chosen.limitTime,
		};
		await runNode(options, log, ready, this.config.version, (node) => {
			if (this.chatty)
				for (const line of developmentListing(chosen, node.genesisId, directory)) printLine(line);
			if (node.ports.gateway !== undefined) {
				const gateway = `http://${addressText({ host: chosen.host, port: node.ports.gateway })}`;
				if (this.chatty) {
					printLine(`Explorer: ${gateway}/explorer/`);
					printLine(
						"all APIs and coin dev are at one port; tronbox and scripts for its runtime (TRE) wait for:",
					);
				}
				// Clients look for exactly this line.
				printLine(`TRE now listening on ${gateway}`);
			}
			this.printReady(node, chosen.host);
		});
	}

	private async startNetwork(
		flags: NodeStartFlags,
		config: NodeConfig,
		log: ClosableLog,
		format: LogFormat,
		ready: ReadyTargets,
	): Promise<void> {
		const values: Readonly<Record<string, unknown>> = flags;
		const given = DEVELOPMENT_FLAGS.filter((name) => values[name] !== undefined && values[name] !== false);
		if (given.length > 0) {
			throw new Failure(
				"usage",
				`--${given[0]} is for development chains, and ${config.file} describes a network`,
				{
					hint: "add --dev, or start without -c and --network",
				},
			);
		}
		const missing = blackHoleGap(config);
		if (missing !== undefined) throw new Failure("start_failed", missing);
		const gap = genesisGap(config);
		for (const warning of [...(gap === undefined ? [] : [gap]), ...config.warnings]) this.warning(warning);
		const idleSigner = idleSignerWarning(config);
		const warnings = idleSigner === undefined ? [] : [IDLE_SIGNER];
		for (const warning of [...keyWarnings(config), idleSigner]) if (warning) this.warning(warning);
		const { host, "output-directory": directory } = flags;
		const password = (file: string) => this.witnessPassword(flags, file);
		const options = {
			config,
			dataDirectory: directory ?? DEFAULT_DIRECTORY,
			...(await producersOf(config, password, ready.takeover === undefined)),
			host,
			warnings,
			log,
			limitTime: !config.run.debug,
		};
		let endLine = (): void => undefined;
		try {
			await runNode(options, log, ready, this.config.version, (node) => {
				// JSON log collectors expect only JSON lines.
				if (format === "json") log.info({ ports: node.ports }, "coin node ready");
				else this.printReady(node, host ?? "127.0.0.1");
				if (this.chatty) endLine = showSyncLine(() => node.peers?.progress);
			});
		} finally {
			endLine();
		}
	}

	private printReady(node: RunningNode, host: string): void {
		printLine(readyLine(node.ports, host));
	}

	/** Two flags of the network's node expose secrets to everyone on the machine. */
	private async producerKey(flags: NodeStartFlags): Promise<string | undefined> {
		const { "private-key": key, "private-key-file": file } = flags;
		if (key !== undefined && key !== "")
			this.warning("--private-key can be read by everyone on this machine: use --private-key-file");
		if (file === undefined) return key;
		return (await fetchSecret(file, "the producer's key", (message) => this.warning(message))).trim();
	}

	private async witnessPassword(flags: NodeStartFlags, file: string): Promise<string> {
		if (flags.password !== undefined) {
			this.warning("--password can be read by everyone on this machine: use --password-file");
			return flags.password;
		}
		const source = { file: flags["password-file"], warn: (message: string) => this.warning(message) };
		return withPassword(source, file, async (password) => password);
	}

	private printVersion(): void {
		printLine(`OS : ${platform()} ${release()} ${arch()}`);
		printLine(`Node : ${process.version}`);
		printLine(`Version : ${this.config.version}`);
	}
}
